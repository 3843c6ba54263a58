import { dirname, join, relative } from 'node:path';
import type { Project, ProjectProblem } from '@glassloop/project';
import type { Context } from './context.ts';
import { Problem } from './problem.ts';
import { oneLine } from './render/text.ts';

/** The project package, loaded when a command needs it: the schema validator and the loader take a while. */
export const projectPackage = (): Promise<typeof import('@glassloop/project')> =>
  import('@glassloop/project');

/** The project of the current folder. A Problem lists what is wrong with its file. */
export async function openProject({ cwd }: Context): Promise<Project> {
  const { loadProject } = await projectPackage();
  return inProject(cwd, () => loadProject({ cwd }));
}

/** What `use` resolves to; a ProjectError becomes a Problem with a line for each fault. */
export async function inProject<T>(cwd: string, use: () => Promise<T>): Promise<T> {
  const { ProjectError, findConfigFile } = await projectPackage();
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    const file = await findConfigFile(cwd).catch(() => undefined);
    if (file === undefined && error.problems.length === 1) {
      const [only] = error.problems;
      throw new Problem(1, 'project', only!.message, only!.whatToDo);
    }
    const root = file === undefined ? cwd : dirname(file);
    throw new Problem(
      1,
      'project',
      'The project cannot be used as it is.',
      ...problemLines(error.problems, root, cwd),
    );
  }
}

/** `file:line: what is wrong`, and what to do about it. The file is relative to the current folder. */
export function problemLines(problems: readonly ProjectProblem[], root: string, cwd: string): string[] {
  return problems.flatMap(({ file, line, message, whatToDo }) => [
    `${oneLine(relative(cwd, join(root, file)), 200)}${line === undefined ? '' : `:${line}`}: ${oneLine(message, 400)}`,
    `  ${oneLine(whatToDo, 400)}`,
  ]);
}
