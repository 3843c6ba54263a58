import { type AgentOptions, type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { CheckedOptions } from './check-options.ts';
import type { Outgoing } from './outgoing.ts';
import type { ProxyFor } from './proxies.ts';
import { proxyAuthorization, TunnelAgent } from './tunnel-agent.ts';

/** The kept connections of one `nodeFetch()`, and the way to each host. */
export class Connections {
  readonly #options: AgentOptions;
  readonly #proxyFor: ProxyFor;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  /** By the URL of the proxy: it stands between, so its connections are no others'. */
  readonly #tunnels = new Map<string, TunnelAgent>();
  readonly #toProxies = new Map<string, HttpAgent | HttpsAgent>();

  constructor({ idleMs, proxyFor, ca }: CheckedOptions) {
    this.#proxyFor = proxyFor;
    const trusted = ca === undefined ? undefined : [...rootCertificates, ...ca];
    this.#options = {
      keepAlive: true,
      timeout: idleMs,
      scheduling: 'lifo',
      ...(trusted === undefined ? {} : { ca: trusted }),
    };
    this.#http = new HttpAgent(this.#options);
    this.#https = new HttpsAgent(this.#options);
  }

  /** A request that is not sent yet. */
  request(outgoing: Outgoing, contentLength: number | undefined): ClientRequest {
    const { url, method, signal } = outgoing;
    const headers = head(outgoing, contentLength);
    const secure = url.protocol === 'https:';
    const path = url.pathname + url.search;
    const proxy = this.#proxyFor(url);
    const { hostname, port } = proxy !== undefined && !secure ? proxy : url;
    // IPv6 addresses stand in brackets only within URLs.
    const to = { method, headers, hostname: hostname.replace(/^\[|\]$/g, ''), port };
    if (proxy === undefined) {
      return secure
        ? httpsRequest({ ...to, path, agent: this.#https })
        : httpRequest({ ...to, path, agent: this.#http });
    }
    if (secure) {
      const agent = remembered(this.#tunnels, proxy.href, () => new TunnelAgent(proxy, this.#options));
      // Options reach the agent, which gives up a tunnel nobody waits for any more.
      return httpsRequest({ ...to, path, agent, ...{ waitingFor: signal } });
    }
    const authorization = proxyAuthorization(proxy);
    if (authorization !== undefined) headers.push('proxy-authorization', authorization);
    const [Agent, request] =
      proxy.protocol === 'https:' ? [HttpsAgent, httpsRequest] : [HttpAgent, httpRequest];
    const agent = remembered(this.#toProxies, proxy.href, () => new Agent(this.#options));
    return request({ ...to, path: url.href, agent });
  }

  close(): void {
    for (const agent of [this.#http, this.#https, ...this.#tunnels.values(), ...this.#toProxies.values()])
      agent.destroy();
  }
}

/** All headers as a list: Node writes a list as it is, without looking each one up. */
function head({ headers, url, method, body }: Outgoing, contentLength: number | undefined): string[] {
  const list = [...headers];
  if (!list.some((text, at) => at % 2 === 0 && text === 'host')) list.unshift('host', url.host);
  if (contentLength === undefined) list.push('transfer-encoding', 'chunked');
  else if (body !== undefined || method === 'POST' || method === 'PUT')
    list.push('content-length', String(contentLength));
  return list;
}

function remembered<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
