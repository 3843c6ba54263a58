import { onAbort } from './on-abort.ts';

/** Ends a run from outside: the caller's signal, or its time limit. Nothing is created for a run that has neither. */
export class RunStop {
  /** Aborts when the run must stop; handed to adapter and tools. undefined: nothing can stop this run. */
  readonly signal: AbortSignal | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #controller: AbortController | undefined;
  readonly #forget: (() => void) | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<() => void>();
  #timedOut = false;

  constructor(caller: AbortSignal | undefined, durationMs: number | undefined) {
    this.#caller = caller;
    this.#forget = caller && onAbort(caller, this.#stop);
    if (durationMs !== undefined && durationMs <= LONGEST_TIMER_MS) {
      this.#controller = new AbortController();
      this.#timer = setTimeout(() => {
        this.#timedOut = true;
        this.#stop();
      }, durationMs);
    }
    this.signal = this.#controller?.signal ?? caller;
    if (caller?.aborted) this.#stop();
  }

  /** The caller's, once it has aborted. */
  get reason(): unknown {
    return this.#caller?.reason;
  }

  get timedOut(): boolean {
    return this.#timedOut;
  }

  get stopped(): boolean {
    return this.#timedOut || this.#caller?.aborted === true;
  }

  /** The promise's own outcome, or a rejection with STOPPED as soon as the run must stop, whatever the promise does. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.signal === undefined) return promise;
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(STOPPED);
      if (this.stopped) stop();
      this.#waiting.add(stop);
      promise.then(resolve, reject).then(() => this.#waiting.delete(stop));
    });
  }

  /** Waits, at most until the run must stop; then rejects with STOPPED. */
  async sleep(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, ms);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Leaves no timer and no listener behind. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#forget?.();
  }

  readonly #stop = (): void => {
    // First who waits, then who listens: what the abort makes an SDK or a tool throw comes too late to be taken for the reason.
    for (const stop of this.#waiting) stop();
    this.#controller?.abort(
      this.#timedOut ? new DOMException('The time limit was reached', 'TimeoutError') : this.reason,
    );
  };
}

/** The longest delay a timer takes; a longer one would fire at once, so it counts as none. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** What `race` rejects with; never leaves the loop. */
export const STOPPED = Symbol('stopped');
