import type { RunStep } from './run-step.ts';

export interface RunTraceOptions {
  /** Ask every call for the provider's decoded body and the request as sent. Default false. */
  readonly captureRaw?: boolean;
  /** Gets each step as soon as it is recorded. What it throws is reported as a warning and changes nothing. */
  readonly onRecord?: (step: RunStep) => void;
  /** Unix milliseconds; must not go backwards. Default: a monotonic clock. */
  readonly now?: () => number;
}

/** What `RunStep` is before the trace adds the time. */
export type UntimedStep = RunStep extends infer Step
  ? Step extends RunStep
    ? Omit<Step, 'at'>
    : never
  : never;

/** Records one run. Mutable; hands out frozen steps. A second run must have a trace of its own. */
export class RunTrace {
  readonly capturesRaw: boolean;
  readonly #steps: RunStep[] = [];
  readonly #onRecord: ((step: RunStep) => void) | undefined;
  readonly #now: () => number;
  readonly #warnings: string[] = [];

  constructor(options: RunTraceOptions = {}) {
    this.capturesRaw = options.captureRaw === true;
    this.#onRecord = options.onRecord;
    this.#now = options.now ?? (() => performance.timeOrigin + performance.now());
  }

  /** The steps so far; a new list each time, of the same frozen steps. */
  get steps(): readonly RunStep[] {
    return Object.freeze([...this.#steps]);
  }

  /** What went wrong with recording itself: a listener that threw. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Unix milliseconds by this trace's clock. */
  now(): number {
    return this.#now();
  }

  toJSON(): readonly RunStep[] {
    return this.steps;
  }

  /** For the loop: adds a step. */
  record(step: UntimedStep): void {
    const timed = Object.freeze({ ...step, at: this.#now() }) as RunStep;
    this.#steps.push(timed);
    try {
      this.#onRecord?.(timed);
    } catch (error) {
      this.#warnings.push(`onRecord threw at step ${this.#steps.length} (${timed.kind}): ${String(error)}`);
    }
  }
}
