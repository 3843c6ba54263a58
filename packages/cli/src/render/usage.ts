import type { Usage } from '@glassloop/core';
import { counted, formatCost, formatCount } from './text.ts';

/** Token counts and cost in words. A count the provider did not report is `unknown`; 0 is `0`. */

export function known(count: number | undefined): string {
  return count === undefined ? 'unknown' : formatCount(count);
}

/** `312 → 48 tokens`, for one answer. */
export function tokensOfAnswer(usage: Usage): string {
  if (usage.promptTokens === undefined && usage.completionTokens === undefined) return 'tokens unknown';
  return `${known(usage.promptTokens)} → ${known(usage.completionTokens)} tokens`;
}

/** `952: prompt 873 (cached 0), completion 79 (reasoning unknown)`. */
export function tokensInFull(usage: Usage, uncountedRounds = 0): string {
  const written =
    usage.cacheWriteTokens === undefined ? '' : `, written to cache ${known(usage.cacheWriteTokens)}`;
  const parts =
    `prompt ${known(usage.promptTokens)} (cached ${known(usage.cacheReadTokens)}${written}), ` +
    `completion ${known(usage.completionTokens)} (reasoning ${known(usage.reasoningTokens)})`;
  const total = known(usage.totalTokens);
  const bound =
    uncountedRounds > 0 ? `; ${counted(uncountedRounds, 'answer')} came without counts, so it is more` : '';
  return `${total}: ${parts}${bound}`;
}

/** The cost, or why it is not known. `unpricedRounds`: answers whose cost is unknown. */
export function costInFull(usage: Usage, rounds: number, unpricedRounds: number): string {
  if (rounds === 0) return formatCost(0);
  if (usage.estimatedCost === undefined) return 'unknown: the provider reports none, and no prices are known';
  const cost = formatCost(usage.estimatedCost);
  return unpricedRounds > 0
    ? `at least ${cost}: the cost of ${counted(unpricedRounds, 'answer')} is unknown`
    : cost;
}
