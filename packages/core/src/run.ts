/** What goes into a run and what comes out of it. */

import type { Adapter, Delta, FinishReason } from './adapter/adapter.ts';
import type { Origin, RunAugmentation, Skill, SkillPolicy, Snippet } from './augmentation.ts';
import type { Message } from './message.ts';
import type { ToolOptions } from './options.ts';
import type { FailureCode, StopReason } from './run-step.ts';
import type { JsonSchemaValidator } from './schema.ts';
import type { Tool } from './tool.ts';
import type { Prices, Usage } from './usage.ts';

export interface Run {
  readonly adapter: Adapter;
  /** The conversation so far. Copied and frozen before anything is sent. */
  readonly messages: readonly Message[];
  /** The configured system prompt; leads all other system messages. */
  readonly systemPrompt?: string;
  /** Where the configured system prompt was read; shown by its source. */
  readonly systemPromptOrigin?: Origin;
  /** Configured snippets: part of the system prompt, behind its text. */
  readonly snippets?: readonly Snippet[];
  readonly skills?: readonly Skill[];
  readonly skillPolicy?: SkillPolicy;
  /** All tools there are. Names are unique. */
  readonly tools?: readonly Tool[];
  /** Names of the tools this run may use: null or absent, all; a list, these; an empty list, none. */
  readonly allowedTools?: readonly string[] | null;
  /** Checks arguments of tools with a plain JSON Schema. Default: only `required` is checked. */
  readonly validator?: JsonSchemaValidator;
  readonly options?: ToolOptions;
  readonly augmentation?: RunAugmentation;
  /** Rounds that offer tools, 1 to 1000. Default 5. Then one closing round without tools. */
  readonly maxRounds?: number;
  /** Calls of one round that run side by side. Default: all; 1 runs them in order. */
  readonly toolConcurrency?: number;
  /** Milliseconds one tool call may take; then its result is an error and its signal aborts. Default 120,000; Infinity: no limit. */
  readonly toolTimeoutMs?: number;
  readonly limits?: RunLimits;
  readonly retry?: RetryPolicy;
  /** Of the adapter's model. Absent: cost is known only where the provider reports it. */
  readonly prices?: Prices;
  readonly signal?: AbortSignal;
  /** Present: answers are streamed. What it throws is ignored. */
  readonly onDelta?: (delta: Delta, round: number) => void;
}

/** All optional; none is set by default but `repeats`. Reaching one ends the run with stopReason 'limit' ('repeat' for `repeats`). */
export interface RunLimits {
  /** Sum of `totalTokens`; checked after each answer. */
  readonly totalTokens?: number;
  /** US dollars; checked after each answer, counts what is known. */
  readonly cost?: number;
  /** Calls executed in the whole run; calls beyond it get an error result, then one closing round without tools. */
  readonly toolCalls?: number;
  /** Milliseconds for the whole run. Stops what is under way. */
  readonly durationMs?: number;
  /** Rounds in a row with the same calls and the same results. Default 5; Infinity: never. */
  readonly repeats?: number;
}

/** SDK retries are off; these are the only ones. */
export interface RetryPolicy {
  /** Further attempts after the first, 0 to 10. Default 2. */
  readonly maxRetries?: number;
  /** First wait in milliseconds, doubled each time up to 30,000. Default 500. A provider's Retry-After is waited for instead. */
  readonly baseDelayMs?: number;
  /** A Retry-After longer than this fails at once. Default 60,000. */
  readonly maxDelayMs?: number;
}

export interface RunResult {
  /** The last answer; '' when it was empty or there was none. */
  readonly content: string;
  /** The last answer's visible reasoning. */
  readonly thinking?: string;
  /** Text of an answer that was under way when the run was stopped or failed; only streamed. */
  readonly partial?: string;
  /** The conversation: what was assembled, every answer, every tool result. Every call has its result. */
  readonly messages: readonly Message[];
  /** Model answers received, the closing one included. */
  readonly rounds: number;
  readonly usage: Usage;
  /** Answers that came without token counts; `usage` is a lower bound if not 0. */
  readonly uncountedRounds: number;
  /** Answers whose cost is unknown; `usage.estimatedCost` is a lower bound if not 0. */
  readonly unpricedRounds: number;
  readonly stopReason: StopReason;
  /** One sentence for people on what stopped the run and what to change; absent for a completed run. */
  readonly stopDetail?: string;
  /** Of the last answer; absent when there was none. */
  readonly finishReason?: FinishReason;
  /** What was asked for and not done, each once. */
  readonly warnings: readonly string[];
}

/** What a failed or aborted run hands over: everything a RunResult has, but no stop reason. */
export type PartialResult = Omit<RunResult, 'stopReason' | 'stopDetail'>;

/**
 * Every rejection of `runLoop`, but for wrong arguments (TypeError, RangeError).
 * `cause`: the AdapterError; or the signal's own reason, when `code` is 'aborted' (or 'timeout', for a signal made
 * by AbortSignal.timeout). `name` is then that reason's name, so that `error.name === 'AbortError'` works as usual.
 */
export class RunError extends Error {
  readonly code: FailureCode;
  /** One sentence that says what to do. */
  readonly hint?: string;
  /** What was done and paid for before the failure. */
  readonly result: PartialResult;

  constructor(
    code: FailureCode,
    message: string,
    facts: { cause: unknown; hint?: string | undefined; result: PartialResult },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'RunError';
    this.code = code;
    if (facts.hint !== undefined) this.hint = facts.hint;
    this.result = facts.result;
  }
}
