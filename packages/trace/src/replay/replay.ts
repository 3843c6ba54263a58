import {
  type Adapter,
  type AssembledStep,
  type Delta,
  type ModelRequest,
  type ModelResponse,
  type Run,
  RunError,
  type RunResult,
  type RunStep,
  runLoop,
  type Tool,
  ToolError,
} from '@glassloop/core';
import { diffTraces, type TraceDiff } from '../diff/diff-traces.ts';
import { type Divergence, divergence, RequestComparison, settingsDivergence } from './divergence.ts';
import { judge } from './judge.ts';
import { recordedAnswer } from './recorded-outcome.ts';
import { RecordedProvider } from './recorded-provider.ts';
import { type RecordedAttempt, Recording } from './recording.ts';
import { ReplayTrace } from './replay-trace.ts';
import { runFromTrace } from './run-from-trace.ts';

/** A run whose adapter may be missing: the recorded answers need none. */
export type ReplayRun = Omit<Run, 'adapter'> & { readonly adapter?: Adapter };

export interface ReplayOptions {
  /** Execute the tools instead of answering from the trace. Default false. */
  readonly liveTools?: boolean;
  /** From this round on, ask the run's adapter and execute its tools. 1: everything is live. */
  readonly fromRound?: number;
  /**
   * Makes the adapter to be judged; it must use the fetch it is given, which answers with the recorded bodies. Needs a
   * trace with raw capture; a round without a recorded body is answered from its step.
   */
  readonly throughAdapter?: (fetch: typeof globalThis.fetch) => Adapter;
  /** Gets each step of the new trace. */
  readonly onRecord?: (step: RunStep) => void;
}

export interface ReplayOutcome {
  /**
   * `same`: the new trace equals the old but for times. `different`: all requests are the same, something else is not
   * (see `diff`). `diverged`: stopped at the first request that differs. `incomplete`: the recorded trace ends before
   * the run does, or lacks a step. `live`: the run went on live from `fromRound`.
   */
  readonly status: 'same' | 'different' | 'diverged' | 'incomplete' | 'live';
  /** The new trace; with `diverged` it ends with the request that differs. */
  readonly steps: readonly RunStep[];
  /** With `diverged`. */
  readonly divergence?: Divergence;
  /** With `same` and `different`. */
  readonly diff?: TraceDiff;
  /** Present when the run came to an end with an answer. */
  readonly result?: RunResult;
  /** What the run rejected with, when it failed as recorded, or failed live. */
  readonly error?: RunError;
}

/**
 * Runs the loop again from its trace: recorded answers, failures and tool results answer, nothing is sent and nothing
 * waits. Without `run`, the run is taken from the trace itself. Rejects with TypeError or RangeError for wrong arguments.
 */
export async function replay(
  trace: readonly RunStep[],
  run?: ReplayRun,
  options: ReplayOptions = {},
): Promise<ReplayOutcome> {
  const { fromRound } = options;
  if (fromRound !== undefined && !(Number.isInteger(fromRound) && fromRound >= 1)) {
    throw new RangeError(`replay: fromRound must be a whole number ≥ 1; got ${String(fromRound)}.`);
  }
  if (fromRound !== undefined && run?.adapter === undefined) {
    throw new TypeError('replay: fromRound goes on live, so the run needs an adapter.');
  }
  return new Replay(trace, run, options).perform();
}

/** What a replay throws to end itself; never leaves it. */
class Stopped extends Error {}

class Replay {
  readonly #recording: Recording;
  readonly #run: ReplayRun;
  readonly #options: ReplayOptions;
  readonly #trace: ReplayTrace;
  readonly #comparison: RequestComparison;
  readonly #abort = new AbortController();
  readonly #provider: RecordedProvider | undefined;
  readonly #judged: Adapter | undefined;
  readonly #liveFrom: number;
  #nextAttempt = 0;
  #steps = 0;
  #divergence: Divergence | undefined;
  #isExhausted = false;
  #isLive = false;

