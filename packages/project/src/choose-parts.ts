import type { Dropped, Origin, Skill, Snippet } from '@glassloop/core';
import { ownEntry } from './check-references.ts';
import type { Configuration, McpServerConfig } from './config.ts';
import { insideProject } from './files.ts';
import type { Project } from './load-project.ts';
import { didYouMean, ProjectError, UnusableFile } from './problem.ts';
import { readSkills } from './skills.ts';
import { readPromptFile, readSnippets, snippetsByTag } from './snippets.ts';

/** The parts of a run that are read from files. What was asked for and cannot be had goes into `missing`. */

export async function systemPrompt(
  project: Project,
  name: string,
  { systemPrompt }: Configuration,
): Promise<{ readonly text: string; readonly origin?: Origin } | undefined> {
  if (systemPrompt === undefined) return undefined;
  if (typeof systemPrompt === 'string') {
    const line = project.locate(['configurations', name, 'systemPrompt']);
    return {
      text: systemPrompt,
      origin: { file: project.file, ...(line === undefined ? {} : { fromLine: line }) },
    };
  }
  try {
    const text = await readPromptFile(project, systemPrompt.file);
    return {
      text: text.trim(),
      origin: { file: systemPrompt.file, fromLine: 1, toLine: text.trimEnd().split('\n').length },
    };
  } catch (error) {
    throw error instanceof UnusableFile ? new ProjectError([error.in(systemPrompt.file)]) : error;
  }
}

export async function chosenSkills(
  project: Project,
  configured: readonly string[],
  forced: readonly string[],
  missing: Dropped[],
) {
  if (configured.length + forced.length === 0) return { configured: [], forced: [] };
  const { skills } = await readSkills(project);
  const find = (ids: readonly string[]): Skill[] =>
    ids.flatMap((id) => {
      const file = skills.find((one) => one.id === id);
      if (file?.skill !== undefined) return [file.skill];
      missing.push(
        file?.dropped ??
          notFound(
            'skill',
            id,
            skills.map((one) => one.id),
          ),
      );
      return [];
    });
  return { configured: find(configured), forced: find(forced) };
}

export async function chosenSnippets(
  project: Project,
  tags: readonly string[],
  forced: readonly string[],
  missing: Dropped[],
) {
  if (tags.length + forced.length === 0) return { configured: [], forced: [] };
  const { snippets } = await readSnippets(project);
  // Of a snippet that cannot be read the tags are not known, so it may be one that is missed.
  for (const { id, dropped } of snippets)
    if (dropped !== undefined && (tags.length > 0 || forced.includes(id))) missing.push(dropped);
  const asked = forced.flatMap((id) => {
    const file = snippets.find((one) => one.id === id);
    if (file === undefined)
      missing.push(
        notFound(
          'snippet',
          id,
          snippets.map((one) => one.id),
        ),
      );
    return file?.snippet === undefined ? [] : [file.snippet];
  });
  return {
    configured: snippetsByTag(snippets, tags).map(({ snippet }) => snippet as Snippet),
    forced: asked,
  };
}

export async function chosenServers(
  project: Project,
  names: readonly string[],
): Promise<{ readonly [name: string]: McpServerConfig }> {
  const servers: [string, McpServerConfig][] = [];
  for (const name of names) {
    const server = ownEntry(project.config.mcpServers, name)!;
    try {
      const cwd = await insideProject(project.root, server.cwd ?? '.');
      if (cwd === undefined)
        throw new UnusableFile(
          `There is no folder "${server.cwd}".`,
          'Correct cwd.',
          project.locate(['mcpServers', name, 'cwd']),
        );
      servers.push([name, server.command === undefined ? server : { ...server, cwd }]);
    } catch (error) {
      throw error instanceof UnusableFile ? new ProjectError([error.in(project.file)]) : error;
    }
  }
  return Object.fromEntries(servers);
}

/** The configured names, narrowed by those of the run. What the configuration does not allow is not to be had by asking. */
export function allowedTools(
  configured: readonly string[] | undefined,
  asked: readonly string[] | undefined,
  missing: Dropped[],
): readonly string[] | null {
  if (asked === undefined) return configured ?? null;
  if (configured === undefined) return asked;
  for (const id of asked) {
    if (configured.includes(id)) continue;
    missing.push({
      kind: 'tool',
      id,
      reason: 'not_allowed',
      detail: `The configuration does not offer the tool "${id}".`,
    });
  }
  return asked.filter((id) => configured.includes(id));
}

function notFound(kind: 'skill' | 'snippet', id: string, known: readonly string[]): Dropped {
  return { kind, id, reason: 'not_found', detail: `There is no ${kind} "${id}".${didYouMean(id, known)}` };
}
