import { resolve } from 'node:path';
import type { RunStep } from '@glassloop/core';
import type { TraceProblem } from '@glassloop/core/trace-file';
import { type FileStep, TraceFileReader } from '@glassloop/trace/file';
import type { Context } from './context.ts';
import { fileProblem, Problem } from './problem.ts';
import { counted, oneLine } from './render/text.ts';

/** A trace file, opened by a command: progress is shown while it is read, and what could not be read is told. */
export class OpenedTrace {
  readonly reader: TraceFileReader;
  readonly path: string;
  readonly #shown: string;
  readonly #context: Context;
  #steps = 0;

  constructor(file: string, context: Context) {
    this.#shown = oneLine(file, 200);
    this.path = resolve(context.cwd, file);
    this.reader = new TraceFileReader(this.path);
    this.#context = context;
  }

  /** The steps, in the memory of one. A Problem when there is no trace in the file. */
  async *steps(): AsyncGenerator<FileStep> {
    try {
      for await (const found of this.reader.steps({ onProgress: this.progress })) {
        this.#steps++;
        yield found;
      }
    } catch (error) {
      if ((error as { code?: unknown }).code === undefined) throw error;
      throw fileProblem('Cannot read', this.#shown, error);
    } finally {
      this.#context.output.activity(undefined);
    }
    if (this.#steps > 0 || this.reader.header !== undefined) return;
    const problems = this.reader.problems().slice(0, MOST_PROBLEMS).map(problemText);
    throw new Problem(1, 'file', `${this.#shown} is no trace of glassloop.`, ...problems);
  }

  /** All steps at once, for what needs them all. */
  async all(): Promise<readonly RunStep[]> {
    const steps: RunStep[] = [];
    for await (const { step } of this.steps()) steps.push(step);
    return steps;
  }

  /** Says on stderr what could not be read, with line numbers. */
  tellProblems(problems: readonly TraceProblem[] = this.reader.problems()): void {
    if (problems.length === 0) return;
    const { output } = this.#context;
    const more = problems.length - MOST_PROBLEMS;
    output.error([
      output.errorStyle.warn(`${this.#shown}: ${counted(problems.length, 'problem')}`),
      ...problems.slice(0, MOST_PROBLEMS).map((problem) => `  ${problemText(problem)}`),
      ...(more > 0 ? [`  … and ${counted(more, 'problem')} more`] : []),
    ]);
  }

  readonly progress = (read: number, size: number): void => {
    // A small file is read before anyone could read about it.
    if (size < SHOWN_FROM) return;
    const percent = Math.min(100, Math.floor((read / size) * 100));
    this.#context.output.activity(`reading ${this.#shown}, ${percent} %`);
  };
}

const MOST_PROBLEMS = 50;
const SHOWN_FROM = 5_000_000;

function problemText({ line, message }: TraceProblem): string {
  return `line ${line}: ${oneLine(message, 200)}`;
}
