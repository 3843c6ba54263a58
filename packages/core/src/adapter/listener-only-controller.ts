import type { CallController } from './call-within.ts';

/**
 * A controller for SDKs that only ever listen on the signal they are given, and hand the HTTP stack one of their own:
 * those of the OpenAI and Anthropic family. Making a real AbortSignal costs as much as all our other work on a call.
 */
export class ListenerOnlyController implements CallController {
  readonly #listeners = new Set<() => void>();
  aborted = false;
  reason: unknown;

  get signal(): AbortSignal {
    return this as unknown as AbortSignal;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }
}
