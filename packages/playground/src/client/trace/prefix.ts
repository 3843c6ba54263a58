/** What a request has in common with the one of the round before: providers cache only an unchanged beginning. */

import type { Range } from '@glassloop/core';
import type { TraceStore } from './trace-store.ts';

export interface Prefix {
  readonly previousRound: number | undefined;
  /** Messages at the front that are the same ones. */
  readonly unchanged: number;
  /** Everything of the previous request is there again, at the front. */
  readonly isIntact: boolean;
  /** The front is intact, and still the provider read nothing from a cache it had read from before. */
  readonly isCacheLost: boolean;
  /** By the provider's counts; absent when it named none. */
  readonly tokens?: {
    readonly cached: number | undefined;
    /** Sent again, not from the cache. */
    readonly repeated: number | undefined;
    readonly fresh: number;
  };
}

export function prefixOf(store: TraceStore, index: number): Prefix {
  const step = store.steps[index];
  const previousRound = step === undefined ? undefined : roundBefore(store, step.round);
  const previous = previousRound === undefined ? undefined : store.rounds.get(previousRound);
  const before = previous?.request === undefined ? [] : expand(store.steps[previous.request]?.sent);
  const now = expand(step?.sent);
  let unchanged = 0;
  while (unchanged < before.length && before[unchanged] === now[unchanged]) unchanged++;
  const usageOf = (round: number | undefined) => {
    const response = round === undefined ? undefined : store.rounds.get(round)?.response;
    return response === undefined ? undefined : store.steps[response]?.usage;
  };
  const [usage, usageBefore] = [usageOf(step?.round), usageOf(previousRound)];
  const isIntact = previousRound !== undefined && unchanged === before.length;
  const base = {
    previousRound,
    unchanged,
    isIntact,
    isCacheLost: isIntact && (usageBefore?.cacheReadTokens ?? 0) > 0 && (usage?.cacheReadTokens ?? 0) === 0,
  };
  const prompt = usage?.promptTokens;
  if (prompt === undefined) return base;
  const cached = usage?.cacheReadTokens;
  const known = Math.min(prompt, isIntact ? (usageBefore?.promptTokens ?? 0) : 0);
  const repeated = previousRound === undefined ? undefined : Math.max(0, known - (cached ?? 0));
  return { ...base, tokens: { cached, repeated, fresh: prompt - (cached ?? 0) - (repeated ?? 0) } };
}

function roundBefore(store: TraceStore, round: number): number | undefined {
  let before: number | undefined;
  for (const number of store.rounds.keys()) if (number < round && number > (before ?? 0)) before = number;
  return before;
}

function expand(ranges: readonly Range[] | undefined): readonly number[] {
  return (ranges ?? []).flatMap(([start, end]) =>
    Array.from({ length: Math.max(0, Math.min(end - start, 100_000)) }, (_, at) => start + at),
  );
}
