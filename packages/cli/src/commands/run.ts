import { resolve } from 'node:path';
import type { Adapter, Message, ToolOptions } from '@glassloop/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Outcome, perform } from '../perform.ts';
import { type Prepared, prepare } from '../prepare.ts';
import { Problem } from '../problem.ts';
import { plainStyle } from '../render/style.ts';
import { oneLine, printedJson, visible } from '../render/text.ts';
import { resultDocument } from '../result-document.ts';
import { TraceFile } from '../trace-file.ts';
import { filled } from './flags.ts';
import { addRunFlags, type RunFlags } from './run-flags.ts';

interface Flags extends RunFlags {
  readonly trace?: string;
  readonly captureRaw?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly stream?: boolean;
}

export function addRun(program: Command, context: Context, ended: (exitCode: number) => void): void {
  const command = program
    .command('run')
    .summary('send a prompt and let the model use tools until it answers')
    .description(
      'Sends a prompt to a model, runs the tools it asks for, and shows every step until it answers.\nWith -c, or without --provider, all that is not said by flags comes from the configuration of the project.\nThe key is read from the variable of the provider; see `glassloop providers`.',
    )
    .argument('<prompt>', 'what to ask; - reads it from standard input');
  addRunFlags(command)
    .option('--trace <file>', 'write every step to this file as it is recorded', filled)
    .option('--capture-raw', "ask for the provider's decoded bodies too")
    .option('--dry-run', 'show what would be sent and from where; nothing is sent, no key is needed')
    .option('--json', 'the result as one JSON document on stdout, the steps on stderr')
    .option('--quiet', 'the answer on stdout and nothing else')
    .option('--verbose', 'show messages, thinking, arguments and results with each step')
    .option('--stream', 'receive answers in pieces')
    .option('--no-stream', 'receive answers whole (default)')
    .action(async (prompt: string, flags: Flags) => {
      ended(await run(prompt, flags, context));
    });
}

async function run(promptArgument: string, flags: Flags, context: Context): Promise<number> {
  const { output } = context;
  if (flags.json && flags.quiet) {
    throw new Problem(2, 'usage', '--json and --quiet exclude each other: both say what goes to stdout.');
  }
  if (flags.json) output.accountTo('stderr');
  if (flags.quiet) output.accountTo('nowhere');
  const tracePath = flags.trace === undefined ? undefined : resolve(context.cwd, flags.trace);
  const prompt = await promptFrom(promptArgument, context);

  let file: TraceFile | undefined;
  let prepared: Prepared | undefined;
  try {
    prepared = await prepare(flags, { root: context.cwd, except: tracePath }, flags.dryRun === true, context);
    const { adapter, run } = prepared;
    if (tracePath !== undefined) {
      file = new TraceFile(tracePath, {
        capturesRaw: flags.captureRaw === true,
        secrets: context.secrets,
      });
    }
    if (file?.replaced)
      output.account([output.style.faint(`${flags.trace} held an earlier trace; it is replaced.`)]);
    output.account([headline('run', prepared, output.style.strong), '']);
    const outcome = await perform(
      {
        run: {
          ...run,
          adapter,
          messages: [{ role: 'user', content: prompt }],
          ...(flags.dryRun ? { augmentation: { ...run.augmentation, dryRun: true } } : {}),
        },
        view: {
          style: output.style,
          detail: flags.verbose || flags.dryRun ? 'texts' : 'line',
          // With a trace file the bodies go there; without one this is the only place for them.
          raw: flags.captureRaw === true && file === undefined,
        },
        captureRaw: flags.captureRaw === true,
        stream: flags.stream === true,
        file,
      },
      context,
    );
    return report(outcome, { flags, adapter, options: run.options!, file }, context);
  } catch (error) {
    if (!flags.json || !(error instanceof Problem) || error.exitCode !== 1) throw error;
    output.result([printedJson({ ok: false, stopReason: 'failed', error: problemDocument(error) })]);
    throw error;
  } finally {
    file?.close();
    await prepared?.close();
  }
}

/** The prompt of an argument; `-` is what comes on standard input. */
export async function promptFrom(argument: string, context: Context): Promise<string> {
  const prompt = argument === '-' ? await context.readInput() : argument;
  if (prompt.trim() === '') throw new Problem(2, 'usage', 'The prompt is empty.');
  return prompt;
}

interface Done {
  readonly flags: Flags;
  readonly adapter: Adapter;
  readonly options: ToolOptions;
  readonly file: TraceFile | undefined;
}

/** Prints answer and summary; returns the exit code. */
function report(outcome: Outcome, { flags, adapter, options, file }: Done, { output }: Context): number {
  const { result, failure } = outcome;
  const request = flags.dryRun ? requestBody(adapter, outcome, options) : undefined;
  if (flags.json) {
    output.result([
      printedJson({
        ...resultDocument(outcome, adapter),
        ...(request === undefined ? {} : { request }),
        ...(file === undefined ? {} : { trace: file.path }),
      }),
    ]);
  } else if (flags.quiet) {
    output.result(result.content === '' ? [] : [visible(result.content)]);
  } else {
    if (request !== undefined) output.account(['', 'request body', ...printedJson(request).split('\n')]);
    if (result.content !== '') output.account(['', visible(result.content)]);
    output.account(['', ...outcome.endLines]);
    if (file !== undefined && file.failure === undefined) {
      const name = oneLine(flags.trace ?? file.path, 200);
      output.account([`trace    ${name} (to look into it: glassloop inspect ${name})`]);
    }
  }
  if (file?.failure !== undefined) output.error([`glassloop: ${file.failure}`]);
  if (failure !== undefined && !output.accountIsSeen) {
    output.error([
      `glassloop: ${oneLine(failure.message, 500)}`,
      ...(failure.hint === undefined ? [] : [`  ${oneLine(failure.hint, 500)}`]),
    ]);
  }
  if (failure === undefined && flags.dryRun) return 0;
  return failure === undefined && result.content !== '' ? 0 : 1;
}

/** Command, configuration, model and tools, on one line. */
export function headline(
  command: string,
  { adapter, run, resolved }: Prepared,
  strong = plainStyle.strong,
): string {
  const { allowedTools } = run;
  const names = run.tools.map((tool) => tool.name).filter((name) => allowedTools?.includes(name) ?? true);
  return [
    strong(`glassloop ${command}`),
    ...(resolved === undefined ? [] : [oneLine(resolved.configuration)]),
    `${oneLine(adapter.name)} ${oneLine(adapter.model)}`,
    names.length === 0 ? 'no tools' : `tools ${names.join(', ')}`,
  ].join(' · ');
}

/** The body that the first round would send, from the adapter itself; undefined where it cannot say. */
function requestBody(adapter: Adapter, outcome: Outcome, options: ToolOptions): unknown {
  const assembled = outcome.steps.find((step) => step.kind === 'assembled');
  if (assembled?.kind !== 'assembled') return undefined;
  const messages: readonly Message[] = outcome.result.messages;
  try {
    return adapter.preview?.({ messages, tools: assembled.tools, options: options.toCallOptions() }).body;
  } catch {
    // Why it cannot be sent is among the warnings of the assembled step.
    return undefined;
  }
}

function problemDocument(problem: Problem): unknown {
  return {
    code: problem.code,
    message: problem.message,
    ...(problem.advice.length === 0 ? {} : { hint: problem.advice.join(' ') }),
  };
}
