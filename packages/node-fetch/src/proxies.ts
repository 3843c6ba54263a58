/** Which proxy leads to a host; undefined: none. */
export type ProxyFor = (url: URL) => URL | undefined;

/** From HTTP_PROXY, HTTPS_PROXY and NO_PROXY; the spelling in small letters counts first. */
export function proxiesFrom(env: Readonly<Record<string, string | undefined>>): ProxyFor {
  const variable = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  // Where REQUEST_METHOD is set, HTTP_PROXY may be a header of somebody's request (CVE-2016-5385).
  const http = env['REQUEST_METHOD'] === undefined ? variable('HTTP_PROXY') : env['http_proxy'] || undefined;
  const forHttp = proxyUrl(http, 'HTTP_PROXY');
  const forHttps = proxyUrl(variable('HTTPS_PROXY'), 'HTTPS_PROXY');
  if (forHttp === undefined && forHttps === undefined) return () => undefined;
  const isExcluded = exclusions(variable('NO_PROXY') ?? '');
  return (url) =>
    isOwnMachine(url) || isExcluded(url) ? undefined : url.protocol === 'https:' ? forHttps : forHttp;
}

export function fixedProxy(proxy: string): ProxyFor {
  const url = proxyUrl(proxy, 'nodeFetch(): proxy');
  return (target) => (isOwnMachine(target) ? undefined : url);
}

function proxyUrl(text: string | undefined, name: string): URL | undefined {
  if (text === undefined) return undefined;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  } catch {
    // Told below; the text may hold a password, so it is not shown.
  }
  throw new TypeError(`${name} must be the http(s) URL of a proxy.`);
}

function isOwnMachine({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** `*`, or hosts with all below them, each with an optional port, separated by commas or blanks. */
function exclusions(list: string): (url: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, host = '', port] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
      return { host: host.replace(/^(\*?\.)|^\[|\]$/g, ''), port };
    });
  return ({ hostname, port, protocol }) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const actualPort = port || (protocol === 'https:' ? '443' : '80');
    return entries.some(
      (entry) =>
        (entry.host === '*' || host === entry.host || host.endsWith(`.${entry.host}`)) &&
        (entry.port === undefined || entry.port === actualPort),
    );
  };
}
