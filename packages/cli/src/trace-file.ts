import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, fchmodSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import type { RunStep } from '@glassloop/core';
import { blackOut } from '@glassloop/core/adapter';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { fileProblem, messageOf, Problem } from './problem.ts';

/** A trace on disk, written step by step, so that it can be read when the process dies in the middle of one. */
export class TraceFile {
  readonly path: string;
  /** Whether an earlier trace of that name is gone. */
  readonly replaced: boolean;
  readonly #fd: number;
  readonly #secrets: readonly string[];
  #seq = 0;
  #failure: string | undefined;

  /**
   * Creates the file (mode 0600) and writes its first line. An earlier trace of that name is replaced; anything
   * else is left as it is, and a Problem says so.
   */
  constructor(path: string, facts: { readonly capturesRaw: boolean; readonly secrets: readonly string[] }) {
    this.path = path;
    this.#secrets = facts.secrets;
    try {
      this.#fd = openSync(path, 'a+', 0o600);
    } catch (error) {
      throw fileProblem('Cannot write the trace file', path, error);
    }
    const isRegular = fstatSync(this.#fd).isFile();
    this.replaced = isRegular && fstatSync(this.#fd).size > 0;
    if (this.replaced && !isTrace(this.#fd)) {
      closeSync(this.#fd);
      throw new Problem(
        2,
        'usage',
        `${path} exists and is not a trace; it is left as it is.`,
        'Name another file after --trace.',
      );
    }
    if (isRegular) {
      ftruncateSync(this.#fd);
      fchmodSync(this.#fd, 0o600);
    }
    this.#append(
      encodeTraceHeader({
        id: randomUUID(),
        startedAt: new Date().toISOString(),
        capturesRaw: facts.capturesRaw,
      }),
    );
  }

  /** Never throws: a run must not die of a full disk. */
  write(step: RunStep): void {
    this.#append(encodeStep(step, ++this.#seq));
  }

  /** Why the file is not complete; undefined when it is. Nothing is written after the first failure. */
  get failure(): string | undefined {
    return this.#failure;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #append(line: string): void {
    if (this.#failure !== undefined) return;
    try {
      appendFileSync(this.#fd, blackOut(line, this.#secrets));
    } catch (error) {
      this.#failure = `${this.path} is complete only to step ${Math.max(0, this.#seq - 1)}: ${messageOf(error)}`;
    }
  }
}

function isTrace(fd: number): boolean {
  const start = Buffer.alloc(200);
  const length = readSync(fd, start, 0, start.length, 0);
  return start.toString('utf8', 0, length).includes('"glassloop-trace"');
}
