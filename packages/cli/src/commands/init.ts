import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fileProblem, Problem } from '../problem.ts';
import { projectPackage } from '../project.ts';
import { oneLine } from '../render/text.ts';
import { STARTER_FILES } from '../starter-files.ts';

export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .summary('make a project: a configuration, a skill, a snippet and a tool')
    .description(
      'Writes a commented configuration, one skill, one snippet and one tool, ready to run against the demo model.\nFiles that are there already are left as they are.',
    )
    .argument('[folder]', 'where; it is made if it does not exist', '.')
    .action(async (folder: string) => {
      await init(folder, context);
    });
}

async function init(folder: string, { cwd, output }: Context): Promise<void> {
  const root = resolve(cwd, folder);
  const { acceptSkills, findConfigFile, loadProject, skillChanges } = await projectPackage();
  const present = await findConfigFile(root).catch(() => root);
  if (present !== undefined && (present === root || dirname(present) === root)) {
    throw new Problem(
      1,
      'file',
      `${oneLine(folder, 200)} is a project already.`,
      'Look it over with `glassloop check`.',
    );
  }
  const lines: string[] = [];
  for (const [file, text] of Object.entries(STARTER_FILES)) {
    const path = join(root, file);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      lines.push(`  ${output.style.good('made')}  ${file}`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw fileProblem('Cannot write', path, error);
      lines.push(`  ${output.style.warn('kept')}  ${file}, which was there`);
    }
  }
  const project = await loadProject({ cwd: root });
  const changes = await skillChanges(project, 'incident-triage');
  // Only our own text is accepted unseen.
  if (changes.every(({ after }) => after === STARTER_FILES['skills/incident-triage/SKILL.md']))
    await acceptSkills(project, changes);
  output.result([
    ...lines,
    '',
    'Try it; the demo model needs no key:',
    '',
    ...(root === cwd ? [] : [`  cd ${oneLine(folder, 200)}`]),
    '  glassloop run -c ops "What is the error rate of checkout?"',
    '  glassloop assemble -c ops "What is the error rate of checkout?"',
    '  glassloop check',
  ]);
}
