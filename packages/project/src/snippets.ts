import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Dropped, Snippet } from '@glassloop/core';
import { insideProject, isUnder, namesIn, readText } from './files.ts';
import { type FrontMatter, frontMatterOf, listOf } from './front-matter.ts';
import type { Project } from './load-project.ts';
import { didYouMean, type ProjectProblem, problem, UnusableFile } from './problem.ts';
import { skillFolder } from './skills.ts';

/** A snippet of the project's folder. */
export interface SnippetFile {
  /** The name of its file without `.md`. */
  readonly id: string;
  readonly file: string;
  /** As they are written. */
  readonly tags: readonly string[];
  /** Absent: see `problems`. */
  readonly snippet?: Snippet;
  readonly dropped?: Dropped;
  readonly problems: readonly ProjectProblem[];
}

const DEFAULT_FOLDER = 'snippets';
const FIELDS = ['name', 'tags', 'active'];

function snippetFolder({ config }: Project): string {
  return config.snippets ?? DEFAULT_FOLDER;
}

/** All snippets of the project, in the order of their file names. */
export async function readSnippets(project: Project): Promise<{
  readonly snippets: readonly SnippetFile[];
  /** Of the folder itself. */
  readonly problems: readonly ProjectProblem[];
}> {
  const folder = snippetFolder(project);
  let names: readonly string[];
  try {
    names = await namesIn(await insideProject(project.root, folder));
  } catch (error) {
    if (error instanceof UnusableFile) return { snippets: [], problems: [error.in(folder)] };
    throw error;
  }
  const files = names.filter((name) => name.endsWith('.md') && name !== '.md');
  return { snippets: await Promise.all(files.map((name) => readSnippet(project, name))), problems: [] };
}

async function readSnippet(project: Project, name: string): Promise<SnippetFile> {
  const id = name.slice(0, -'.md'.length);
  const file = `${snippetFolder(project)}/${name}`;
  const unusable = (problems: readonly ProjectProblem[]): SnippetFile => {
    const { line, message, whatToDo } = problems[0]!;
    const origin = { file, ...(line === undefined ? {} : { fromLine: line }) };
    const dropped: Dropped = {
      kind: 'snippet',
      id,
      reason: 'unreadable',
      detail: `Snippet "${id}": ${message} ${whatToDo}`,
      origin,
    };
    return { id, file, tags: [], problems, dropped };
  };
  try {
    const front = frontMatterOf(await readSystemText(project, join(snippetFolder(project), name)));
    const problems = fieldProblems(front, file);
    if (problems.length > 0) return unusable(problems);
    const { fields, body, fromLine, toLine } = front;
    const snippet: Snippet = {
      id,
      name: (fields['name'] as string | undefined) ?? id,
      text: body.trim(),
      active: fields['active'] !== false,
      origin: { file, fromLine, toLine },
    };
    return { id, file, tags: listOf(fields['tags'] ?? [], /,/)!, snippet, problems };
  } catch (error) {
    if (error instanceof UnusableFile) return unusable([error.in(file)]);
    throw error;
  }
}

/** The text of a file that may join the system role, and so may be no skill, however it is reached. */
async function readSystemText(project: Project, path: string): Promise<string> {
  const real = await insideProject(project.root, path);
  if (real === undefined)
    throw new UnusableFile('There is no such file.', 'Create it, or remove what names it.');
  if (await isIn(skillFolder(project), real, project)) {
    throw new UnusableFile(
      'It is a text of the skills folder, which never joins the system role.',
      'Name it among the skills, or move it.',
    );
  }
  return readText(real);
}

/** The system prompt from a file. A snippet is none: it is in a run when a tag or a flag says so. */
export async function readPromptFile(project: Project, path: string): Promise<string> {
  const real = await insideProject(project.root, path);
  if (real !== undefined && (await isIn(snippetFolder(project), real, project))) {
    throw new UnusableFile(
      'It is a snippet, which joins the system role only by a tag or when forced.',
      'Use tags, or move it.',
    );
  }
  return readSystemText(project, path);
}

async function isIn(folder: string, real: string, { root }: Project): Promise<boolean> {
  const path = resolve(root, folder);
  return isUnder(await realpath(path).catch(() => path), real);
}

function fieldProblems({ fields, lineOf }: FrontMatter, file: string): readonly ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const report = (field: string, message: string, whatToDo: string): void => {
    problems.push(problem(file, lineOf(field), message, whatToDo));
  };
  const { name, tags, active } = fields;
  if (name !== undefined && typeof name !== 'string')
    report('name', 'name is no text.', 'Write `name: Tone`.');
  if (tags !== undefined && tags !== null && listOf(tags, /,/) === undefined) {
    report('tags', 'tags is no list of texts.', 'Write `tags: [one, two]`; put numbers into quotes.');
  }
  if (active !== undefined && typeof active !== 'boolean')
    report('active', 'active is neither true nor false.', 'Write `active: true` or `active: false`.');
  for (const field of Object.keys(fields)) {
    if (!FIELDS.includes(field)) {
      report(
        field,
        `"${field}" is an unknown field.`,
        `${didYouMean(field, FIELDS).trim()} Known: ${FIELDS.join(', ')}.`.trim(),
      );
    }
  }
  return problems;
}

/** Those with one of the tags: in the order of the tags, within a tag in the order given, each once. */
export function snippetsByTag(
  snippets: readonly SnippetFile[],
  tags: readonly string[],
): readonly SnippetFile[] {
  const found = tags.flatMap((tag) => snippets.filter((snippet) => hasTag(snippet, tag)));
  return [...new Set(found)];
}

export function hasTag({ tags }: SnippetFile, tag: string): boolean {
  const wanted = tag.trim().toLowerCase();
  return tags.some((own) => own.toLowerCase() === wanted);
}
