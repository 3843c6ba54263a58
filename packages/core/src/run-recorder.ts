/** What the loop tells a trace. Without a trace there is no recorder, so nothing is evaluated, copied or timed. */

import type { Adapter, ModelRequest, ModelResponse } from './adapter/adapter.ts';
import { AdapterError } from './adapter/adapter-error.ts';
import type { Assembly } from './assemble.ts';
import type { Dropped } from './augmentation.ts';
import { defined, messageOf } from './check.ts';
import type { CheckedRun } from './check-run.ts';
import type { Message, ToolCall } from './message.ts';
import type { EndStep, FailureCode, ResponseStep } from './run-step.ts';
import type { ToolOutcome } from './run-tool.ts';
import type { RunTrace } from './run-trace.ts';
import type { ToolSpec } from './tool.ts';

export class RunRecorder {
  readonly #trace: RunTrace;
  readonly #startedAt: number;
  /** How many messages of the conversation the trace has. */
  #recorded = 0;
  #round = 0;
  #requestAt: number | undefined;
  #firstTokenAt: number | undefined;

  constructor(trace: RunTrace) {
    this.#trace = trace;
    this.#startedAt = trace.now();
  }

  now(): number {
    return this.#trace.now();
  }

  assembled(
    // What else there is are the numbers that the run is held to.
    { run, tools: _, options, ...settings }: CheckedRun,
    { messages, sources }: Assembly,
    dropped: readonly Dropped[],
    tools: readonly ToolSpec[],
    warnings: readonly string[],
  ): void {
    const { _capture_raw, ...shown } = options.toCallOptions();
    this.#recorded = messages.length;
    this.#trace.record({
      kind: 'assembled',
      round: 0,
      settings: { adapter: run.adapter.name, model: run.adapter.model, options: shown, ...settings },
      added: messages,
      sources,
      dropped,
      tools,
      warnings,
    });
  }

  request(round: number, messages: readonly Message[], tools: readonly ToolSpec[], attempt: number): void {
    const added = Object.freeze(messages.slice(this.#recorded));
    this.#recorded = messages.length;
    this.#round = round;
    this.#firstTokenAt = undefined;
    this.#trace.record({
      kind: 'request',
      round,
      added,
      sent: [[0, this.#recorded]],
      toolsOffered: tools.map(({ name }) => name),
      attempt,
    });
    this.#requestAt = this.#trace.now();
  }

  delta(): void {
    this.#firstTokenAt ??= this.#trace.now();
  }

  response({ metadata, ...response }: ModelResponse): void {
    const requestAt = this.#requestAt ?? this.#startedAt;
    this.#trace.record({
      kind: 'response',
      round: this.#round,
      durationMs: this.#trace.now() - requestAt,
      ...(this.#firstTokenAt === undefined ? {} : { firstTokenMs: this.#firstTokenAt - requestAt }),
      ...response,
      ...rawFacts(metadata),
    });
    this.#requestAt = undefined;
  }

  tool(call: ToolCall, { content, ...outcome }: ToolOutcome, startedAt: number): void {
    this.#trace.record({
      kind: 'tool',
      round: this.#round,
      durationMs: this.#trace.now() - startedAt,
      call,
      result: content,
      ...outcome,
    });
  }

  error(error: unknown, retryInMs?: number): void {
    const { status, requestId, partial, usage, metadata } =
      error instanceof AdapterError ? error : ({} as Partial<AdapterError>);
    this.#failed(failureOf(error), {
      ...defined({ status, requestId, partial, usage, retryInMs }),
      ...rawFacts(metadata),
    });
  }

  stopped(code: FailureCode, message: string, partial: string | undefined): void {
    this.#failed({ code, message }, defined({ partial }));
  }

  end(facts: Omit<EndStep, 'kind' | 'durationMs'>): void {
    this.#trace.record({
      kind: 'end',
      round: facts.rounds,
      durationMs: this.#trace.now() - this.#startedAt,
      ...facts,
    });
  }

  #failed(failure: Failure, facts: object): void {
    const durationMs = this.#requestAt === undefined ? 0 : this.#trace.now() - this.#requestAt;
    this.#requestAt = undefined;
    this.#trace.record({ kind: 'error', round: this.#round, durationMs, ...failure, ...facts });
  }
}

export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string;
}

/** What may be said of a thrown value. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AdapterError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: `The adapter failed in a way it should not: ${messageOf(error)}` };
}

/** What the adapter would change or leave out of the first request. */
export function previewWarnings(adapter: Adapter, request: ModelRequest): readonly string[] {
  try {
    return adapter.preview?.(request).warnings ?? [];
  } catch (error) {
    return [failureOf(error).message];
  }
}

/** `_raw` as `raw`, the rest as it is; nothing when there is nothing. */
function rawFacts(metadata: ModelResponse['metadata']): Pick<ResponseStep, 'raw' | 'metadata'> {
  if (metadata === undefined) return {};
  const { _raw, ...rest } = metadata;
  return {
    ...('_raw' in metadata ? { raw: _raw } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
  };
}
