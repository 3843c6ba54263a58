/** Lines of a trace that are not shown as steps. */

import type { TraceProblem } from '@glassloop/core/trace-file';

/** A line as it was written; `message` says what is wrong with it. */
export interface UnreadLine extends TraceProblem {
  /** The first 2,000 characters; of a raw line, 20,000. */
  readonly text: string;
  /** Of a trace of a newer version: nothing is wrong with it, it is only not read. */
  readonly isRaw?: true;
  /** How many steps came before it. */
  readonly after: number;
}

export const MOST_UNREAD = 1000;
export const MOST_RAW_CHARACTERS = 20_000;

export function unreadLine(problem: TraceProblem, text: string, after: number): UnreadLine {
  return { ...problem, text: text.slice(0, 2000), after };
}

/** A line of a newer version; undefined for a blank one. */
export function rawLine(line: number, text: string): UnreadLine | undefined {
  if (text.trim() === '') return undefined;
  return { line, message: '', text: text.slice(0, MOST_RAW_CHARACTERS), after: 0, isRaw: true };
}
