/** Numbers about steps that more than one view needs: where on the time axis, how many tokens. */

import type { Usage } from '@glassloop/core';
import type { Stretch } from './axis.ts';
import type { FilterFacts } from './filter.ts';
import type { StepSummary } from './step-summary.ts';
import type { TraceStore } from './trace-store.ts';

/** About four bytes are one token; marked as an estimate wherever it is shown. */
export function estimatedTokens(length: number): number {
  return Math.ceil(length / 4);
}

export interface TokenCount {
  readonly tokens: number;
  readonly isEstimate: boolean;
}

export function tokensOf(store: TraceStore, step: StepSummary): TokenCount | undefined {
  switch (step.kind) {
    case 'request': {
      const response = store.rounds.get(step.round)?.response;
      // Only the attempt that was answered was counted by the provider.
      if (response === undefined || store.rounds.get(step.round)?.request !== step.index) return undefined;
      return counted(store.steps[response]?.usage?.promptTokens);
    }
    case 'response':
      return counted(step.usage?.completionTokens);
    case 'tool':
      return { tokens: estimatedTokens(step.length), isEstimate: true };
    case 'assembled':
    case 'error':
    case 'end':
      return undefined;
  }
}

function counted(tokens: number | undefined): TokenCount | undefined {
  return tokens === undefined ? undefined : { tokens, isEstimate: false };
}

export function startOf(store: TraceStore, step: StepSummary): number {
  if (step.kind === 'end') return step.at - store.origin;
  return step.at - (step.durationMs ?? 0) - store.origin;
}

export function endOf(store: TraceStore, step: StepSummary): number {
  return step.at - store.origin;
}

export function filterFacts(store: TraceStore): FilterFacts {
  return {
    startOf: (step) => startOf(store, step),
    endOf: (step) => endOf(store, step),
    tokensOf: (step) => tokensOf(store, step)?.tokens,
    isRepeat: (step) => store.repeatOf(step.index) !== undefined,
  };
}

/** Wall time by what it was spent on; steps that ran side by side count once. */
export interface WallTime {
  readonly total: number;
  readonly model: number;
  readonly tools: number;
  readonly other: number;
}

export function wallTime(store: TraceStore): WallTime {
  const total = Math.max(0, store.end?.durationMs ?? store.latest - store.origin);
  const now = store.latest - store.origin;
  const model: [number, number][] = [];
  const tools: [number, number][] = [];
  for (const step of store.steps) {
    const stretch: [number, number] = [startOf(store, step), endOf(store, step)];
    if (step.kind === 'response' || step.kind === 'error') model.push(stretch);
    else if (step.kind === 'tool') tools.push(stretch);
  }
  const waiting = waitingSince(store);
  if (waiting !== undefined) model.push([waiting - store.origin, now]);
  for (const call of store.running.values()) tools.push([call.since - store.origin, now]);
  const modelTime = Math.min(total, covered(model));
  const toolTime = Math.min(total - modelTime, covered(tools));
  return { total, model: modelTime, tools: toolTime, other: Math.max(0, total - modelTime - toolTime) };
}

/** Length of the union. Sorts what it is given. */
function covered(stretches: [number, number][]): number {
  stretches.sort((a, b) => a[0] - b[0]);
  let sum = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [start, end] of stretches) {
    if (end <= until) continue;
    sum += end - Math.max(start, until);
    until = end;
  }
  return sum;
}

const LONG_IDLE_MS = 10_000;
const LONG_IDLE_SHARE = 3;

/** Stretches in which nothing happened for longer than 10 s, and than three times all that did. None while the run goes on. */
export function idleGaps(store: TraceStore): readonly Stretch[] {
  if (store.isRunning) return [];
  const busy = store.steps.map((step): [number, number] => [startOf(store, step), endOf(store, step)]);
  const least = Math.max(LONG_IDLE_MS, LONG_IDLE_SHARE * covered(busy));
  const gaps: Stretch[] = [];
  let until = 0;
  for (const [start, end] of busy) {
    if (start - until > least) gaps.push({ from: until, to: start });
    until = Math.max(until, end);
  }
  return gaps;
}

/** Unix milliseconds since which an answer is waited for; undefined when none is. */
export function waitingSince(store: TraceStore): number | undefined {
  if (!store.isRunning) return undefined;
  const last = store.steps.findLast(
    (step) => step.kind === 'request' || step.kind === 'response' || step.kind === 'error',
  );
  return last?.kind === 'request' ? last.at : undefined;
}

export interface Totals {
  readonly usage: Usage;
  /** Answers whose cost, or whose tokens, nobody knows. */
  readonly unpriced: number;
  readonly uncounted: number;
  readonly answers: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly firstTokenMs?: number;
  readonly contextPeak?: number;
}

/** Sums of what the providers reported, so far. */
export function totalsOf(store: TraceStore): Totals {
  const sum: { -readonly [key in keyof Usage]: number } = {};
  let [unpriced, uncounted, answers, toolCalls, failedCalls] = [0, 0, 0, 0, 0];
  let firstTokenMs: number | undefined;
  let contextPeak: number | undefined;
  for (const step of store.steps) {
    if (step.kind === 'tool') {
      toolCalls++;
      if (step.failed) failedCalls++;
    }
    if (step.kind !== 'response') continue;
    answers++;
    const usage = step.usage ?? {};
    for (const [key, value] of Object.entries(usage)) {
      if (typeof value === 'number') sum[key as keyof Usage] = (sum[key as keyof Usage] ?? 0) + value;
    }
    if (usage.estimatedCost === undefined) unpriced++;
    if (usage.totalTokens === undefined) uncounted++;
    if (usage.promptTokens !== undefined) contextPeak = Math.max(contextPeak ?? 0, usage.promptTokens);
    firstTokenMs ??= step.firstTokenMs;
  }
  return {
    usage: sum,
    unpriced,
    uncounted,
    answers,
    toolCalls,
    failedCalls,
    ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
    ...(contextPeak === undefined ? {} : { contextPeak }),
  };
}
