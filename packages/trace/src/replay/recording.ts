import type { ErrorStep, Message, RequestStep, ResponseStep, RunStep, ToolStep } from '@glassloop/core';

/** One request of a recorded run, and what came of it. */
export interface RecordedAttempt {
  readonly round: number;
  readonly request: RequestStep & { readonly round: number };
  /** The messages it sent. */
  readonly messages: readonly Message[];
  /** Absent: the run was interrupted before there was any. */
  readonly outcome?: ResponseStep | ErrorStep;
}

/** A recorded run, arranged for answering. */
export class Recording {
  readonly steps: readonly RunStep[];
  readonly attempts: readonly RecordedAttempt[];
  /** Whether the last error step was not an answer but a stop from outside: an abort, or the time limit. */
  readonly #interruption: RunStep | undefined;
  readonly #tools = new Map<string, ToolStep>();

  constructor(steps: readonly RunStep[]) {
    this.steps = steps;
    this.#interruption = interruptionOf(steps);
    const attempts: { -readonly [key in keyof RecordedAttempt]: RecordedAttempt[key] }[] = [];
    const all: Message[] = [];
    for (const step of steps) {
      if (step.kind === 'assembled' || step.kind === 'request') all.push(...step.added);
      if (step.kind === 'request') {
        // One stretch from the beginning, as the loop sends it, needs no list of its own per request.
        const messages = step.sent.flatMap(([start, end]) => all.slice(start, end));
        attempts.push({ round: step.round, request: step, messages });
      }
      if (step.kind === 'tool') this.#tools.set(keyOf(step.round, step.call.id), step);
      const last = attempts.at(-1);
      if ((step.kind !== 'response' && step.kind !== 'error') || step === this.#interruption) continue;
      if (last !== undefined && last.outcome === undefined) last.outcome = step;
    }
    this.attempts = attempts;
  }

  /** Whether the run has its last line. */
  get isWhole(): boolean {
    return this.steps.at(-1)?.kind === 'end';
  }

  tool(round: number, callId: string): ToolStep | undefined {
    return this.#tools.get(keyOf(round, callId));
  }

  /** Whether a call of this round that has no result was under way when the run was stopped; else its step is missing. */
  wasUnderWay(round: number): boolean {
    if (this.#interruption?.round !== round) return false;
    const asked = new Set<string>();
    for (const { outcome } of this.attempts.filter((attempt) => attempt.round === round)) {
      if (outcome?.kind === 'response') for (const { id } of outcome.message.toolCalls) asked.add(id);
    }
    return this.steps.every(
      (step) => step.kind !== 'tool' || step.round !== round || asked.has(step.call.id),
    );
  }

  /** Why the run was stopped from outside at this step; undefined when this step is anything else. */
  interruptionAt(place: number): Interruption | undefined {
    const step = this.steps[place];
    if (step === undefined || step !== this.#interruption || step.kind !== 'error') return undefined;
    const said = step.message.replace(/^The run was stopped: /, '');
    return {
      reason: new DOMException(said, step.code === 'timeout' ? 'TimeoutError' : 'AbortError'),
      partial: step.partial,
    };
  }
}

export interface Interruption {
  readonly reason: DOMException;
  /** Text of the answer that was under way. */
  readonly partial: string | undefined;
}

function interruptionOf(steps: readonly RunStep[]): RunStep | undefined {
  const end = steps.findLast((step) => step.kind === 'end');
  const error = steps.findLast((step) => step.kind === 'error');
  if (error === undefined) return undefined;
  if (error.code === 'aborted') return error;
  const wasStopped =
    end?.stopReason === 'aborted' ||
    (end?.stopReason === 'limit' && error.code === 'timeout' && error.message === end.detail);
  return wasStopped ? error : undefined;
}

function keyOf(round: number, callId: string): string {
  return `${round} ${callId}`;
}
