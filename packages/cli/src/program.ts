import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAssemble } from './commands/assemble.ts';
import { addCheck } from './commands/check.ts';
import { addDemo } from './commands/demo.ts';
import { addDiff } from './commands/diff.ts';
import { addExport } from './commands/export.ts';
import { addInit } from './commands/init.ts';
import { addInspect } from './commands/inspect.ts';
import { addLists } from './commands/lists.ts';
import { addPlayground } from './commands/playground.ts';
import { addProviders } from './commands/providers.ts';
import { addReplay } from './commands/replay.ts';
import { addReport } from './commands/report.ts';
import { addRun } from './commands/run.ts';
import { addSkills } from './commands/skills.ts';
import type { Context } from './context.ts';
import { Problem } from './problem.ts';
import { visible } from './render/text.ts';

const AFTER_HELP = `
Exit codes:
  0  there is an answer, or what was asked for was shown
  1  the run failed, was aborted or ended without an answer; a file could not be read
  2  wrong usage; nothing was sent

Start with \`glassloop demo\`: it needs no key.`;

/** Parses the arguments, runs the command, returns the exit code. */
export async function runProgram(argv: readonly string[], context: Context): Promise<number> {
  const { output } = context;
  let exitCode = 0;
  const ended = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('glassloop')
    .description('A bounded tool-calling loop for language models that can be looked into.')
    .version(version(), '-V, --version')
    .configureOutput({
      writeOut: (text) => output.result([text.trimEnd()]),
      // Arguments are quoted in it, so it is foreign text.
      writeErr: (text) => output.error([visible(text.trimEnd())]),
    })
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride();
  addRun(program, context, ended);
  addDemo(program, context, ended);
  addInspect(program, context, ended);
  addReplay(program, context, ended);
  addDiff(program, context, ended);
  addExport(program, context, ended);
  addProviders(program, context);
  addInit(program, context);
  addAssemble(program, context);
  addCheck(program, context, ended);
  addSkills(program, context, ended);
  addLists(program, context, ended);
  addPlayground(program, context, version());
  addReport(program, context, version());
  program.addHelpText('after', AFTER_HELP);
  for (const command of program.commands) {
    command.copyInheritedSettings(program).addHelpText('after', AFTER_HELP.split('\n\nStart')[0]!);
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    output.activity(undefined);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof Problem) {
      output.error([
        `glassloop: ${visible(error.message)}`,
        ...error.advice.map((line) => `  ${visible(line)}`),
      ]);
      return error.exitCode;
    }
    // A fault of this program, so it says where.
    output.error([
      `glassloop: ${visible(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
    ]);
    return 1;
  }
}

function version(): string {
  return (
    JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version;
}
