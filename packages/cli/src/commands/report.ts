import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Redaction } from '@glassloop/playground';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { fileProblem, messageOf, Problem } from '../problem.ts';
import { oneLine } from '../render/text.ts';
import { filled } from './flags.ts';

interface ReportFlags {
  readonly out?: string;
  readonly redact: Redaction;
}

export function addReport(program: Command, context: Context, version: string): void {
  program
    .command('report')
    .summary('make one HTML file out of a trace')
    .description(
      'Writes one HTML file that shows a trace in any browser, without a server and without a network:\nits own rules keep it from loading or sending anything.',
    )
    .argument('<trace>', 'the trace file', filled)
    .option('-o, --out <file>', 'where to write it (default: the name of the trace, with .html)', filled)
    .addOption(
      new Option('--redact <level>', 'secrets: keys and the like; content: all texts too; none: as recorded')
        .choices(['secrets', 'content', 'none'])
        .default('secrets'),
    )
    .action((file: string, flags: ReportFlags) => report(file, flags, context, version));
}

async function report(name: string, flags: ReportFlags, context: Context, version: string): Promise<void> {
  const { cwd, output, secrets } = context;
  const path = resolve(cwd, name);
  const target = resolve(cwd, flags.out ?? `${basename(name).replace(/\.ndjson$/, '')}.html`);
  const trace = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileProblem('Cannot read', name, error);
  });
  const { reportOfTrace } = await import('@glassloop/playground');
  let html: string;
  try {
    html = reportOfTrace(trace, { redact: flags.redact, name: basename(name), version, secrets });
  } catch (error) {
    const { facts } = error as { facts?: { readonly hint?: string } };
    if (facts === undefined) throw error;
    throw new Problem(1, 'report', messageOf(error), ...(facts.hint === undefined ? [] : [facts.hint]));
  }
  await writeFile(target, html, { mode: 0o600 }).catch((error: unknown) => {
    throw fileProblem('Cannot write', flags.out ?? target, error);
  });
  output.result([`report   ${oneLine(flags.out ?? basename(target), 200)}`]);
}
