import { type Difference, type DiffOptions, type StepDifference, traceDifferences } from '@glassloop/trace';
import { type FileTraceIndex, indexTraceFile } from '@glassloop/trace/file';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fileProblem, Problem } from '../problem.ts';
import type { Style } from '../render/style.ts';
import { counted, oneLine, printedJson } from '../render/text.ts';
import { OpenedTrace } from '../trace-reading.ts';

interface DiffFlags {
  readonly ids?: true;
  readonly times?: true;
  readonly opaque?: true;
  readonly raw: boolean;
  readonly json?: true;
}

export function addDiff(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('diff')
    .summary('compare two saved runs, step by step')
    .description(
      'Compares two traces: what was asked, then the steps, the first difference first. Clock times, ids and signatures do not count.\nExit code 0: the same; 1: different; 2: one of them cannot be read.',
    )
    .argument('<old>', 'a trace, written by --trace')
    .argument('<new>', 'another')
    .option('--ids', 'ids count too')
    .option('--times', 'clock times and durations count too')
    .option('--opaque', 'signatures and opaque provider state count too')
    .option('--no-raw', 'captured bodies and requests as sent do not count')
    .option('--json', 'the differences as one JSON document')
    .action(async (old: string, fresh: string, flags: DiffFlags) => {
      ended(await diff(old, fresh, flags, context));
    });
}

async function diff(old: string, fresh: string, flags: DiffFlags, context: Context): Promise<number> {
  const { output } = context;
  const { style } = output;
  // stdout is for the differences alone.
  output.accountTo('stderr');
  const options: DiffOptions = {
    ids: flags.ids === true,
    times: flags.times === true,
    opaque: flags.opaque === true,
    raw: flags.raw,
  };
  const a = await indexed(old, options, context);
  try {
    const b = await indexed(fresh, options, context);
    try {
      const found = traceDifferences(a, b, options);
      return flags.json ? await writeJson(found, context) : await writeText(found, style, context);
    } finally {
      b.close();
    }
  } finally {
    a.close();
  }
}

async function indexed(file: string, options: DiffOptions, context: Context): Promise<FileTraceIndex> {
  const opened = new OpenedTrace(file, context);
  try {
    const index = await indexTraceFile(opened.path, { ...options, onProgress: opened.progress });
    context.output.activity(undefined);
    if (index.header === undefined && index.length === 0) {
      index.close();
      throw new Problem(2, 'file', `${oneLine(file, 200)} is no trace of glassloop.`);
    }
    opened.tellProblems(index.problems);
    return index;
  } catch (error) {
    context.output.activity(undefined);
    if (error instanceof Problem || (error as { code?: unknown }).code === undefined) throw error;
    throw new Problem(2, 'file', fileProblem('Cannot read', oneLine(file, 200), error).message);
  }
}

type Found = ReturnType<typeof traceDifferences>;

async function writeJson(found: Found, { output }: Context): Promise<number> {
  let settings: readonly Difference[] = [];
  let steps = 0;
  let isBegun = false;
  const begin = (): string => {
    const text = isBegun ? '' : `{"settings":${printedJson(settings, 0)},"steps":[`;
    isBegun = true;
    return text;
  };
  for (const difference of found) {
    if ('settings' in difference) settings = difference.settings;
    else await output.document(`${begin()}${steps++ === 0 ? '' : ','}\n${printedJson(difference, 0)}`);
  }
  const same = steps === 0 && settings.length === 0;
  await output.document(`${begin()}\n],"same":${same}}\n`);
  return same ? 0 : 1;
}

async function writeText(found: Found, style: Style, { output }: Context): Promise<number> {
  let count = 0;
  for (const difference of found) {
    if ('settings' in difference) {
      output.result([style.strong('settings'), ...difference.settings.flatMap((one) => lines(one, style))]);
      count += difference.settings.length;
    } else {
      output.result([
        style.strong(heading(difference)),
        ...difference.differences.flatMap((one) => lines(one, style)),
      ]);
      count += Math.max(1, difference.differences.length);
    }
    await output.drained();
  }
  output.result([count === 0 ? 'the same, but for what does not count' : counted(count, 'difference')]);
  return count === 0 ? 0 : 1;
}

function heading({ change, kind, round, tool, step }: StepDifference): string {
  const name = tool === undefined ? '' : ` ${oneLine(tool)}`;
  const said = step?.kind === 'tool' ? ` ${oneLine(step.call.argumentsJson, 60)}` : '';
  const only =
    change === 'removed' ? ' only in the old trace' : change === 'added' ? ' only in the new trace' : '';
  return `${round === 0 ? '' : `round ${round} · `}${kind}${name}${said}${only}`;
}

function lines(difference: Difference, style: Style): string[] {
  const shown = (value: unknown): string =>
    oneLine(typeof value === 'string' ? JSON.stringify(value) : printedJson(value, 0), 200);
  const { path } = difference;
  const texts =
    typeof difference.old === 'string' && typeof difference.new === 'string'
      ? around(difference.old, difference.new)
      : undefined;
  return [
    `  ${oneLine(path, 200)}`,
    ...('old' in difference ? [style.bad(`    - ${texts?.[0] ?? shown(difference.old)}`)] : []),
    ...('new' in difference ? [style.good(`    + ${texts?.[1] ?? shown(difference.new)}`)] : []),
  ];
}

const AROUND = 60;

/** Two long texts from shortly before the first character that differs. */
function around(old: string, fresh: string): [string, string] | undefined {
  if (old.length < 180 && fresh.length < 180) return undefined;
  let at = 0;
  while (at < old.length && at < fresh.length && old[at] === fresh[at]) at++;
  const start = Math.max(0, at - AROUND);
  const piece = (text: string): string =>
    `${start === 0 ? '' : '…'}${oneLine(JSON.stringify(text.slice(start, start + 200).toWellFormed()), 190)} (from character ${start} of ${text.length})`;
  return [piece(old), piece(fresh)];
}
