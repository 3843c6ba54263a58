/** One round with the model at a time, until it stops asking for tools. */

import type { Adapter, Delta, ModelRequest, ModelResponse } from './adapter/adapter.ts';
import { AdapterError } from './adapter/adapter-error.ts';
import { type Assembly, assemblePrompt } from './assemble.ts';
import { defined, messageOf } from './check.ts';
import { type CheckedRun, checkRun } from './check-run.ts';
import { frozenAnswer } from './conversation.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from './message.ts';
import { offeredTools, specsOf } from './offered-tools.ts';
import type { CallOptions, ToolOptions } from './options.ts';
import { type PartialResult, type Run, RunError, type RunResult } from './run.ts';
import { type End, endOfAnswer, endOfBudget, endOfRound } from './run-end.ts';
import { failureOf, previewWarnings, RunRecorder } from './run-recorder.ts';
import type { StopReason } from './run-step.ts';
import { RunStop, STOPPED } from './run-stop.ts';
import { plainSchemaCheck, runTool, type ToolBox, type ToolOutcome } from './run-tool.ts';
import type { RunTrace } from './run-trace.ts';
import type { ToolSpec } from './tool.ts';
import { addUsage, type Usage, withCost } from './usage.ts';

/**
 * Asks the model, runs the tools it asks for, and asks again, until it answers or a limit is reached. When the rounds
 * are used up, one closing round without tools gets an answer out of what is known.
 *
 * Resolves to a RunResult whose `stopReason` says why the run ended. Rejects with a RunError, which holds the partial
 * result; with TypeError or RangeError, before anything is sent, when an argument is wrong.
 *
 * With a trace, every step is recorded as it happens. Without one nothing is recorded and no clock is read.
 */
export async function runLoop(run: Run, trace?: RunTrace | null): Promise<RunResult> {
  return new Loop(checkRun(run), trace ?? undefined).run();
}

/** The state of one run. */
class Loop {
  readonly #checked: CheckedRun;
  readonly #adapter: Adapter;
  readonly #options: ToolOptions;
  readonly #recorder: RunRecorder | undefined;
  readonly #stop: RunStop;
  readonly #memo = new Map<object, unknown>();
  readonly #messages: Message[] = [];
  readonly #warnings = new Set<string>();
  /** Ids of all calls so far, so that no two are alike. */
  readonly #callIds = new Set<string>();
  #rounds = 0;
  #usage: Usage = {};
  #uncounted = 0;
  #unpriced = 0;
  #callsRun = 0;
  #last: ModelResponse | undefined;
  /** Text of the answer under way; only streamed. */
  #partial = '';

  constructor(checked: CheckedRun, trace: RunTrace | undefined) {
    this.#checked = checked;
    this.#adapter = checked.run.adapter;
    this.#options = trace?.capturesRaw === true ? checked.options.withCaptureRaw() : checked.options;
    this.#recorder = trace === undefined ? undefined : new RunRecorder(trace);
    this.#stop = new RunStop(checked.run.signal, checked.limits.durationMs);
  }

