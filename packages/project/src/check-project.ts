import { merged } from './check-references.ts';
import { insideProject } from './files.ts';
import type { Project } from './load-project.ts';
import { loadProject } from './load-project.ts';
import type { ConfigPath } from './locate.ts';
import { didYouMean, ProjectError, type ProjectProblem, problem, UnusableFile } from './problem.ts';
import { LOCK_FILE } from './skill-lock.ts';
import { readSkills } from './skills.ts';
import { hasTag, readPromptFile, readSnippets } from './snippets.ts';
import { loadTools } from './tools.ts';

export interface CheckOptions {
  /** Default: the current folder. */
  readonly cwd?: string;
  /** Names of adapters there are. Default: any name is taken for one. */
  readonly adapters?: readonly string[];
  /** Names of tools that a configuration may name beside the project's own. */
  readonly builtInTools?: readonly string[];
}

export interface ProjectCheck {
  /** Absent when the configuration file cannot be used; then `problems` says why. */
  readonly project?: Project;
  /** In the order of files and lines. */
  readonly problems: readonly ProjectProblem[];
}

/** Everything that is wrong with the files of a project. Runs its configuration file and tool modules; contacts nobody. */
export async function checkProject(options: CheckOptions = {}): Promise<ProjectCheck> {
  let project: Project;
  try {
    project = await loadProject(options.cwd === undefined ? {} : { cwd: options.cwd });
  } catch (error) {
    if (error instanceof ProjectError) return { problems: sorted(error.problems) };
    throw error;
  }
  const skills = await readSkills(project);
  const snippets = await readSnippets(project);
  const tools = await loadTools(project);
  const problems = [
    ...skills.problems,
    ...snippets.problems,
    ...tools.problems,
    ...snippets.snippets.flatMap((one) => one.problems),
  ];
  for (const { id, file, state, problems: own } of skills.skills) {
    problems.push(...own);
    const accept = `Look at it and run \`glassloop skills accept ${id}\`.`;
    if (state === 'new')
      problems.push(
        problem(file, undefined, `Skill "${id}" was never accepted, so runs leave it out.`, accept),
      );
    if (state === 'changed')
      problems.push(
        problem(file, undefined, `Skill "${id}" is not as it was accepted, so runs leave it out.`, accept),
      );
  }
  for (const id of skills.lock.keys()) {
    if (skills.skills.some((one) => one.id === id)) continue;
    problems.push(
      problem(
        LOCK_FILE,
        undefined,
        `It holds the skill "${id}", which is gone.`,
        `Run \`glassloop skills accept ${id}\` to take it out.`,
      ),
    );
  }
  const { config, file, locate } = project;
  const known = {
    skill: skills.skills.map(({ id }) => id),
    tool: [...tools.tools.map(({ tool }) => tool.name), ...(options.builtInTools ?? [])],
  };
  const report = (path: ConfigPath, message: string, whatToDo: string): void => {
    problems.push(problem(file, locate(path), message, whatToDo));
  };
  const unknown = (path: ConfigPath, kind: keyof typeof known, name: string): void => {
    if (known[kind].includes(name)) return;
    report(
      path,
      `There is no ${kind} "${name}".`,
      `${didYouMean(name, known[kind]).trim()} There are: ${known[kind].join(', ') || 'none'}.`.trim(),
    );
  };
  for (const [name, own] of Object.entries(config.configurations)) {
    const at = (key: string, index: number): ConfigPath => ['configurations', name, key, index];
    for (const [index, id] of own.skills?.entries() ?? []) unknown(at('skills', index), 'skill', id);
    // With every module in order only; else a tool may be missing because its module failed.
    if (tools.problems.length === 0) {
      for (const [index, id] of own.tools?.entries() ?? []) unknown(at('tools', index), 'tool', id);
    }
    for (const [index, tag] of own.tags?.entries() ?? []) {
      if (snippets.snippets.some((one) => hasTag(one, tag))) continue;
      report(
        at('tags', index),
        `No snippet has the tag "${tag}".`,
        'Add it to a snippet, or remove it here.',
      );
    }
    if (typeof own.systemPrompt === 'object') {
      const prompt = own.systemPrompt.file;
      problems.push(...(await faultOf(prompt, () => readPromptFile(project, prompt))));
    }
    const { toolChoice } = merged(config, name).options ?? {};
    if (
      typeof toolChoice === 'object' &&
      own.options !== undefined &&
      tools.problems.length === 0 &&
      (merged(config, name).mcp ?? []).length === 0
    ) {
      unknown(['configurations', name, 'options', 'toolChoice'], 'tool', toolChoice.tool);
    }
    const { provider, model } = merged(config, name);
    const entry = config.providers[provider!];
    if (model === undefined && entry?.model === undefined && (entry?.adapter ?? provider) !== 'demo') {
      report(
        ['configurations', name],
        `Configuration "${name}" has no model.`,
        'Add model to it or to its provider.',
      );
    }
  }
  for (const [name, { adapter = name }] of Object.entries(config.providers)) {
    if (options.adapters === undefined || options.adapters.includes(adapter)) continue;
    report(
      ['providers', name],
      `There is no adapter "${adapter}".`,
      `${didYouMean(adapter, options.adapters).trim()} There are: ${options.adapters.join(', ')}.`.trim(),
    );
  }
  for (const id of Object.keys(config.skillTrust ?? {})) unknown(['skillTrust', id], 'skill', id);
  for (const [name, { cwd }] of Object.entries(config.mcpServers ?? {})) {
    if (cwd === undefined) continue;
    const faults = await faultOf(file, async () => {
      if ((await insideProject(project.root, cwd)) === undefined)
        throw new UnusableFile(`There is no folder "${cwd}".`, 'Correct cwd.');
    });
    problems.push(...faults.map((fault) => ({ ...fault, line: locate(['mcpServers', name, 'cwd']) ?? 1 })));
  }
  return { project, problems: sorted(problems) };
}

async function faultOf(file: string, use: () => Promise<unknown>): Promise<readonly ProjectProblem[]> {
  try {
    await use();
    return [];
  } catch (error) {
    if (error instanceof UnusableFile) return [error.in(file)];
    throw error;
  }
}

function sorted(problems: readonly ProjectProblem[]): readonly ProjectProblem[] {
  return [...problems].sort((a, b) =>
    a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : a.file < b.file ? -1 : 1,
  );
}
