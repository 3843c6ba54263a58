/** A trace as a file: one JSON object per line, readable up to the last line that was written. See docs/trace-format.md. */

import { isPlainObject, shown } from './check.ts';
import { resultText } from './result-text.ts';
import type { RunStep } from './run-step.ts';

export const TRACE_VERSION = 1;

/** The first line of a trace file. */
export interface TraceHeader {
  readonly format: 'glassloop-trace';
  readonly version: number;
  /** Of the run; any text that tells it from others. */
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly capturesRaw: boolean;
  /** What was asked for, in the words of the program that wrote the file, without secrets. */
  readonly request?: { readonly [field: string]: unknown };
}

/** The first line, with its line break. */
export function encodeTraceHeader(header: Omit<TraceHeader, 'format' | 'version'>): string {
  return line({ type: 'run', seq: 0, format: 'glassloop-trace', version: TRACE_VERSION, ...header });
}

/** The line of one step, with its line break. `seq` counts the steps of the file from 1. */
export function encodeStep(step: RunStep, seq: number): string {
  return line({ type: 'step', seq, step });
}

function line(value: object): string {
  try {
    return `${JSON.stringify(value)}\n`;
  } catch {
    // A value that JSON refuses (a cycle, a big integer) can only come from outside; it is written as readable text.
    return `${resultText(value)}\n`;
  }
}

/** Something in a file that could not be read, and where. Lines count from 1. */
export interface TraceProblem {
  readonly line: number;
  readonly message: string;
}

export interface DecodedTrace {
  /** undefined when the file has none that can be read. */
  readonly header: TraceHeader | undefined;
  readonly steps: readonly RunStep[];
  readonly problems: readonly TraceProblem[];
}

/** A whole trace file, opened as far as it goes. Never throws: what cannot be read is in `problems`. */
export function decodeTrace(text: string): DecodedTrace {
  const reader = new TraceReader();
  const steps: RunStep[] = [];
  const lines = text.split('\n');
  for (const [index, content] of lines.entries()) {
    const step = reader.read(content, index === lines.length - 1);
    if (step !== undefined) steps.push(step);
  }
  return { header: reader.header, steps, problems: reader.end() };
}

const KINDS: { readonly [kind in RunStep['kind']]: true } = {
  assembled: true,
  request: true,
  response: true,
  tool: true,
  error: true,
  end: true,
};

/** A file that is no trace at all must not fill the memory with complaints. */
const MOST_PROBLEMS = 1000;

/** Reads a trace line by line, so that a file of any size needs only the memory of one. */
export class TraceReader {
  header: TraceHeader | undefined;
  readonly #problems: TraceProblem[] = [];
  #line = 0;
  #lastSeq = 0;
  #hasEnded = false;
  /** Problems beyond those that are kept. */
  #further = 0;

  /** The step of the next line; undefined when the line holds none. `isCut`: the line has no line break behind it. */
  read(text: string, isCut = false): RunStep | undefined {
    this.#line++;
    const content = (this.#line === 1 ? text.replace(/^\uFEFF/, '') : text).trim();
    if (content === '') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch {
      return this.#problem(isCut ? 'The file ends in the middle of a step.' : 'This line is no JSON.');
    }
    if (!isPlainObject(value)) return this.#problem('This line is no JSON object.');
    if (value['type'] === 'run') return this.#readHeader(value);
    if (value['type'] !== 'step')
      return this.#problem(`Unknown line type ${shown(value['type'])}; left out.`);
    this.#checkSeq(value['seq']);
    const { step } = value;
    if (
      !isPlainObject(step) ||
      !Object.hasOwn(KINDS, String(step['kind'])) ||
      typeof step['round'] !== 'number'
    ) {
      const kind = isPlainObject(step) ? step['kind'] : step;
      return this.#problem(`Unknown step kind ${shown(kind)}; left out.`);
    }
    const missing = missingFields(step);
    if (missing !== undefined) return this.#problem(`A ${step['kind']} step without "${missing}"; left out.`);
    if (step['kind'] === 'end') this.#hasEnded = true;
    return step as unknown as RunStep;
  }

  /** All problems, those of the whole file included. */
  end(): readonly TraceProblem[] {
    const problems = [...this.#problems];
    if (this.#further > 0) {
      problems.push({ line: this.#line, message: `${this.#further} more lines could not be read.` });
    }
    if (this.header === undefined)
      problems.unshift({ line: 1, message: 'The first line is no trace header.' });
    if (!this.#hasEnded)
      problems.push({
        line: this.#line,
        message: 'The trace has no end step: the run was interrupted, or is still going on.',
      });
    return problems;
  }

  #readHeader(value: Record<string, unknown>): undefined {
    if (value['format'] !== 'glassloop-trace' || typeof value['version'] !== 'number') {
      return this.#problem('This is no header of a glassloop trace.');
    }
    if (this.header !== undefined)
      return this.#problem('A second header; the lines behind it belong to another run.');
    const { type: _, seq: __, ...header } = value;
    this.header = header as unknown as TraceHeader;
    if (value['version'] > TRACE_VERSION) {
      this.#problem(
        `Written in version ${value['version']}; this reader knows version ${TRACE_VERSION} and shows what it understands.`,
      );
    }
    return undefined;
  }

  #checkSeq(seq: unknown): void {
    if (typeof seq !== 'number') return;
    if (seq !== this.#lastSeq + 1)
      this.#problem(`Step ${seq} follows step ${this.#lastSeq}: lines are missing or out of order.`);
    this.#lastSeq = seq;
  }

  #problem(message: string): undefined {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ line: this.#line, message });
    else this.#further++;
    return undefined;
  }
}

/** Fields without which a step cannot be shown, by kind. */
const FIELDS: { readonly [kind in RunStep['kind']]: readonly string[] } = {
  assembled: ['settings', 'added', 'sources', 'dropped', 'tools'],
  request: ['added', 'sent', 'toolsOffered'],
  response: ['message', 'finishReason', 'usage', 'durationMs'],
  tool: ['call', 'result', 'durationMs'],
  error: ['code', 'message'],
  end: ['stopReason', 'rounds', 'usage'],
};

function missingFields(step: Record<string, unknown>): string | undefined {
  return FIELDS[step['kind'] as RunStep['kind']].find((field) => step[field] === undefined);
}
