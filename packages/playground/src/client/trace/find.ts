/** Looks for a text in all bodies of a trace, step by step, so that the page stays quick. */

import type { TraceStore } from './trace-store.ts';

export interface Found {
  readonly index: number;
  /** How often the step holds it. */
  readonly count: number;
}

const PAUSE_EVERY_MS = 12;

/** Steps whose texts hold `query`, in order. Letter case does not matter. */
export async function findInTrace(
  store: TraceStore,
  query: string,
  onFound: (found: readonly Found[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const needle = query.toLowerCase();
  const found: Found[] = [];
  let since = performance.now();
  for (let index = 0; index < store.steps.length && !signal.aborted; index++) {
    const body = store.bodies.get(index);
    const count = countIn(body instanceof Promise ? await body : body, needle);
    if (count > 0) found.push({ index, count });
    if (performance.now() - since > PAUSE_EVERY_MS) {
      onFound([...found]);
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
  }
  if (!signal.aborted) onFound(found);
}

/** In every text of a value, names of fields included. */
function countIn(value: unknown, needle: string): number {
  if (typeof value === 'string') return occurrences(value.toLowerCase(), needle);
  if (typeof value === 'number') return String(value).includes(needle) ? 1 : 0;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  if (Array.isArray(value)) for (const item of value) sum += countIn(item, needle);
  else {
    for (const [key, item] of Object.entries(value)) {
      if (key.toLowerCase().includes(needle)) sum++;
      sum += countIn(item, needle);
    }
  }
  return sum;
}

function occurrences(text: string, needle: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}
