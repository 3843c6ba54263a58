import type { Metadata, ModelResponse } from './adapter/adapter.ts';
import type { AdapterErrorCode } from './adapter/adapter-error.ts';
import type { Dropped, Source } from './augmentation.ts';
import type { Message, ToolCall } from './message.ts';
import type { ToolOptionValues } from './options.ts';
import type { RetryPolicy, RunLimits } from './run.ts';
import type { ToolSpec } from './tool.ts';
import type { Usage } from './usage.ts';

/** [start, end) into all messages `added` so far, by the steps of one trace, in their order. */
export type Range = readonly [start: number, end: number];

/** What was asked of the run, without secrets. */
export interface RunSettings {
  readonly adapter: string;
  readonly model: string;
  readonly options: ToolOptionValues;
  readonly maxRounds: number;
  /** With defaults filled in. Infinity is `null` in a file. */
  readonly limits: RunLimits & { readonly repeats: number };
  readonly retry: Required<RetryPolicy>;
  readonly toolConcurrency: number;
  readonly toolTimeoutMs: number;
}

/** Why a run ended that has a RunResult; how it ended otherwise is the `code` of its RunError. */
export type StopReason =
  /** The model gave its answer. */
  | 'completed'
  /** The answer was cut at the output limit. */
  | 'length'
  /** All rounds were used; the last answer was written without tools. */
  | 'round_limit'
  /** A limit of RunLimits was reached. */
  | 'limit'
  /** The same calls had the same results again and again. */
  | 'repeat'
  /** The provider's policy stopped the answer. */
  | 'content_filter'
  /** The answer ended without a known end mark. */
  | 'incomplete'
  /** Nothing was sent. */
  | 'dry_run';

/** Why a run ended without an answer: the code of the RunError it rejected with. */
export type FailureCode = AdapterErrorCode | 'aborted' | 'internal';

/** `round` counts from 1; 0 is what happens before the first. `at`: Unix milliseconds when recorded. */
export type RunStep = { readonly round: number; readonly at: number } & (
  | AssembledStep
  | RequestStep
  | ResponseStep
  | ToolStep
  | ErrorStep
  | EndStep
);

/** The prompt, once, before the first round. */
export interface AssembledStep {
  readonly kind: 'assembled';
  readonly settings: RunSettings;
  readonly added: readonly Message[];
  readonly sources: readonly Source[];
  readonly dropped: readonly Dropped[];
  /** As they are offered, in order. */
  readonly tools: readonly ToolSpec[];
  /** What the adapter will send differently: rewritten schemas, options it lacks. */
  readonly warnings: readonly string[];
}

/** Recorded before the call. The very messages that the adapter is handed. */
export interface RequestStep {
  readonly kind: 'request';
  readonly added: readonly Message[];
  readonly sent: readonly Range[];
  readonly toolsOffered: readonly string[];
  /** 1 for the first try of this round. */
  readonly attempt: number;
}

export interface ResponseStep extends Omit<ModelResponse, 'metadata'> {
  readonly kind: 'response';
  readonly durationMs: number;
  /** From the request to the first piece; only streamed. */
  readonly firstTokenMs?: number;
  /** The decoded body; only with raw capture. */
  readonly raw?: unknown;
  /** The rest of the adapter's metadata (`_wire` included, with raw capture). */
  readonly metadata?: Metadata;
}

/** One call and what the model was told. */
export interface ToolStep {
  readonly kind: 'tool';
  readonly durationMs: number;
  readonly call: ToolCall;
  readonly result: string;
  readonly isError: boolean;
  /** UTF-8 bytes before the result was cut; only when it was. */
  readonly fullBytes?: number;
  /** What the tool threw, shortened. The model was only told that it failed. */
  readonly thrown?: string;
}

/** A failed attempt. The run goes on when `retryInMs` is there. */
export interface ErrorStep {
  readonly kind: 'error';
  readonly durationMs: number;
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** Text received before a stream failed. */
  readonly partial?: string;
  /** What the failed answer cost all the same. */
  readonly usage?: Usage;
  readonly retryInMs?: number;
  readonly raw?: unknown;
  readonly metadata?: Metadata;
}

/** Exactly one, the last. */
export interface EndStep {
  readonly kind: 'end';
  /** Of the whole run. */
  readonly durationMs: number;
  readonly stopReason: StopReason | 'failed' | 'aborted';
  /** One sentence for people; absent for a completed run. */
  readonly detail?: string;
  /** Model answers received. */
  readonly rounds: number;
  readonly usage: Usage;
  /** Answers whose cost is unknown, so that `usage.estimatedCost` is a lower bound. */
  readonly unpricedRounds: number;
}

/** The messages sent in a round, put together from the ranges. An unknown round gives none. */
export function messagesSent(steps: readonly RunStep[], round: number): readonly Message[] {
  const added: Message[] = [];
  let ranges: readonly Range[] | undefined;
  for (const step of steps) {
    if (step.kind !== 'assembled' && step.kind !== 'request') continue;
    added.push(...step.added);
    if (step.kind === 'request' && step.round === round) ranges = step.sent;
  }
  return (ranges ?? []).flatMap(([start, end]) => added.slice(start, end));
}