  async run(): Promise<RunResult> {
    try {
      const assembly = await assemblePrompt(this.#checked.run);
      return this.#ended(await this.#go(assembly));
    } catch (error) {
      if (error === STOPPED) return this.#stopped();
      if (error instanceof CallFailed) throw this.#failed(error.reason);
      // A wrong argument, found before anything was sent.
      throw error;
    } finally {
      this.#stop.dispose();
    }
  }

  async #go(assembly: Assembly): Promise<End> {
    const { run, tools, maxRounds, limits, toolTimeoutMs } = this.#checked;
    const { offered, dropped } = offeredTools(this.#checked, assembly.skillTools);
    const specs = specsOf(offered);
    this.#begin(assembly, dropped, specs);
    if (run.augmentation?.dryRun === true) return { reason: 'dry_run' };

    const withoutTools = plainOptions(this.#options);
    if (specs.length === 0) return this.#answered(await this.#ask([], withoutTools));

    const box: ToolBox = {
      registered: tools,
      offered,
      timeoutMs: toolTimeoutMs,
      validate: plainSchemaCheck(run.validator),
    };
    const later = laterOptions(this.#options);
    let options = this.#firstOptions(offered);
    let previous: readonly Message[] = [];
    let sameTurns = 0;
    for (let round = 1; ; round++) {
      const response = await this.#ask(specs, options);
      options = later;
      const { toolCalls } = response.message;
      if (toolCalls.length === 0 || response.finishReason !== 'tool_calls') return this.#answered(response);
      const spent = endOfBudget(limits, this.#usage);
      if (spent !== undefined) {
        this.#leaveUnrun(toolCalls, 'The run has reached a limit, so this was not run.');
        return spent;
      }
      const turn = [response.message, ...(await this.#runCalls(toolCalls, box))];
      sameTurns = isSameTurn(previous, turn) ? sameTurns + 1 : 1;
      previous = turn;
      const end = endOfRound(round, maxRounds, limits, this.#callsRun, sameTurns);
      if (end !== undefined) {
        const closing = await this.#ask([], withoutTools);
        this.#leaveUnrun(closing.message.toolCalls, 'No tools are available any more, so this was not run.');
        return end;
      }
    }
  }

  #begin(assembly: Assembly, droppedTools: Assembly['dropped'], tools: readonly ToolSpec[]): void {
    const { run, options } = this.#checked;
    this.#messages.push(...assembly.messages);
    for (const message of assembly.messages) {
      if (message.role === 'assistant') for (const { id } of message.toolCalls) this.#callIds.add(id);
    }
    const dropped = [...assembly.dropped, ...droppedTools];
    for (const { kind, id, reason, detail } of dropped) {
      if (reason !== 'overridden') this.#warnings.add(`Left out: ${detail ?? `${kind} "${id}" (${reason})`}`);
    }
    if (this.#recorder === undefined && run.augmentation?.dryRun !== true) return;
    const { messages } = assembly;
    const warnings = previewWarnings(this.#adapter, { messages, tools, options: options.toCallOptions() });
    for (const warning of warnings) this.#warnings.add(warning);
    this.#recorder?.assembled(this.#checked, assembly, dropped, tools, warnings);
  }

  /** One answer of the model, however many attempts it takes. Rejects with CallFailed or STOPPED. */
  async #ask(tools: readonly ToolSpec[], options: CallOptions): Promise<ModelResponse> {
    for (let attempt = 1; ; attempt++) {
      this.#throwIfStopped();
      this.#recorder?.request(this.#rounds + 1, this.#messages, tools, attempt);
      this.#partial = '';
      let wait: number | undefined;
      try {
        const response = await this.#stop.race(this.#adapter.chat(this.#request(tools, options)));
        // An adapter that did not notice the abort answers all the same; the run has ended all the same.
        this.#throwIfStopped();
        return this.#received(response);
      } catch (error) {
        this.#throwIfStopped();
        if (error instanceof AdapterError && error.usage !== undefined) {
          // A failed answer that was paid for counts, though it is no round.
          this.#usage = addUsage(this.#usage, withCost(error.usage, this.#checked.run.prices));
        }
        wait = retryDelay(error, attempt, this.#checked.retry);
        this.#recorder?.error(error, wait);
        if (wait === undefined) throw new CallFailed(error);
      }
      await this.#stop.sleep(wait);
      if (this.#checked.run.onDelta !== undefined) this.#deliver({ kind: 'restart' });
    }
  }

  #request(tools: readonly ToolSpec[], options: CallOptions): ModelRequest {
    const { signal } = this.#stop;
    return {
      // A list of its own, so that what an adapter keeps does not grow under it; the messages are shared and frozen.
      messages: this.#messages.slice(),
      tools,
      options,
      memo: this.#memo,
      ...(signal === undefined ? {} : { signal }),
      ...(this.#checked.run.onDelta === undefined ? {} : { onDelta: (delta: Delta) => this.#deliver(delta) }),
    };
  }

  #deliver(delta: Delta): void {
    // What an abandoned call still has to say is no longer part of the run.
    if (this.#stop.stopped) return;
    this.#recorder?.delta();
    if (delta.kind === 'text') this.#partial += delta.text;
    try {
      this.#checked.run.onDelta?.(delta, this.#rounds + 1);
    } catch (error) {
      this.#warnings.add(`onDelta threw: ${String(error)}`);
    }
  }

  #received(response: ModelResponse): ModelResponse {
    const message = frozenAnswer(response.message, this.#adapter.name, this.#callIds);
    const usage = withCost(response.usage, this.#checked.run.prices);
    const answer =
      message === response.message && usage === response.usage ? response : { ...response, message, usage };
    this.#partial = '';
    this.#rounds++;
    this.#usage = addUsage(this.#usage, usage);
    if (usage.promptTokens === undefined && usage.completionTokens === undefined) this.#uncounted++;
    if (usage.estimatedCost === undefined) this.#unpriced++;
    for (const warning of response.warnings ?? []) this.#warnings.add(warning);
    this.#last = answer;
    this.#messages.push(message);
    this.#recorder?.response(answer);
    return answer;
  }

  /** The results of one round, in the order of its calls, added to the conversation; every call gets one, also when the run is stopped. */
  async #runCalls(calls: readonly ToolCall[], box: ToolBox): Promise<readonly ToolMessage[]> {
    const results: (ToolMessage | undefined)[] = [];
    let next = 0;
    const work = async () => {
      while (next < calls.length && !this.#stop.stopped) {
        const position = next++;
        results[position] = await this.#runCall(calls[position]!, box);
      }
    };
    try {
      const workers: Promise<void>[] = [];
      while (workers.length < calls.length && workers.length < this.#checked.toolConcurrency)
        workers.push(work());
      await Promise.all(workers);
      this.#throwIfStopped();
    } finally {
      for (let position = 0; position < calls.length; position++)
        this.#messages.push(results[position] ?? toolMessage(calls[position]!, NOT_RUN));
    }
    return results as readonly ToolMessage[];
  }

  async #runCall(call: ToolCall, box: ToolBox): Promise<ToolMessage> {
    const startedAt = this.#recorder?.now() ?? 0;
    const outcome = this.#takesCall() ? await runTool(call, this.#rounds, box, this.#stop) : OVER_LIMIT;
    this.#recorder?.tool(call, outcome, startedAt);
    return toolMessage(call, outcome);
  }

  #takesCall(): boolean {
    const most = this.#checked.limits.toolCalls ?? Number.POSITIVE_INFINITY;
    if (this.#callsRun >= most) return false;
    this.#callsRun++;
    return true;
  }

  #answered(response: ModelResponse): End {
    this.#leaveUnrun(response.message.toolCalls, 'The answer was cut, so this was not run.');
    return endOfAnswer(response);
  }

  /** Calls that are not run get a result all the same: a conversation with an unanswered call cannot be continued. */
  #leaveUnrun(calls: readonly ToolCall[], content: string): void {
    for (const call of calls) this.#messages.push(toolMessage(call, { content, isError: true }));
  }

  #throwIfStopped(): void {
    if (this.#stop.stopped) throw STOPPED;
  }

  #firstOptions(offered: ReadonlyMap<string, unknown>): CallOptions {
    const { toolChoice } = this.#options.toCallOptions();
    if (typeof toolChoice !== 'object' || offered.has(toolChoice.tool)) return this.#options.toCallOptions();
    this.#warnings.add(
      `toolChoice: "${toolChoice.tool}" is not offered in this run, so the choice is left to the model.`,
    );
    return laterOptions(this.#options);
  }

  #ended({ reason, detail }: End): RunResult {
    this.#recordEnd(reason, detail);
    return { ...this.#result(), stopReason: reason, ...defined({ stopDetail: detail }) };
  }

  /** The time limit ends a run with a result; the caller's signal ends it with an error. */
  #stopped(): RunResult {
    const partial = this.#partial || undefined;
    if (this.#stop.timedOut) {
      const detail = `The time limit of ${this.#checked.limits.durationMs} ms was reached.`;
      this.#recorder?.stopped('timeout', detail, partial);
      return this.#ended({ reason: 'limit', detail });
    }
    const { reason } = this.#stop;
    const name = reason instanceof Error ? reason.name : 'AbortError';
    const code = name === 'TimeoutError' ? 'timeout' : 'aborted';
    const message = `The run was stopped: ${messageOf(reason)}`;
    this.#recorder?.stopped(code, message, partial);
    this.#recordEnd('aborted', message);
    const error = new RunError(code, message, { cause: reason, result: this.#result() });
    error.name = name;
    throw error;
  }

  #failed(cause: unknown): RunError {
    const { code, message, hint } = failureOf(cause);
    this.#recordEnd('failed', message);
    if (cause instanceof AdapterError && cause.partial !== undefined) this.#partial = cause.partial;
    return new RunError(code, message, { cause, hint, result: this.#result() });
  }

  #recordEnd(stopReason: StopReason | 'failed' | 'aborted', detail: string | undefined): void {
    this.#recorder?.end({
      stopReason,
      ...defined({ detail }),
      rounds: this.#rounds,
      usage: this.#usageSoFar(),
      unpricedRounds: this.#unpriced,
    });
  }

  /** Before the first answer nothing is unknown: nothing was used. */
  #usageSoFar(): Usage {
    return this.#rounds === 0 ? addUsage(NOTHING_USED, this.#usage) : this.#usage;
  }

  #result(): PartialResult {
    const last = this.#last;
    return {
      content: last?.message.content ?? '',
      ...defined({ thinking: last?.thinking, partial: this.#partial || undefined }),
      messages: Object.freeze(this.#messages.slice()),
      rounds: this.#rounds,
      usage: this.#usageSoFar(),
      uncountedRounds: this.#uncounted,
      unpricedRounds: this.#unpriced,
      ...defined({ finishReason: last?.finishReason }),
      warnings: [...this.#warnings],
    };
  }
}

/** A call that failed for good, after all its attempts. */
class CallFailed {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** No answer came, so nothing was counted; known to be 0, not unknown. */
const NOTHING_USED: Usage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

const NOT_RUN: ToolOutcome = { content: 'The run was stopped before this was done.', isError: true };
const OVER_LIMIT: ToolOutcome = {
  content: 'Not run: the limit of tool calls was reached.',
  isError: true,
};
const LONGEST_BACKOFF_MS = 30_000;

/** A forced choice holds for the first round only; else the run could only end at its cap. */
function laterOptions(options: ToolOptions): CallOptions {
  const { toolChoice } = options.toCallOptions();
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return (isForced ? options.withToolChoice('auto') : options).toCallOptions();
}

/** The same options without what only makes sense with tools. */
function plainOptions(options: ToolOptions): CallOptions {
  const { toolChoice, parallelToolCalls, ...plain } = options.toCallOptions();
  return Object.freeze(plain);
}

function toolMessage({ id, name }: ToolCall, { content, isError }: ToolOutcome): ToolMessage {
  return Object.freeze({ role: 'tool', toolCallId: id, toolName: name, content, isError });
}

/** The same calls with the same results, ids aside. */
function isSameTurn(a: readonly Message[], b: readonly Message[]): boolean {
  if (a.length !== b.length) return false;
  const calls = (a[0] as AssistantMessage).toolCalls;
  const others = (b[0] as AssistantMessage).toolCalls;
  return calls.every(
    ({ name, argumentsJson }, index) =>
      name === others[index]!.name &&
      argumentsJson === others[index]!.argumentsJson &&
      a[index + 1]!.content === b[index + 1]!.content,
  );
}

/** Milliseconds until the next attempt; undefined when there is none. */
function retryDelay(error: unknown, attempt: number, retry: CheckedRun['retry']): number | undefined {
  if (!(error instanceof AdapterError) || !error.retryable || attempt > retry.maxRetries) return undefined;
  if (error.retryAfterMs === undefined)
    return Math.min(retry.baseDelayMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
  return error.retryAfterMs <= retry.maxDelayMs ? error.retryAfterMs : undefined;
}
