import { dirname } from 'node:path';
import type { Command } from 'commander';
import { ADAPTERS } from '../adapters.ts';
import type { Context } from '../context.ts';
import { DEMO } from '../make-adapter.ts';
import { Problem } from '../problem.ts';
import { problemLines, projectPackage } from '../project.ts';
import { counted, printedJson } from '../render/text.ts';
import { BUILT_IN_NAMES } from '../tools/index.ts';

export function addCheck(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('check')
    .summary("list everything that is wrong with the project's files")
    .description(
      'Reads the configuration, skills, snippets and tools of the project and lists everything that is wrong, with file,\nline and what to do. Runs the configuration file and the tool modules; contacts nobody. Exit code 1 if there is something.',
    )
    .option('--json', 'as one JSON document')
    .action(async (flags: { readonly json?: true }) => {
      ended(await check(flags, context));
    });
}

async function check(flags: { readonly json?: true }, { cwd, output }: Context): Promise<number> {
  const { checkProject, findConfigFile } = await projectPackage();
  const file = await findConfigFile(cwd).catch(() => cwd);
  if (file === undefined) {
    throw new Problem(
      1,
      'project',
      'There is no project in this folder or above it.',
      'Make one with `glassloop init`.',
    );
  }
  const adapters = [...ADAPTERS.map(({ name }) => name), DEMO];
  const { problems, project } = await checkProject({ cwd, adapters, builtInTools: BUILT_IN_NAMES });
  if (flags.json) output.result([printedJson({ ok: problems.length === 0, problems })]);
  else if (problems.length === 0) {
    const names = Object.keys(project?.config.configurations ?? {});
    output.result([
      output.style.good('Nothing is wrong.'),
      `${counted(names.length, 'configuration')}: ${names.join(', ')}`,
    ]);
  } else {
    output.result([
      ...problemLines(problems, project?.root ?? dirname(file), cwd),
      '',
      output.style.bad(counted(problems.length, 'problem')),
    ]);
  }
  return problems.length === 0 ? 0 : 1;
}
