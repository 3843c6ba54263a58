import { type Origin, TOOL_NAME, type Tool } from '@glassloop/core';
import { insideProject, readText } from './files.ts';
import { schemaFault } from './json-schema-validator.ts';
import { moduleLoader } from './load-module.ts';
import type { Project } from './load-project.ts';
import { lineAt } from './locate.ts';
import { type ProjectProblem, problem, UnusableFile } from './problem.ts';

export interface LoadedTool {
  readonly tool: Tool;
  readonly origin: Origin;
}

/** Loads all tool modules, in the order of the configuration. What cannot be used is in `problems`. */
export async function loadTools(project: Project): Promise<{
  readonly tools: readonly LoadedTool[];
  readonly problems: readonly ProjectProblem[];
}> {
  const tools: LoadedTool[] = [];
  const problems: ProjectProblem[] = [];
  const load = moduleLoader(project.root);
  for (const [index, file] of (project.config.tools ?? []).entries()) {
    const shown = file.replace(/^\.\//, '');
    try {
      const path = await insideProject(project.root, file);
      if (path === undefined) {
        problems.push(
          problem(
            project.file,
            project.locate(['tools', index]),
            `There is no file "${file}".`,
            'Correct the path in tools, relative to the project folder.',
          ),
        );
        continue;
      }
      const text = await readText(path);
      const exported = await load(path);
      for (const entry of Array.isArray(exported) ? exported : [exported]) {
        const fault = toolFault(entry, text);
        if (fault !== undefined) {
          problems.push(fault.in(shown));
          continue;
        }
        const tool = entry as Tool;
        const line = lineOfTool(text, tool.name);
        const other = tools.find((known) => known.tool.name === tool.name);
        if (other === undefined) {
          tools.push({ tool, origin: { file: shown, ...(line === undefined ? {} : { fromLine: line }) } });
        } else {
          problems.push(
            problem(
              shown,
              line,
              `There are two tools "${tool.name}"; the other is in ${other.origin.file}.`,
              'Rename one of them.',
            ),
          );
        }
      }
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      problems.push(error.in(shown));
    }
  }
  return { tools, problems };
}

function toolFault(entry: unknown, text: string): UnusableFile | undefined {
  const { name, description, parameters, execute } = (entry ?? {}) as { [field: string]: unknown };
  const line = typeof name === 'string' ? lineOfTool(text, name) : undefined;
  const isTool =
    typeof name === 'string' &&
    TOOL_NAME.test(name) &&
    typeof description === 'string' &&
    typeof parameters === 'object' &&
    parameters !== null &&
    typeof execute === 'function';
  if (!isTool) {
    return new UnusableFile(
      'Its default export is no tool.',
      'Export what defineTool from @glassloop/core returns, or a list of it.',
      line,
    );
  }
  const fault = schemaFault((entry as Tool).parameters);
  if (fault === undefined) return undefined;
  return new UnusableFile(
    `The input of tool "${name}" is no valid JSON Schema: ${fault}`,
    'Correct the schema.',
    line,
  );
}

/** Where its name is written; a computed name has no such place. */
function lineOfTool(text: string, name: string): number | undefined {
  const match = new RegExp(`\\bname\\s*:\\s*(['"\`])${name.replace(/[^\w]/g, '\\$&')}\\1`).exec(text);
  return match === null ? undefined : lineAt(text, match.index);
}
