import type { NodeFetchOptions } from './index.ts';
import { fixedProxy, type ProxyFor, proxiesFrom } from './proxies.ts';

export interface CheckedOptions {
  readonly idleMs: number;
  readonly proxyFor: ProxyFor;
  /** PEM; undefined: Node's own. */
  readonly ca: readonly string[] | undefined;
}

const DEFAULT_IDLE_MS = 4000;
const LONGEST_TIMER_MS = 2_147_483_647;

/** Throws TypeError that says what is wrong. Reads the environment now, not at each call. */
export function checkOptions({ idleMs = DEFAULT_IDLE_MS, proxy, ca }: NodeFetchOptions): CheckedOptions {
  if (!(typeof idleMs === 'number' && idleMs > 0 && idleMs <= LONGEST_TIMER_MS)) {
    throw new TypeError('nodeFetch(): idleMs must be a number of milliseconds.');
  }
  return {
    idleMs,
    proxyFor:
      proxy === false ? () => undefined : proxy === undefined ? proxiesFrom(process.env) : fixedProxy(proxy),
    ca: ca === undefined ? undefined : [ca].flat(),
  };
}
