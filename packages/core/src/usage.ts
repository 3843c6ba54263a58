/**
 * Tokens of one round, or summed over a run. A count the provider did not report is absent, never 0.
 * Always: promptTokens = fresh + cacheReadTokens + cacheWriteTokens; completionTokens includes reasoningTokens;
 * totalTokens = promptTokens + completionTokens. Whole numbers ≥ 0.
 */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** US dollars: the provider's own figure, else from `prices`, else absent. 0 means free, never unknown. */
  readonly estimatedCost?: number;
}

/** US dollars per million tokens, for one model. */
export interface Prices {
  readonly fresh: number;
  /** Default: the `fresh` price. */
  readonly cacheRead?: number;
  /** Default: the `fresh` price. */
  readonly cacheWrite?: number;
  readonly output: number;
  /** The day the prices were looked up, as YYYY-MM-DD. */
  readonly asOf?: string;
}

const COUNTS = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'estimatedCost',
] as const satisfies readonly (keyof Usage)[];

/** The sum of two usages; a field is absent only where both lack it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [key in keyof Usage]: number } = {};
  for (const count of COUNTS) {
    const left = a[count];
    const right = b[count];
    if (left !== undefined || right !== undefined) sum[count] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}

/** `usage` with `estimatedCost` filled in from `prices`, unless the provider named a cost or the counts are unknown. */
export function withCost(usage: Usage, prices: Prices | undefined): Usage {
  if (prices === undefined || usage.estimatedCost !== undefined) return usage;
  if (usage.promptTokens === undefined || usage.completionTokens === undefined) return usage;
  const cacheRead = Math.min(usage.cacheReadTokens ?? 0, usage.promptTokens);
  const cacheWrite = Math.min(usage.cacheWriteTokens ?? 0, usage.promptTokens - cacheRead);
  const fresh = usage.promptTokens - cacheRead - cacheWrite;
  const dollarsTimesMillion =
    fresh * prices.fresh +
    cacheRead * (prices.cacheRead ?? prices.fresh) +
    cacheWrite * (prices.cacheWrite ?? prices.fresh) +
    usage.completionTokens * prices.output;
  return { ...usage, estimatedCost: dollarsTimesMillion / 1e6 };
}
