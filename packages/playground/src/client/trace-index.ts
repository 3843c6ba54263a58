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
  const indexer = new TraceIndexer();
  const reader = file.stream().getReader();
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (done) break;
    indexer.push(value);
    if (indexer.steps >= PART_STEPS) onPart(indexer.take());
  }
  if (!signal.aborted) indexer.end();
  onPart(indexer.take());
}

/** Takes the bytes of a file as they come, cut anywhere. */
export class TraceIndexer {
  readonly #lines = new TraceReader();
  readonly #decoder = new TextDecoder();
  /** Pieces of the line that has no end yet. */
  #open: Uint8Array[] = [];
  #part = emptyPart();
  /** Where the open line begins, and how many bytes there were so far. */
  #start = 0;
  #read = 0;
  #count = 0;
  #knownProblems = 0;
  #unread = 0;
  #line = 0;

  /** Since the last part. */
  get steps(): number {
    return this.#part.steps.length;
  }

  push(bytes: Uint8Array): void {
    let from = 0;
    for (let to = bytes.indexOf(NEW_LINE); to >= 0; to = bytes.indexOf(NEW_LINE, from)) {
      this.#open.push(bytes.subarray(from, to));
      this.#readLine(this.#read + to, false);
      from = to + 1;
    }
    if (from < bytes.length) this.#open.push(bytes.subarray(from));
    this.#read += bytes.length;
  }

  /** No more will come: what has no line break behind it was cut off. */
  end(): void {
    if (this.#open.length > 0) this.#readLine(this.#read, true);
  }

  /** What there is to tell since the last time. */
  take(): IndexedPart {
    const { header } = this.#lines;
    const part = {
      ...this.#part,
      read: this.#read,
      ...(header === undefined ? {} : { header: header as unknown as RunLine }),
    };
    this.#part = emptyPart();
    return part;
  }

  #readLine(end: number, isCut: boolean): void {
    this.#line++;
    const text = this.#decoder.decode(joined(this.#open));
    const step = this.#isNewer ? undefined : this.#lines.read(text, isCut);
    if (this.#isNewer) this.#addUnread(rawLine(this.#line, text));
    else if (step !== undefined) this.#addStep(step, text, end);
    else this.#takeProblems(text, isCut);
    this.#open = [];
    this.#start = end + 1;
  }

  #addStep(step: Parameters<typeof summarize>[0], text: string, end: number): void {
    try {
      this.#part.steps.push(summarize(step, this.#count));
      this.#part.places.push([this.#start, end]);
      this.#count++;
    } catch {
      const message = 'A step with fields of a wrong type; left out.';
      this.#addUnread(unreadLine({ line: this.#line, message }, text, this.#count));
    }
  }

  #takeProblems(text: string, isCut: boolean): void {
    if (this.#unread >= MOST_UNREAD) return;
    const problems = this.#lines
      .end()
      .filter(({ message }) => !/^The (first line is no|trace has no end)/.test(message));
    for (const problem of problems.slice(this.#knownProblems)) {
      this.#addUnread(unreadLine(problem, text, this.#count));
      if (isCut) this.#part.endsMidLine = true;
    }
    this.#knownProblems = problems.length;
  }

  #addUnread(line: UnreadLine | undefined): void {
    if (line === undefined) return;
    if (this.#unread++ < MOST_UNREAD) this.#part.unread.push(line);
    else this.#part.unreadBeyond++;
  }

  get #isNewer(): boolean {
    return (this.#lines.header?.version ?? 0) > TRACE_VERSION;
  }
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
