/** The named things in a result, and how much each has of something. */

export interface Entry {
  readonly name: string;
  readonly amount: number | undefined;
  readonly unit: string;
}

/** The named things in a result: a list of objects anywhere in it, or lines that end in a number. */
export function entriesIn(result: unknown): readonly Entry[] {
  if (typeof result === 'string') return result.split('\n').flatMap(lineEntry);
  if (Array.isArray(result)) return result.flatMap(objectEntry);
  if (typeof result !== 'object' || result === null) return [];
  for (const value of Object.values(result)) {
    if (Array.isArray(value) && value.length > 0) return value.flatMap(objectEntry);
  }
  return [];
}

/** The entry with the most (1) or the least (-1); undefined when none has an amount. */
export function extreme(entries: readonly Entry[], direction: -1 | 1): Entry | undefined {
  let best: Entry | undefined;
  for (const entry of entries) {
    if (entry.amount === undefined) continue;
    if (best?.amount === undefined || (entry.amount - best.amount) * direction > 0) best = entry;
  }
  return best;
}

function objectEntry(value: unknown): Entry[] {
  if (typeof value === 'string') return [{ name: value, amount: undefined, unit: '' }];
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries(value);
  const name = fields.find(
    ([key, field]) => typeof field === 'string' && /name|path|title|id|file/i.test(key),
  )?.[1];
  const measured = fields.find(([, field]) => typeof field === 'number');
  if (typeof name !== 'string') return [];
  const unit = measured === undefined ? '' : /^(size|bytes)$/i.test(measured[0]) ? 'bytes' : measured[0];
  return [{ name, amount: measured?.[1], unit }];
}

function lineEntry(line: string): Entry[] {
  const parts = /^\s*(?:[-*]\s+)?(\S.*?)[\s:,|(]+([\d][\d,]*(?:\.\d+)?)\s*([a-zA-Z]*)\)?\s*$/.exec(line);
  if (parts === null) return [];
  return [{ name: parts[1]!, amount: Number(parts[2]!.replaceAll(',', '')), unit: parts[3] || 'bytes' }];
}