  constructor(steps: readonly RunStep[], run: ReplayRun | undefined, options: ReplayOptions) {
    this.#recording = new Recording(steps);
    this.#run = run ?? runFromTrace(steps);
    this.#options = options;
    this.#liveFrom = options.fromRound ?? Number.POSITIVE_INFINITY;
    const assembled = steps.find((step) => step.kind === 'assembled');
    this.#comparison = new RequestComparison(assembled?.tools ?? []);
    if (options.throughAdapter !== undefined) {
      this.#provider = new RecordedProvider();
      this.#judged = options.throughAdapter(this.#provider.fetch);
    }
    const captureRaw = steps.some((step) => 'raw' in step && step.raw !== undefined);
    this.#trace = new ReplayTrace(
      { captureRaw, ...(options.onRecord === undefined ? {} : { onRecord: options.onRecord }) },
      this.#recording,
      {
        fromTrace: assembled !== undefined && this.#run.messages === assembled.added,
        asked: this.#run,
        isFollowing: () => this.#divergence === undefined && !this.#isLive,
        recorded: (step, place) => this.#recorded(step, place),
      },
    );
  }

  async perform(): Promise<ReplayOutcome> {
    let result: RunResult | undefined;
    let error: RunError | undefined;
    try {
      result = await runLoop(this.#replayed(), this.#trace);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      error = thrown;
    }
    const outcome = {
      steps: this.#trace.steps,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
    if (this.#isLive) return { status: 'live', ...outcome };
    const unasked = this.#recording.attempts[this.#nextAttempt];
    if (this.#divergence === undefined && !this.#isExhausted && unasked !== undefined) {
      this.#divergence = divergence({
        round: unasked.round,
        attempt: unasked.request.attempt,
        where: 'request',
        path: '',
        old: `${unasked.messages.length} messages`,
      });
    }
    if (this.#divergence !== undefined) {
      return { status: 'diverged', steps: this.#trace.steps, divergence: this.#divergence };
    }
    if (this.#isExhausted || !this.#recording.isWhole)
      return { status: 'incomplete', steps: this.#trace.steps };
    const diff = diffTraces(this.#recording.steps, this.#trace.steps, { ids: true, opaque: true });
    return { status: diff.same ? 'same' : 'different', diff, ...outcome };
  }

  #replayed(): Run {
    const { adapter, tools, limits, retry, signal, onDelta } = this.#run;
    const { settings } = this.#recording.steps.find((step) => step.kind === 'assembled') ?? {};
    const shown = this.#judged ?? adapter;
    const { durationMs, ...timeless } = limits ?? {};
    const isAllRecorded = this.#liveFrom === Number.POSITIVE_INFINITY;
    const streamed =
      onDelta !== undefined ||
      this.#recording.steps.some((step) => 'partial' in step || 'firstTokenMs' in step);
    return {
      ...this.#run,
      adapter: {
        name: shown?.name ?? settings?.adapter ?? 'replay',
        model: shown?.model ?? settings?.model ?? 'replay',
        capabilities: shown?.capabilities ?? EVERYTHING,
        chat: (request) => this.#chat(request),
        preview: (request) => {
          if (shown !== undefined) return shown.preview?.(request) ?? { body: undefined, warnings: [] };
          const first = this.#recording.steps.find((step) => step.kind === 'assembled');
          return { body: undefined, warnings: first?.warnings ?? [] };
        },
      },
      ...(tools === undefined ? {} : { tools: tools.map((tool) => this.#tool(tool)) }),
      // A replay takes no time, so it has no time limit of its own; the recorded one is replayed.
      limits: isAllRecorded ? timeless : (limits ?? {}),
      // What was tried again is recorded, and so is what was not: no policy of the run's own may try again.
      retry: isAllRecorded ? { maxRetries: 10 } : (retry ?? {}),
      signal: signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]),
      ...(streamed ? { onDelta: (delta: Delta, round: number) => onDelta?.(delta, round) } : {}),
    };
  }

  async #chat(request: ModelRequest): Promise<ModelResponse> {
    if (this.#divergence !== undefined || this.#isExhausted) throw this.#stop();
    const round = this.#recording.attempts[this.#nextAttempt]?.round;
    if (this.#liveFrom === 1 || this.#isLive || (round !== undefined && round >= this.#liveFrom)) {
      this.#isLive = true;
      return this.#run.adapter!.chat(request);
    }
    const recorded = this.#recording.attempts[this.#nextAttempt];
    if (recorded === undefined) {
      if (this.#liveFrom !== Number.POSITIVE_INFINITY) {
        this.#isLive = true;
        return this.#run.adapter!.chat(request);
      }
      this.#unexpected(request);
      throw this.#stop();
    }
    this.#nextAttempt++;
    this.#divergence = this.#comparison.first(recorded, request);
    if (this.#divergence !== undefined) throw this.#stop();
    return this.#answer(recorded, request);
  }

  async #answer(recorded: RecordedAttempt, request: ModelRequest): Promise<ModelResponse> {
    const { outcome } = recorded;
    if (outcome === undefined) {
      const interruption = this.#recording.interruptionAt(this.#steps);
      if (interruption === undefined) {
        // The trace was cut in the middle of this request.
        this.#isExhausted = true;
        throw this.#stop();
      }
      if (interruption.partial !== undefined) request.onDelta?.({ kind: 'text', text: interruption.partial });
      this.#abort.abort(interruption.reason);
      return new Promise(() => {});
    }
    if (this.#provider !== undefined && this.#judged !== undefined && outcome.raw !== undefined) {
      // Once it is found to be the same, the recorded one is used: it has the ids that the tool results were recorded by.
      this.#divergence = await judge(this.#judged, this.#provider, recorded, request);
      if (this.#divergence !== undefined) throw this.#stop();
      return recordedAnswer(outcome);
    }
    if (outcome.kind === 'error' && outcome.partial !== undefined) {
      request.onDelta?.({ kind: 'text', text: outcome.partial });
    }
    if (outcome.kind === 'response' && outcome.firstTokenMs !== undefined) {
      if (outcome.thinking !== undefined) request.onDelta?.({ kind: 'thinking', text: outcome.thinking });
      request.onDelta?.({ kind: 'text', text: outcome.message.content });
    }
    return recordedAnswer(outcome);
  }

  #tool(tool: Tool): Tool {
    if (this.#options.liveTools === true) return tool;
    return {
      ...tool,
      execute: async (input, context) => {
        const recorded = this.#recording.tool(context.round, context.toolCallId);
        if (this.#isLive || (recorded === undefined && context.round >= this.#liveFrom - 1)) {
          return tool.execute(input, context);
        }
        if (recorded === undefined) {
          if (this.#recording.wasUnderWay(context.round)) return new Promise(() => {});
          this.#isExhausted = true;
          throw this.#stop();
        }
        if (!recorded.isError) return recorded.result;
        throw recorded.thrown === undefined ? new ToolError(recorded.result) : new Error(recorded.thrown);
      },
    };
  }

  #recorded(step: Parameters<ReplayTrace['record']>[0], place: number): void {
    this.#steps = place + 1;
    if (step.kind === 'assembled') this.#divergence = this.#settingsDivergence(step);
    // An abort during a request is made by the request, after the text that had come by then.
    if (step.kind === 'request' || this.#isLive) return;
    const interruption = this.#recording.interruptionAt(this.#steps);
    if (interruption !== undefined) this.#abort.abort(interruption.reason);
  }

  #settingsDivergence(step: Pick<AssembledStep, 'settings'>): Divergence | undefined {
    const old = this.#recording.steps.find((recorded) => recorded.kind === 'assembled');
    // Going on live with another model is what fromRound is for.
    if (old === undefined || this.#liveFrom !== Number.POSITIVE_INFINITY) return undefined;
    return settingsDivergence(old.settings, step.settings);
  }

  #unexpected(request: ModelRequest): void {
    const last = this.#recording.attempts.at(-1);
    if (!this.#recording.isWhole) {
      this.#isExhausted = true;
      return;
    }
    this.#divergence = divergence({
      round: (last?.round ?? 0) + 1,
      attempt: 1,
      where: 'request',
      path: '',
      new: `${request.messages.length} messages`,
    });
  }

  #stop(): Stopped {
    this.#trace.close();
    return new Stopped('The replay stops here.');
  }
}

const EVERYTHING = {
  streaming: true,
  parallelToolCalls: true,
  requiredToolChoice: true,
  thinking: true,
  images: true,
  cost: true,
} as const;
