import { onAbort } from '../on-abort.ts';
import { AdapterError } from './adapter-error.ts';

/** Default of `AdapterSettings.timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 120_000;

/** What ends a call from outside. `AbortController` is one. */
export interface CallController {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/**
 * Runs one call to a provider inside its limits: settles at once with `signal.reason` when the caller aborts, and
 * with AdapterError "timeout" after `timeoutMs`, whatever the SDK makes of the abort. The signal given to `call`
 * aborts in both cases and must reach the socket. No timer and no listener outlives the call.
 */
export function callWithin<T>(
  limits: {
    readonly provider: string;
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMs: number;
  },
  call: (signal: AbortSignal) => Promise<T>,
  controller: CallController = new AbortController(),
): Promise<T> {
  const { provider, signal, timeoutMs } = limits;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      forget?.();
    };
    const stop = (reason: unknown) => {
      end();
      // Reject first: who awaits must see our reason, not what the SDK makes of the abort.
      reject(reason);
      controller.abort(reason);
    };
    const timer = setTimeout(
      () => stop(new AdapterError('timeout', `${provider}: no complete answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const forget = signal && onAbort(signal, () => stop(signal.reason));
    try {
      call(controller.signal).then(
        (value) => {
          end();
          resolve(value);
        },
        // What failed within an answer leaves the rest of it unread, and with it the connection open.
        stop,
      );
    } catch (error) {
      stop(error);
    }
  });
}
