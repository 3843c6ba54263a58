import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { inProject, openProject, problemLines, projectPackage } from '../project.ts';
import { oneLine, printedJson } from '../render/text.ts';

interface Flags {
  readonly json?: true;
}

export function addLists(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('snippets')
    .summary('list the snippets of the project')
    .description('Lists the snippets of the project with their tags.')
    .option('--json', 'as one JSON document')
    .action(async (flags: Flags) => {
      await listSnippets(flags, context);
    });
  program
    .command('tools')
    .summary('list the tools of the project')
    .description(
      "Lists the project's own tools. Runs their modules; those of MCP servers are shown by assemble.",
    )
    .option('--json', 'as one JSON document')
    .action(async (flags: Flags) => {
      ended(await listTools(flags, context));
    });
}

async function listSnippets(flags: Flags, context: Context): Promise<void> {
  const { output } = context;
  const { readSnippets } = await projectPackage();
  const { snippets } = await readSnippets(await openProject(context));
  if (flags.json) {
    output.result([
      printedJson(
        snippets.map(({ id, file, tags, snippet, problems }) => ({
          id,
          file,
          tags,
          name: snippet?.name,
          active: snippet?.active,
          problems,
        })),
      ),
    ]);
    return;
  }
  const { style } = output;
  output.result(
    snippets.length === 0
      ? ['There are no snippets.']
      : snippets.map(({ id, file, tags, snippet, problems }) => {
          const state =
            snippet === undefined
              ? style.bad('unusable')
              : snippet.active === false
                ? style.warn('off')
                : style.good('active');
          const about = problems[0]?.message ?? (tags.length === 0 ? 'no tags' : `tags ${tags.join(', ')}`);
          return `${style.strong(oneLine(id).padEnd(24))} ${state} · ${oneLine(about, 120)} · ${style.faint(oneLine(file, 200))}`;
        }),
  );
}

async function listTools(flags: Flags, context: Context): Promise<number> {
  const { output, cwd } = context;
  const { loadTools } = await projectPackage();
  const project = await openProject(context);
  const { tools, problems } = await inProject(cwd, () => loadTools(project));
  if (flags.json) {
    output.result([
      printedJson({
        tools: tools.map(({ tool, origin }) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          ...origin,
        })),
        problems,
      }),
    ]);
  } else {
    const { style } = output;
    output.result(
      tools.length === 0
        ? ['There are no tools.']
        : tools.map(
            ({ tool, origin }) =>
              `${style.strong(tool.name.padEnd(24))} ${oneLine(tool.description, 120)} ${style.faint(oneLine(origin.file, 200))}`,
          ),
    );
    if (problems.length > 0) output.error(problemLines(problems, project.root, cwd));
  }
  return problems.length === 0 ? 0 : 1;
}
