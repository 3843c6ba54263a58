import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Message, Range, RunStep } from '@glassloop/core';
import { type TraceHeader, type TraceProblem, TraceReader } from '@glassloop/core/trace-file';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fileProblem, Problem } from '../problem.ts';
import { messageLines, SHORT, WHOLE } from '../render/message.ts';
import { StepPrinter } from '../render/step.ts';
import type { Style } from '../render/style.ts';
import { counted, oneLine, printedJson } from '../render/text.ts';
import { wholeNumber } from './flags.ts';

interface InspectFlags {
  readonly round?: number;
  readonly raw?: true;
  readonly full?: true;
  readonly json?: true;
}

export function addInspect(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('inspect')
    .summary('show the steps of a saved run')
    .description(
      'Shows a trace file: settings, sources, every round with its messages, calls, timing, tokens and cost.',
    )
    .argument('<file>', 'a trace, written by --trace')
    .option('--round <n>', 'only this round, with all messages as they were sent', wholeNumber(1))
    .option('--raw', "with the provider's decoded bodies, where they were captured")
    .option('--full', 'long texts in full')
    .option('--json', 'header, steps and problems as one JSON document')
    .action(async (file: string, flags: InspectFlags) => {
      ended(await inspect(file, flags, context));
    });
}

async function inspect(file: string, flags: InspectFlags, { output, cwd }: Context): Promise<number> {
  const path = resolve(cwd, file);
  const reader = new TraceReader();
  const { style } = output;
  const printer = new StepPrinter({
    style,
    detail: flags.full ? 'whole' : 'texts',
    raw: flags.raw === true,
  });
  const kept: RunStep[] = [];
  const sent = new SentMessages();
  let steps = 0;
  let shownSteps = 0;
  let isHeaderShown = false;
  for await (const { text, isCut } of linesOf(path, file)) {
    const step = reader.read(text, isCut);
    if (step === undefined) continue;
    steps++;
    const isAsked = flags.round === undefined || step.round === flags.round;
    if (flags.json) {
      if (!isAsked) continue;
      kept.push(step);
      shownSteps++;
      continue;
    }
    if (!isHeaderShown) output.result(headerLines(reader.header, file, style));
    isHeaderShown = true;
    if (!isAsked || (flags.round !== undefined && step.kind === 'end')) {
      printer.skip(step);
      sent.add(step);
      continue;
    }
    shownSteps++;
    try {
      sent.add(step);
      if (step.kind === 'assembled') output.result(settingsLines(step, style));
      const lines = printer.lines(step);
      output.result(step.kind === 'end' ? ['', ...lines] : lines);
      if (flags.round !== undefined && step.kind === 'request') {
        output.result(sent.lines(step.sent, flags.full === true, style));
      }
    } catch {
      // Only an edited file has such a step; the rest of it may be fine.
      output.result([
        style.warn(`step ${steps} (${step.kind}) cannot be shown: a part of it is missing or wrong`),
      ]);
    }
  }
  const problems = reader.end();
  if (reader.header === undefined && steps === 0) {
    throw new Problem(1, 'file', `${file} is no trace of glassloop.`, ...problems.map(problemText));
  }
  if (flags.json) {
    output.result([printedJson({ header: reader.header ?? null, steps: kept, problems })]);
  } else {
    if (!isHeaderShown) output.result([...headerLines(reader.header, file, style), '(no steps)']);
    if (problems.length > 0) {
      output.error([
        output.errorStyle.warn(`${file}: ${counted(problems.length, 'problem')}`),
        ...problems.map((problem) => `  ${problemText(problem)}`),
      ]);
    }
  }
  if (flags.round !== undefined && shownSteps === 0) {
    throw new Problem(1, 'file', `${file} has no round ${flags.round}.`);
  }
  return 0;
}

function problemText({ line, message }: TraceProblem): string {
  return `line ${line}: ${oneLine(message, 200)}`;
}

function headerLines(header: TraceHeader | undefined, file: string, style: Style): string[] {
  if (header === undefined) return [`${style.strong(oneLine(file, 200))} ${style.warn('without a header')}`];
  const raw = header.capturesRaw === true ? 'with raw bodies' : 'without raw bodies';
  return [
    `${style.strong(oneLine(file, 200))} · run ${oneLine(String(header.id))} · started ${oneLine(String(header.startedAt))} · ${raw} · format version ${header.version}`,
  ];
}

function settingsLines(step: Extract<RunStep, { kind: 'assembled' }>, style: Style): string[] {
  const { adapter, model, maxRounds, options } = step.settings;
  const set = Object.entries(options ?? {}).map(
    ([name, value]) => `${oneLine(name)} ${oneLine(JSON.stringify(value))}`,
  );
  return [
    `${style.strong('settings')}   ${[`${oneLine(String(adapter))} ${oneLine(String(model))}`, `at most ${counted(Number(maxRounds), 'round')} with tools`, ...set].join(' · ')}`,
  ];
}

/** All messages of the run so far, to show those that a round sent. */
class SentMessages {
  readonly #added: Message[] = [];

  add(step: RunStep): void {
    if (step.kind === 'assembled' || step.kind === 'request') this.#added.push(...step.added);
  }

  lines(sent: readonly Range[], full: boolean, style: Style): string[] {
    const indexes = sent.flatMap(([start, end]) => [...this.#added.keys()].slice(start, end));
    return [
      '           as it was sent:',
      ...indexes.flatMap((at) => messageLines(this.#added[at]!, at, [], full ? WHOLE : SHORT, style)),
    ];
  }
}

/** The lines of a file, one after another, so that its size does not matter. `isCut`: no line break behind it. */
async function* linesOf(path: string, shown: string): AsyncGenerator<{ text: string; isCut: boolean }> {
  let begun: string[] = [];
  try {
    for await (const piece of createReadStream(path, { encoding: 'utf8' })) {
      begun.push(piece);
      if (!piece.includes('\n')) continue;
      const lines = begun.join('').split('\n');
      begun = [lines.pop()!];
      for (const text of lines) yield { text, isCut: false };
    }
  } catch (error) {
    throw fileProblem('Cannot read', shown, error);
  }
  const rest = begun.join('');
  if (rest !== '') yield { text: rest, isCut: true };
}
