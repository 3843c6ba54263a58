import type { SkillChange } from '@glassloop/project';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { openProject, projectPackage } from '../project.ts';
import { difference, shortened } from '../render/difference.ts';
import type { Style } from '../render/style.ts';
import { counted, oneLine, printedJson, visible } from '../render/text.ts';

export function addSkills(program: Command, context: Context, ended: (exitCode: number) => void): void {
  const skills = program
    .command('skills')
    .summary('list the skills of the project, or accept changed ones')
    .description(
      'Lists the skills of the project: accepted, changed since, or new. Only accepted ones are used.',
    )
    .option('--json', 'as one JSON document')
    .action(async (flags: { readonly json?: true }) => {
      await list(flags, context);
    });
  skills
    .command('accept')
    .summary('show what has changed and use it from now on')
    .description(
      'Shows how skills differ from what was accepted, and puts their present text into glassloop.lock.json.',
    )
    .argument('[name]', 'one skill; without it all that are new, changed or gone')
    .action(async (name: string | undefined) => {
      ended(await accept(name, context));
    });
}

async function list(flags: { readonly json?: true }, context: Context): Promise<void> {
  const { readSkills } = await projectPackage();
  const { skills } = await readSkills(await openProject(context));
  const { output } = context;
  const { style } = output;
  if (flags.json) {
    output.result([
      printedJson(
        skills.map(({ id, file, state, description, problems, skill }) => ({
          id,
          file,
          state,
          description,
          allowedTools: skill?.allowedTools,
          problems,
        })),
      ),
    ]);
    return;
  }
  const mood = { accepted: style.good, changed: style.warn, new: style.warn, unusable: style.bad };
  output.result(
    skills.length === 0
      ? ['There are no skills.']
      : skills.map(({ id, state, description, file, problems }) => {
          const about = problems[0]?.message ?? description ?? '';
          return `${style.strong(oneLine(id).padEnd(24))} ${mood[state](state.padEnd(9))} ${oneLine(about, 100)} ${style.faint(oneLine(file, 200))}`;
        }),
  );
}

async function accept(name: string | undefined, context: Context): Promise<number> {
  const { output } = context;
  const { acceptSkills, readSkills, skillChanges, LOCK_FILE } = await projectPackage();
  const project = await openProject(context);
  const { skills } = await readSkills(project);
  const changes = await skillChanges(project, name);
  const unusable = skills.filter(
    ({ state, id }) => state === 'unusable' && (name === undefined || id === name),
  );
  for (const { file, problems } of unusable) {
    const { line, message, whatToDo } = problems[0]!;
    output.error([
      `glassloop: ${oneLine(file, 200)}${line === undefined ? '' : `:${line}`}: ${oneLine(message, 300)} ${oneLine(whatToDo, 300)}`,
    ]);
  }
  if (
    name !== undefined &&
    changes.length === 0 &&
    unusable.length === 0 &&
    !skills.some(({ id }) => id === name)
  ) {
    const known = skills.map(({ id }) => id).join(', ') || 'none';
    throw new Problem(2, 'usage', `There is no skill ${JSON.stringify(name)}.`, `There are: ${known}.`);
  }
  if (changes.length === 0) {
    output.result([unusable.length > 0 ? 'Nothing was accepted.' : 'Nothing has changed.']);
    return unusable.length > 0 ? 1 : 0;
  }
  output.result(changes.flatMap((change) => changeLines(change, output.style)));
  // Exactly what was shown, whatever has happened to the files since.
  await acceptSkills(project, changes);
  output.result([
    `${counted(changes.length, 'skill')} accepted: ${changes.map(({ id }) => oneLine(id)).join(', ')} (${LOCK_FILE})`,
  ]);
  return unusable.length > 0 ? 1 : 0;
}

function changeLines({ id, kind, file, before, after }: SkillChange, style: Style): string[] {
  const paint = { '-': style.bad, '+': style.good, ' ': (text: string) => text };
  return [
    `${style.strong(oneLine(id))} is ${kind} · ${oneLine(file, 200)}`,
    ...shortened(difference(before, after)).map((line) =>
      line === undefined ? style.faint('  …') : paint[line.mark](`  ${line.mark} ${visible(line.text)}`),
    ),
    '',
  ];
}
