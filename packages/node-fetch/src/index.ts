import { checkOptions } from './check-options.ts';
import { readRequest } from './outgoing.ts';

export interface NodeFetchOptions {
  /** Milliseconds an idle connection is kept. Default 4000. A server's `Keep-Alive: timeout` shortens or lengthens it. */
  readonly idleMs?: number;
  /** An http(s) URL, for all hosts but this machine; false: no proxy. Default: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: string | false;
  /** PEM certificates to trust besides Node's own. */
  readonly ca?: string | readonly string[];
}

export interface NodeFetch {
  (...args: Parameters<typeof fetch>): Promise<Response>;
  /** Closes all connections, those in use too: their calls fail. A later call opens new ones. */
  close(): void;
}

/**
 * A `fetch` over node:http with connections of its own. Rejects with `signal.reason` when aborted, with a TypeError
 * "fetch failed" whose `cause.code` names the fault when there is no answer. Throws TypeError for wrong options.
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const checked = checkOptions(options);
  let connections: import('./connections.ts').Connections | undefined;
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const { Connections, follow } = await stack();
    connections ??= new Connections(checked);
    return follow(await readRequest(input, init), connections);
  };
  return Object.assign(fetch, { close: () => connections?.close() });
}

let loading: Promise<typeof import('./stack.ts')> | undefined;
const stack = () => {
  loading ??= import('./stack.ts');
  return loading;
};
