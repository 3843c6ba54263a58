import { onAbort } from '../on-abort.ts';
import { AdapterError } from './adapter-error.ts';

/** Default of `AdapterSettings.timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Runs one call to a provider inside its limits: settles at once with `signal.reason` when the caller aborts, and
 * with AdapterError "timeout" after `timeoutMs`, whatever the SDK makes of the abort. The signal given to `call`
 * aborts in both cases and must reach the socket. No timer and no listener outlives the call.
 */
export async function callWithin<T>(
  limits: {
    readonly provider: string;
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs: number;
  },
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { provider, signal, timeoutMs } = limits;
  signal?.throwIfAborted();
  const controller = new AbortController();
  let stop: (reason: unknown) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (reason) => {
      // Reject first: who awaits the race must see our reason, not what the SDK makes of the abort.
      reject(reason);
      controller.abort(reason);
    };
  });
  const forget = signal && onAbort(signal, () => stop(signal.reason));
  const timer = setTimeout(
    () => stop(new AdapterError('timeout', `${provider}: no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([call(controller.signal), stopped]);
  } catch (error) {
    // What failed within an answer leaves the rest of it unread, and with it the connection open.
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    forget?.();
    stopped.catch(() => {});
  }
}
