/** The same work on the page itself, for pages that are one file and may load nothing. */

import { type CompareAnswer, type CompareQuestion, compareTraces } from './compare-traces.ts';
import { type IndexedPart, indexTrace } from './trace-index.ts';

export function startIndexing(
  file: Blob,
  signal: AbortSignal,
  onPart: (part: IndexedPart) => void,
): Promise<void> {
  return indexTrace(file, signal, onPart);
}

export async function compare(question: CompareQuestion): Promise<CompareAnswer> {
  return compareTraces(question);
}
