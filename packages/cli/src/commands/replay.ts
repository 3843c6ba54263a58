import { resolve } from 'node:path';
import type { RunStep } from '@glassloop/core';
import { type ReplayOptions, type ReplayOutcome, replay } from '@glassloop/trace';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Problem, usageProblem } from '../problem.ts';
import { StepPrinter } from '../render/step.ts';
import { counted, oneLine, printedJson, visible } from '../render/text.ts';
import { adapterMaker, askedRun } from '../replayed-run.ts';
import { TraceFile } from '../trace-file.ts';
import { OpenedTrace } from '../trace-reading.ts';
import { filled, wholeNumber } from './flags.ts';
import { addRunFlags, type RunFlags } from './run-flags.ts';

export interface ReplayFlags extends RunFlags {
  readonly liveTools?: true;
  readonly fromRound?: number;
  readonly throughAdapter?: true;
  readonly trace?: string;
  readonly verbose?: true;
  readonly json?: true;
}

export function addReplay(program: Command, context: Context, ended: (exitCode: number) => void): void {
  const command = program
    .command('replay')
    .summary('run the loop again from a saved run, with nothing sent')
    .description(
      'Runs the loop again from a trace: the recorded answers and tool results answer, nothing is sent and no tool runs. Stops at the first request that differs.\nWithout -c or --provider the run is taken from the trace, with what the flags change.\nExit code 0: the same run again; 1: it differs, or the trace ends before the run.',
    )
    .argument('<file>', 'a trace, written by --trace')
    .option('--live-tools', 'execute the tools')
    .option('--from-round <n>', 'from this round on ask the model and execute the tools', wholeNumber(1))
    .option(
      '--through-adapter',
      'let the adapter send and read again, with the recorded bodies as answers; needs a trace with raw bodies',
    )
    .option('--trace <file>', 'write the new trace to this file', filled)
    .option('--verbose', 'show every step with what was said')
    .option('--json', 'the outcome as one JSON document');
  addRunFlags(command).action(async (file: string, flags: ReplayFlags) => {
    ended(await replayTrace(file, flags, context));
  });
}

async function replayTrace(file: string, flags: ReplayFlags, context: Context): Promise<number> {
  const { output } = context;
  if (flags.throughAdapter && flags.fromRound !== undefined) {
    throw new Problem(
      2,
      'usage',
      '--through-adapter and --from-round exclude each other: nothing is live in one of them.',
    );
  }
  if (flags.json) output.accountTo('stderr');
  const opened = new OpenedTrace(file, context);
  const steps = await opened.all();
  opened.tellProblems();
  const asked = await askedRun(steps, flags, opened.path, context);
  let target: TraceFile | undefined;
  try {
    if (flags.trace !== undefined) {
      const path = resolve(context.cwd, flags.trace);
      if (path === opened.path)
        throw new Problem(
          2,
          'usage',
          `${oneLine(file, 200)} is the trace that is replayed; name another file after --trace.`,
        );
      target = new TraceFile(path, {
        capturesRaw: opened.reader.header?.capturesRaw === true,
        secrets: context.secrets,
      });
    }
    const printer = new StepPrinter({ style: output.style, detail: flags.verbose ? 'texts' : 'line' });
    const options: ReplayOptions = {
      ...(flags.liveTools ? { liveTools: true } : {}),
      ...(flags.fromRound === undefined ? {} : { fromRound: flags.fromRound }),
      ...(flags.throughAdapter ? { throughAdapter: await adapterMaker(steps, flags) } : {}),
      onRecord: (step) => {
        target?.write(step);
        output.account(printer.lines(step));
      },
    };
    const outcome = await replay(steps, asked.run, options);
    return report(outcome, steps, flags, context);
  } catch (error) {
    throw usageProblem(error);
  } finally {
    target?.close();
    await asked.close();
  }
}

function report(
  outcome: ReplayOutcome,
  recorded: readonly RunStep[],
  flags: ReplayFlags,
  { output }: Context,
): number {
  const { status, divergence, diff, error, result, steps } = outcome;
  const isGood = status === 'same' || (status === 'live' && result !== undefined);
  if (flags.json) {
    output.result([
      printedJson({
        status,
        ...(divergence === undefined ? {} : { divergence }),
        ...(diff === undefined || diff.same ? {} : { settings: diff.settings, steps: diff.steps }),
        ...(result === undefined ? {} : { stopReason: result.stopReason, content: result.content }),
        ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
        stepsReplayed: steps.length,
        stepsRecorded: recorded.length,
      }),
    ]);
    return isGood ? 0 : 1;
  }
  output.account(['']);
  switch (status) {
    case 'same':
      output.account([`the same run again: ${counted(steps.length, 'step')}, nothing sent`]);
      break;
    case 'live':
      output.account(result === undefined ? [] : [visible(result.content)]);
      if (error !== undefined) output.error([`glassloop: ${oneLine(error.message, 500)}`]);
      break;
    case 'incomplete':
      output.account([
        'The trace ends here or lacks a step, before the run ends; up to here it is the same.',
      ]);
      break;
    case 'diverged':
      output.account([
        output.style.warn(oneLine(divergence!.sentence, 600)),
        ...('old' in divergence! ? [`  - ${oneLine(printedJson(divergence.old, 0), 400)}`] : []),
        ...('new' in divergence! ? [`  + ${oneLine(printedJson(divergence.new, 0), 400)}`] : []),
      ]);
      break;
    case 'different':
      output.account([
        output.style.warn('All requests are the same, but the trace is not:'),
        ...[...diff!.settings, ...diff!.steps.flatMap(({ differences }) => differences)].map(
          (one) =>
            `  ${oneLine(one.path)}: ${oneLine(printedJson(one.old ?? null, 0), 150)} → ${oneLine(printedJson(one.new ?? null, 0), 150)}`,
        ),
      ]);
  }
  return isGood ? 0 : 1;
}
