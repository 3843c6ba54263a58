import { request as httpRequest } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

/** What the HTTP stack hands an agent that is to open a connection. */
interface Wanted extends ConnectionOptions {
  readonly waitingFor?: AbortSignal;
}

type Opened = (error: Error | null, socket?: Duplex) => void;

/** https through a proxy: asks it for a tunnel (CONNECT), then speaks TLS with the host behind. */
export class TunnelAgent extends Agent {
  readonly #proxy: URL;
  readonly #ca: AgentOptions['ca'];

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#ca = options.ca;
  }

  // The types know only the form that returns a socket; Node also takes one that calls back.
  override createConnection = ((wanted: Wanted, opened: Opened): undefined => {
    const host = wanted.host?.includes(':') ? `[${wanted.host}]` : wanted.host;
    const authority = `${host}:${wanted.port || 443}`;
    const { protocol, hostname, port } = this.#proxy;
    const authorization = proxyAuthorization(this.#proxy);
    const ask = (protocol === 'https:' ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: authority,
      headers: {
        host: authority,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      agent: false,
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    });
    const signal = wanted.waitingFor;
    const giveUp = () => ask.destroy();
    signal?.addEventListener('abort', giveUp, { once: true });
    const settled = (error: Error | null, socket?: Duplex) => {
      signal?.removeEventListener('abort', giveUp);
      opened(error, socket);
    };
    ask.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return settled(null, connect({ ...wanted, socket }));
      socket.destroy();
      settled(
        Object.assign(new Error(`the proxy refused to connect (HTTP ${statusCode})`), {
          code: 'ERR_PROXY_TUNNEL',
        }),
      );
    });
    ask.once('response', (message) => {
      message.destroy();
      settled(new Error('the proxy did not answer CONNECT'));
    });
    ask.once('error', settled);
    ask.end();
    return undefined;
  }) as never;
}

export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
