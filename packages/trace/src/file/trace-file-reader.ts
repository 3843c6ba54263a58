import { closeSync, openSync, readSync } from 'node:fs';
import type { RunStep } from '@glassloop/core';
import { type TraceHeader, type TraceProblem, TraceReader } from '@glassloop/core/trace-file';
import { Column } from '../diff/column.ts';
import type { DiffOptions } from '../diff/comparable.ts';
import { type TraceIndex, TraceIndexer, withSteps } from '../diff/trace-index.ts';
import { readLines } from './read-lines.ts';

/** A step and where its line is. */
export interface FileStep {
  readonly step: RunStep;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
}

export interface ReadOptions {
  readonly onProgress?: (read: number, size: number) => void;
}

/** A trace file of any size, opened as far as it goes. */
export class TraceFileReader {
  readonly #path: string;
  readonly #reader = new TraceReader();
  readonly #tooLong: TraceProblem[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** Known once the first line was read. */
  get header(): TraceHeader | undefined {
    return this.#reader.header;
  }

  /** One after another, in the memory of one. Rejects when the file cannot be read at all. */
  async *steps({ onProgress }: ReadOptions = {}): AsyncGenerator<FileStep> {
    let line = 0;
    for await (const { text, isCut, isTooLong, offset, length } of readLines(this.#path, onProgress)) {
      line++;
      if (isTooLong) {
        const message = `This line is ${Math.round(length / 1e6)} MB long, more than is read of one step; left out.`;
        this.#tooLong.push({ line, message });
      }
      const step = this.#reader.read(text, isCut);
      if (step !== undefined) yield { step, offset, length };
    }
  }

  /** What could not be read, with line numbers; complete once all steps were read. */
  problems(): readonly TraceProblem[] {
    return [...this.#reader.end(), ...this.#tooLong].sort((a, b) => a.line - b.line);
  }
}

/** An index of a trace file, for `diffTraces`: the steps stay in the file. To be closed. */
export interface FileTraceIndex extends TraceIndex {
  readonly header: TraceHeader | undefined;
  readonly problems: readonly TraceProblem[];
  close(): void;
}

/** Reads a trace file once and keeps of each step only what comparing needs. The options must be those of the comparison. */
export async function indexTraceFile(
  path: string,
  options: DiffOptions & ReadOptions = {},
): Promise<FileTraceIndex> {
  const reader = new TraceFileReader(path);
  const indexer = new TraceIndexer(options);
  const offsets = new Column(Float64Array);
  const lengths = new Column(Int32Array);
  for await (const { step, offset, length } of reader.steps(options)) {
    indexer.add(step);
    offsets.push(offset);
    lengths.push(length);
  }
  const lines = new LineLoader(path);
  return {
    ...withSteps(indexer, (index) => lines.step({ offset: offsets.at(index), length: lengths.at(index) })),
    header: reader.header,
    problems: reader.problems(),
    close: () => lines.close(),
  };
}

/** Reads single steps again, by their place. */
export class LineLoader {
  readonly #fd: number;
  #last: { readonly offset: number; readonly step: RunStep } | undefined;

  constructor(path: string) {
    this.#fd = openSync(path, 'r');
  }

  step({ offset, length }: { readonly offset: number; readonly length: number }): RunStep {
    if (this.#last?.offset === offset) return this.#last.step;
    const buffer = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = readSync(this.#fd, buffer, read, length - read, offset + read);
      if (count === 0) break;
      read += count;
    }
    const { step } = JSON.parse(buffer.toString('utf8', 0, read)) as { step: RunStep };
    this.#last = { offset, step };
    return step;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
