import type { Usage } from '../usage.ts';

/** A token count as a provider sent it: whole and ≥ 0, or absent. */
export function count(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.max(0, Math.round(value));
}

/** The sum of what is there; undefined when nothing is. */
export function sumOf(...values: readonly (number | undefined)[]): number | undefined {
  let sum: number | undefined;
  for (const value of values) if (value !== undefined) sum = (sum ?? 0) + value;
  return sum;
}

/** A Usage from counts that may be absent. No `totalTokens` given: prompt + completion, where both are known. */
export function usageOf(counts: { readonly [name in keyof Usage]?: number | undefined }): Usage {
  const usage: { -readonly [name in keyof Usage]: number } = {};
  // Not Object.entries: this runs for every answer.
  for (const name in counts) {
    const value = counts[name as keyof Usage];
    if (value !== undefined) usage[name as keyof Usage] = value;
  }
  if (
    usage.totalTokens === undefined &&
    usage.promptTokens !== undefined &&
    usage.completionTokens !== undefined
  ) {
    usage.totalTokens = usage.promptTokens + usage.completionTokens;
  }
  return usage;
}
