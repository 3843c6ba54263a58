/** The index of a big trace file: where each step is, and what the list shows of it. Runs in a worker where there is one. */

import { TRACE_VERSION, TraceReader } from '@glassloop/core/trace-file';
import type { RunLine } from '../protocol.ts';
import { type StepSummary, summarize } from './trace/step-summary.ts';
import { MOST_UNREAD, rawLine, type UnreadLine, unreadLine } from './trace/unread.ts';

export interface IndexedPart {
  readonly header?: RunLine;
  readonly steps: readonly StepSummary[];
  /** Bytes of the line of each step, [start, end). */
  readonly places: readonly (readonly [start: number, end: number])[];
  readonly unread: readonly UnreadLine[];
  /** Lines that could not be read and are too many to be shown. */
  readonly unreadBeyond: number;
  readonly endsMidLine: boolean;
  /** Bytes so far. */
  readonly read: number;
}

const NEW_LINE = 10;
const PART_STEPS = 2000;

/** Reads the file once, from front to end, and hands over its index in parts. */
export async function indexTrace(
  file: Blob,
  signal: AbortSignal,
  onPart: (part: IndexedPart) => void,
): Promise<void> {
  const lines = new TraceReader();
  const decoder = new TextDecoder();
  let open: Uint8Array[] = [];
  let [start, at, count, known, unreadCount, lineNumber] = [0, 0, 0, 0, 0, 0];
  let part = emptyPart();
  const addUnread = (line: UnreadLine | undefined) => {
    if (line === undefined) return;
    if (unreadCount++ < MOST_UNREAD) part.unread.push(line);
    else part.unreadBeyond++;
  };
  const readLine = (bytes: Uint8Array, end: number, isCut: boolean) => {
    lineNumber++;
    const text = decoder.decode(bytes);
    const isKnown = (lines.header?.version ?? 0) <= TRACE_VERSION;
    const step = isKnown ? lines.read(text, isCut) : undefined;
    if ((lines.header?.version ?? 0) > TRACE_VERSION) {
      addUnread(rawLine(lineNumber, text));
    } else if (step !== undefined) {
      try {
        part.steps.push(summarize(step, count));
        part.places.push([start, end]);
        count++;
      } catch {
        const message = 'A step with fields of a wrong type; left out.';
        addUnread(unreadLine({ line: lineNumber, message }, text, count));
      }
    } else if (unreadCount < MOST_UNREAD) {
      const problems = lines
        .end()
        .filter(({ message }) => !/^The (first line is no|trace has no end)/.test(message));
      for (const problem of problems.slice(known)) {
        addUnread(unreadLine(problem, text, count));
        if (isCut) part.endsMidLine = true;
      }
      known = problems.length;
    }
    start = end + 1;
  };
  const send = () => {
    onPart({
      ...part,
      read: at,
      ...(lines.header === undefined ? {} : { header: lines.header as unknown as RunLine }),
    });
    part = emptyPart();
  };
  const reader = file.stream().getReader();
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (done) break;
    let from = 0;
    for (let to = value.indexOf(NEW_LINE); to >= 0; to = value.indexOf(NEW_LINE, from)) {
      open.push(value.subarray(from, to));
      readLine(joined(open), at + to, false);
      open = [];
      from = to + 1;
    }
    if (from < value.length) open.push(value.subarray(from));
    at += value.length;
    if (part.steps.length >= PART_STEPS) send();
  }
  const rest = joined(open);
  if (rest.length > 0 && !signal.aborted) readLine(rest, at, true);
  send();
}

function emptyPart() {
  return {
    steps: [] as StepSummary[],
    places: [] as (readonly [number, number])[],
    unread: [] as UnreadLine[],
    unreadBeyond: 0,
    endsMidLine: false,
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
