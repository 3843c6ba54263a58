import { RunTrace, runLoop } from '@glassloop/core';
import type { Command } from 'commander';
import { assemblyDocument } from '../assembly-document.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';
import { usageProblem } from '../problem.ts';
import { assemblyLines } from '../render/assembly.ts';
import { printedJson } from '../render/text.ts';
import { headline, promptFrom } from './run.ts';
import { addRunFlags, type RunFlags } from './run-flags.ts';

interface Flags extends RunFlags {
  readonly json?: true;
  readonly full?: true;
}

export function addAssemble(program: Command, context: Context): void {
  const command = program
    .command('assemble')
    .summary('show what a run would send, part by part; nothing is sent')
    .description(
      'Puts a prompt together as a run would, and shows every part with its source, bytes and token estimate, the tools\nas they go out, and what was left out and why. Nothing is sent, no key is needed. MCP servers are started and asked\nfor their tools.',
    )
    .argument('<prompt>', 'what to ask; - reads it from standard input');
  addRunFlags(command)
    .option('--json', 'as one JSON document')
    .option('--full', 'long texts in full')
    .action(async (prompt: string, flags: Flags) => {
      await assemble(prompt, flags, context);
    });
}

async function assemble(promptArgument: string, flags: Flags, context: Context): Promise<void> {
  const { output } = context;
  const prompt = await promptFrom(promptArgument, context);
  const prepared = await prepare(flags, { root: context.cwd }, true, context);
  try {
    const { run, adapter } = prepared;
    const trace = new RunTrace();
    const augmentation = { ...run.augmentation, dryRun: true };
    await runLoop(
      { ...run, adapter, messages: [{ role: 'user', content: prompt }], augmentation },
      trace,
    ).catch((error) => {
      throw usageProblem(error);
    });
    const step = trace.steps.find((one) => one.kind === 'assembled')!;
    const document = assemblyDocument(step, prepared);
    output.result(
      flags.json
        ? [printedJson(document)]
        : [
            headline('assemble', prepared, output.style.strong),
            '',
            ...assemblyLines(document, flags.full === true, output.style),
          ],
    );
  } finally {
    await prepared.close();
  }
}
