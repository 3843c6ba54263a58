import type { Message, Range, RunStep } from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { type FileStep, LineLoader } from '@glassloop/trace/file';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { messageLines, SHORT, WHOLE } from '../render/message.ts';
import { StepPrinter } from '../render/step.ts';
import type { Style } from '../render/style.ts';
import { counted, oneLine, printedJson } from '../render/text.ts';
import { curlCommand, wireLines, wireOf } from '../render/wire.ts';
import { OpenedTrace } from '../trace-reading.ts';
import { wholeNumber } from './flags.ts';

interface InspectFlags {
  readonly round?: number;
  readonly raw?: true;
  readonly full?: true;
  readonly wire?: true;
  readonly curl?: true;
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
    .option('--wire', 'the requests as they were sent, where they were captured')
    .option('--curl', 'the same as commands for a shell, with $KEY in place of the key')
    .option('--json', 'header, steps and problems as one JSON document')
    .action(async (file: string, flags: InspectFlags) => {
      ended(await inspect(file, flags, context));
    });
}

async function inspect(file: string, flags: InspectFlags, context: Context): Promise<number> {
  if (flags.json && (flags.wire || flags.curl)) {
    throw new Problem(2, 'usage', '--json shows everything; it goes with neither --wire nor --curl.');
  }
  const opened = new OpenedTrace(file, context);
  const { style } = context.output;
  // What is said while a long file is read is not part of what was asked for.
  context.output.accountTo('stderr');
  const shown = flags.json
    ? await showJson(opened, flags, context)
    : flags.wire || flags.curl
      ? await showWire(opened, flags, context)
      : await showSteps(opened, file, flags, style, context);
  if (!flags.json) opened.tellProblems();
  if (shown > 0) return 0;
  if (flags.round !== undefined) throw new Problem(1, 'file', `${file} has no round ${flags.round}.`);
  if (flags.wire || flags.curl) {
    throw new Problem(
      1,
      'file',
      `${file} holds no request as it was sent: record with --capture-raw to have them.`,
    );
  }
  return 0;
}

/** Each of these returns how much it has shown. */
async function showSteps(
  opened: OpenedTrace,
  file: string,
  flags: InspectFlags,
  style: Style,
  { output }: Context,
): Promise<number> {
  const printer = new StepPrinter({ style, detail: flags.full ? 'whole' : 'texts', raw: flags.raw === true });
  const sent = flags.round === undefined ? undefined : new SentMessages(opened.path);
  let steps = 0;
  let shown = 0;
  try {
    for await (const found of opened.steps()) {
      const { step } = found;
      if (steps++ === 0) output.result(headerLines(opened.reader.header, file, style));
      sent?.add(found);
      if (flags.round !== undefined && (step.round !== flags.round || step.kind === 'end')) {
        printer.skip(step);
        continue;
      }
      shown++;
      try {
        if (step.kind === 'assembled') output.result(settingsLines(step, style));
        const lines = printer.lines(step);
        output.result(step.kind === 'end' ? ['', ...lines] : lines);
        if (sent !== undefined && step.kind === 'request') {
          output.result(['           as it was sent:']);
          for (const lines of sent.lines(step.sent, flags.full === true, style)) {
            output.result(lines);
            await output.drained();
          }
        }
      } catch {
        // Only an edited file has such a step; the rest of it may be fine.
        output.result([
          style.warn(`step ${steps} (${step.kind}) cannot be shown: a part of it is missing or wrong`),
        ]);
      }
      await output.drained();
    }
  } finally {
    sent?.close();
  }
  if (steps === 0) output.result([...headerLines(opened.reader.header, file, style), '(no steps)']);
  return shown;
}

/** One document, written piece by piece. */
async function showJson(opened: OpenedTrace, { round }: InspectFlags, { output }: Context): Promise<number> {
  const inside = (value: unknown): string => printedJson(value).replaceAll('\n', '\n    ');
  let shown = 0;
  let isBegun = false;
  const begin = (): string => {
    const text = isBegun
      ? ''
      : `{\n  "header": ${printedJson(opened.reader.header ?? null).replaceAll('\n', '\n  ')},\n  "steps": [`;
    isBegun = true;
    return text;
  };
  for await (const { step } of opened.steps()) {
    if (round !== undefined && step.round !== round) continue;
    await output.document(`${begin()}${shown++ === 0 ? '' : ','}\n    ${inside(step)}`);
  }
  const problems = printedJson(opened.reader.problems()).replaceAll('\n', '\n  ');
  await output.document(`${begin()}${shown === 0 ? '' : '\n  '}],\n  "problems": ${problems}\n}\n`);
  return shown;
}

async function showWire(
  opened: OpenedTrace,
  { round, curl }: InspectFlags,
  { output }: Context,
): Promise<number> {
  let adapter: string | undefined;
  let shown = 0;
  for await (const { step } of opened.steps()) {
    if (step.kind === 'assembled') adapter = step.settings.adapter;
    const wire = wireOf(step);
    if (wire === undefined || (round !== undefined && step.round !== round)) continue;
    // Redacted in the trace too; a secret of the prompt itself is not, and a command is made to be passed on.
    const separator = shown++ === 0 ? [] : [''];
    if (curl) output.result([...separator, `# round ${step.round}`, curlCommand(wire, adapter)]);
    else output.result([...separator, `round ${step.round}`, ...wireLines(wire)]);
    await output.drained();
  }
  return shown;
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

/** Where the messages of the run so far are, to show those that a round sent. They stay in the file. */
class SentMessages {
  readonly #path: string;
  readonly #places: { readonly offset: number; readonly length: number; readonly first: number }[] = [];
  #count = 0;
  #lines: LineLoader | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  add({ step, offset, length }: FileStep): void {
    if ((step.kind !== 'assembled' && step.kind !== 'request') || step.added.length === 0) return;
    this.#places.push({ offset, length, first: this.#count });
    this.#count += step.added.length;
  }

  /** The lines of one message after another. */
  *lines(sent: readonly Range[], full: boolean, style: Style): Generator<string[]> {
    for (const [start, end] of sent) {
      for (let at = Math.max(0, start); at < Math.min(end, this.#count); at++) {
        const message = this.#message(at);
        if (message !== undefined) yield messageLines(message, at, [], full ? WHOLE : SHORT, style);
      }
    }
  }

  #message(at: number): Message | undefined {
    const place = this.#places.findLast(({ first }) => first <= at);
    if (place === undefined) return undefined;
    this.#lines ??= new LineLoader(this.#path);
    const step = this.#lines.step(place);
    return step.kind === 'assembled' || step.kind === 'request' ? step.added[at - place.first] : undefined;
  }

  close(): void {
    this.#lines?.close();
  }
}
