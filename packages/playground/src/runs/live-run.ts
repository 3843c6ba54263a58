import { type Run, RunError, type RunStep, RunTrace, runLoop, type Tool } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import type { RunLine, RunRequest, RunStatus } from '../protocol.ts';
import { GrowingLines } from './lines.ts';
import { OpenAnswer } from './open-answer.ts';
import type { Secrets } from './secrets.ts';
import { Tally } from './summary.ts';

export interface RunningTool {
  readonly round: number;
  readonly name: string;
  /** Milliseconds since the run's start. */
  readonly t: number;
}

/** One run that goes on in this process. It belongs to the server: readers come and go. */
export class LiveRun {
  readonly id: string;
  readonly header: RunLine;
  readonly lines: GrowingLines;
  readonly tally: Tally;
  readonly answer = new OpenAnswer();
  /** Tools under way, by call id. */
  readonly running = new Map<string, RunningTool>();
  readonly kept: boolean;
  /** Fulfilled when everything is recorded. */
  readonly ended: Promise<void>;
  readonly #secrets: Secrets;
  readonly #startedAt = performance.now();
  readonly #abort = new AbortController();
  readonly #trace: RunTrace;
  #outcome: { readonly status: Exclude<RunStatus, 'running'>; readonly detail?: string } | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #started = deferred();

  /** Starts at once. `path`: the file to write; absent: memory. */
  constructor(facts: {
    readonly id: string;
    readonly run: Omit<Run, 'signal' | 'onDelta'>;
    readonly request: RunRequest;
    readonly path?: string | undefined;
    readonly secrets: Secrets;
  }) {
    const { id, run, request, path, secrets } = facts;
    this.id = id;
    this.#secrets = secrets;
    this.kept = path !== undefined;
    this.lines = new GrowingLines(path);
    const capturesRaw = request.captureRaw === true;
    const header = { id, startedAt: new Date().toISOString(), capturesRaw, request: { ...request } };
    const line = secrets.clean(encodeTraceHeader(header));
    this.header = JSON.parse(line) as RunLine;
    this.tally = new Tally(this.header);
    this.lines.append(line);
    this.#trace = new RunTrace({ captureRaw: capturesRaw, onRecord: (step) => this.#record(step) });
    this.ended = this.#go({
      ...run,
      tools: (run.tools ?? []).map((tool) => this.#watched(tool)),
      signal: this.#abort.signal,
      onDelta: (delta, round) => {
        this.answer.add(delta, round);
        this.#change();
      },
    });
  }

  /** Fulfilled with the first step. Rejects with the TypeError or RangeError of a run that could not begin. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get status(): RunStatus {
    return this.#outcome?.status ?? 'running';
  }

  get detail(): string | undefined {
    return this.#outcome?.detail ?? this.lines.failure;
  }

  /** Milliseconds since the start, by a clock that never goes back. */
  get t(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }

  /** Calls `listener` on every change, until the function it returns is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Aborts provider and tools through one signal. Does nothing for a run that has ended. */
  cancel(): void {
    this.#abort.abort(new DOMException('Stopped by you.', 'AbortError'));
  }

  async #go(run: Run): Promise<void> {
    try {
      await runLoop(run, this.#trace);
    } catch (error) {
      // Failed and aborted runs have their end step; anything else never began, or is a fault of this program.
      if (!(error instanceof RunError)) this.#started.reject(error);
      if (this.tally.status === undefined) {
        this.#outcome = { status: 'failed', detail: this.#secrets.clean((error as Error).message) };
      }
    }
    this.#outcome ??= {
      status: this.tally.status ?? 'failed',
      ...(this.tally.detail === undefined ? {} : { detail: this.tally.detail }),
    };
    this.answer.clear();
    this.running.clear();
    this.lines.close();
    this.#started.resolve();
    this.#change();
  }

  #record(step: RunStep): void {
    const encoded = encodeStep(step, this.lines.count);
    const line = this.#secrets.clean(encoded);
    if (step.kind === 'request' || step.kind === 'response' || step.kind === 'error') this.answer.clear();
    if (step.kind === 'tool') this.running.delete(step.call.id);
    this.lines.append(line);
    // What is shown of a step is what was written of it.
    const shown = line === encoded ? step : (JSON.parse(line) as { step: RunStep }).step;
    this.tally.add(shown, this.lines.bytesOf(this.lines.count - 1));
    this.#started.resolve();
    this.#change();
  }

  #watched(tool: Tool): Tool {
    return {
      ...tool,
      execute: (input, context) => {
        this.running.set(context.toolCallId, { round: context.round, name: tool.name, t: this.t });
        this.#change();
        return tool.execute(input, context);
      },
    };
  }

  #change(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function deferred(): {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
} {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  // Whoever does not wait for the start must not be told of its failure by the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
