import { access, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { findCycle, referenceProblems } from './check-references.ts';
import { shapeProblems, shownKeys } from './check-shape.ts';
import type { ProjectConfig } from './config.ts';
import { readText, shownPath } from './files.ts';
import { keyProblems } from './find-keys.ts';
import { moduleLoader } from './load-module.ts';
import { type Locate, lineAt, locateInJson, locateInProgram } from './locate.ts';
import { ProjectError, type ProjectProblem, problem, UnusableFile } from './problem.ts';

/** A project whose configuration file is in order. Skills, snippets and tools are read when they are used. */
export interface Project {
  /** The project folder, absolute. */
  readonly root: string;
  /** Name of the configuration file in it. */
  readonly file: string;
  readonly config: ProjectConfig;
  /** Where something stands in the configuration file. */
  readonly locate: Locate;
}

const CONFIG_FILES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `glassloop.config.${ending}`);

const NO_PROJECT = 'glassloop.config.ts';

/** The configuration file of the current folder, or of the nearest folder above; undefined when there is none. */
export async function findConfigFile(cwd: string): Promise<string | undefined> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found: string[] = [];
    for (const name of CONFIG_FILES) {
      if (
        await access(join(folder, name)).then(
          () => true,
          () => false,
        )
      )
        found.push(name);
    }
    if (found.length > 1) {
      throw new ProjectError([
        problem(
          found[1]!,
          undefined,
          `There are ${found.length} configuration files: ${found.join(', ')}.`,
          'Keep one of them.',
        ),
      ]);
    }
    if (found.length === 1) return join(folder, found[0]!);
    if (dirname(folder) === folder) return undefined;
  }
}

/** Loads the project of `cwd` (default: the current folder). Rejects with ProjectError, which lists everything that is wrong with the file. */
export async function loadProject({ cwd = process.cwd() }: { readonly cwd?: string } = {}): Promise<Project> {
  const path = await findConfigFile(cwd);
  if (path === undefined) {
    throw new ProjectError([
      problem(
        NO_PROJECT,
        undefined,
        'There is no glassloop.config file in this folder or above it.',
        'Make one with `glassloop init`.',
      ),
    ]);
  }
  const root = await realpath(dirname(path));
  const file = shownPath(dirname(path), path);
  try {
    if (dirname(path) !== resolve(cwd)) await refuseOfOthers(path);
    const text = await readText(path);
    const isJson = file.endsWith('.json');
    const locate = isJson ? locateInJson(text) : locateInProgram(text);
    const config: unknown = isJson ? parsedJson(text) : await moduleLoader(root)(await realpath(path));
    const problems = configProblems(config, file, locate);
    if (problems.length > 0) throw new ProjectError(problems);
    return { root, file, config: config as ProjectConfig, locate };
  } catch (error) {
    throw error instanceof UnusableFile ? new ProjectError([error.in(file)]) : error;
  }
}

function configProblems(config: unknown, file: string, locate: Locate): readonly ProjectProblem[] {
  const cycle = findCycle(config);
  if (cycle !== undefined) {
    return [
      problem(
        file,
        locate(cycle),
        `${shownKeys(cycle)} holds itself.`,
        'Write it out, or use "extends" for a configuration.',
      ),
    ];
  }
  const shape = shapeProblems(config, file, locate);
  if (typeof config !== 'object' || config === null) return shape;
  const keys = keyProblems(config as ProjectConfig, file, locate);
  // Names can be followed only through a configuration of the right shape.
  return [...keys, ...(shape.length > 0 ? shape : referenceProblems(config as ProjectConfig, file, locate))];
}

/** The loader runs the file, so one that someone else has put above us, in /tmp for example, must not be loaded. */
async function refuseOfOthers(path: string): Promise<void> {
  const { uid } = await stat(path);
  const own = process.getuid?.();
  if (own === undefined || uid === own || uid === 0) return;
  throw new UnusableFile(
    'It lies above the current folder and belongs to another user, so it is not run.',
    'Change into its folder if you trust it.',
  );
}

function parsedJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = (error as Error).message;
    const position = /position (\d+)/.exec(message)?.[1];
    throw new UnusableFile(
      'It is not valid JSON.',
      'Correct it there. Comments and trailing commas are for glassloop.config.ts.',
      position === undefined ? lineAt(text, text.length) : lineAt(text, Number(position)),
    );
  }
  // JSON.parse keeps the last of two equal keys without a word.
  const lines = new LineCounter();
  const doubled = parseDocument(text, { lineCounter: lines }).errors.find(
    ({ code }) => code === 'DUPLICATE_KEY',
  );
  if (doubled !== undefined) {
    throw new UnusableFile(
      'A key stands twice in one object.',
      'Keep one of the two.',
      lines.linePos(doubled.pos[0]).line,
    );
  }
  return value;
}
