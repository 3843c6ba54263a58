import type { Adapter, Tool } from '@glassloop/core';
import type { ResolvedRun, RunParts, RunRequest } from '@glassloop/project';
import { callOptions, type RunFlags } from './commands/run-flags.ts';
import type { Context } from './context.ts';
import { DEMO, makeAdapter } from './make-adapter.ts';
import { connectServers } from './mcp.ts';
import { Problem } from './problem.ts';
import { inProject, openProject, projectPackage } from './project.ts';
import type { Folder } from './tools/folder.ts';
import { BUILT_IN_NAMES, builtInTools } from './tools/index.ts';

/** A run that only lacks its messages. */
export interface Prepared {
  readonly adapter: Adapter;
  readonly run: RunParts;
  /** The configuration it came from. */
  readonly resolved?: ResolvedRun;
  /** Ends what was started for it: the demo model, MCP servers. */
  close(): Promise<void>;
}

const FREE = { fresh: 0, output: 0 };

/**
 * Puts a run together: from a configuration of the project, when one is named or no provider is, else from the flags
 * alone. A Problem says what is missing.
 */
export async function prepare(
  flags: RunFlags,
  folder: Folder,
  isDry: boolean,
  context: Context,
): Promise<Prepared> {
  if (!flags.tools && flags.tool !== undefined) {
    throw new Problem(2, 'usage', '--tool and --no-tools exclude each other.');
  }
  return flags.configuration === undefined && flags.provider !== undefined
    ? fromFlags(flags, flags.provider, folder, isDry, context)
    : fromProject(flags, folder, isDry, context);
}

async function fromFlags(
  flags: RunFlags,
  provider: string,
  folder: Folder,
  isDry: boolean,
  context: Context,
): Promise<Prepared> {
  if (flags.skill !== undefined || flags.snippet !== undefined) {
    throw new Problem(
      2,
      'usage',
      '--skill and --snippet need a configuration.',
      'Name one with -c NAME, and leave out --provider.',
    );
  }
  const model = flags.model ?? (provider === DEMO ? 'demo-model' : undefined);
  if (model === undefined) throw new Problem(2, 'usage', 'Name the model with --model ID.');
  const tools = flags.tools ? builtInTools(folder) : [];
  for (const name of flags.tool ?? []) {
    if (!BUILT_IN_NAMES.includes(name)) throw unknownTool(name, BUILT_IN_NAMES, 'The built-in tools are');
  }
  const { ToolOptions } = await import('@glassloop/core');
  const { jsonSchemaValidator } = await projectPackage();
  const made = await makeAdapter({ name: provider, model, isDry, ...adapterFlags(flags) }, context);
  return {
    ...made,
    run: {
      tools: tools.filter((tool) => flags.tool === undefined || flags.tool.includes(tool.name)),
      options: new ToolOptions(callOptions(flags)),
      validator: jsonSchemaValidator,
      ...(flags.system === undefined ? {} : { systemPrompt: flags.system }),
      ...(flags.maxRounds === undefined ? {} : { maxRounds: flags.maxRounds }),
      ...(flags.retries === undefined ? {} : { retry: { maxRetries: flags.retries } }),
      ...(provider === DEMO ? { prices: FREE } : {}),
    },
  };
}

async function fromProject(
  flags: RunFlags,
  folder: Folder,
  isDry: boolean,
  context: Context,
): Promise<Prepared> {
  const { findConfigFile, resolveRun, withTools } = await projectPackage();
  if (
    flags.configuration === undefined &&
    (await findConfigFile(context.cwd).catch(() => '')) === undefined
  ) {
    throw new Problem(
      2,
      'usage',
      'Neither a provider nor a configuration was named, and there is no project here.',
      'Name a provider and a model (--provider openai --model gpt-5-mini), or make a project with `glassloop init`.',
    );
  }
  const project = await openProject(context);
  const request = requestFrom(flags, builtInTools(folder));
  const resolved = await inProject(context.cwd, () => resolveRun(project, request));
  const servers = flags.tools ? await connectServers(resolved, context) : undefined;
  try {
    const complete =
      servers === undefined ? resolved : withTools(resolved, servers.tools, servers.dropped, request);
    refuseUnknownTools(flags, complete);
    const { provider, run } = complete;
    const made = await makeAdapter(
      {
        name: provider.adapter,
        isDry,
        ...provider.settings,
        // A key goes to the host it was named for.
        ...(provider.keyVariable === undefined || flags.baseUrl !== undefined
          ? {}
          : { keyVariable: provider.keyVariable }),
        ...adapterFlags(flags),
      },
      context,
    );
    return {
      adapter: made.adapter,
      resolved: complete,
      run: {
        ...run,
        ...(flags.tools ? {} : { allowedTools: [] }),
        ...(flags.retries === undefined ? {} : { retry: { ...run.retry, maxRetries: flags.retries } }),
        ...(provider.adapter === DEMO && run.prices === undefined ? { prices: FREE } : {}),
      },
      close: async () => {
        await Promise.all([made.close(), servers?.close()]);
      },
    };
  } catch (error) {
    await servers?.close();
    throw error;
  }
}

function requestFrom(flags: RunFlags, builtIn: readonly Tool[]): RunRequest {
  return {
    options: callOptions(flags),
    builtInTools: builtIn,
    ...(flags.configuration === undefined ? {} : { configuration: flags.configuration }),
    ...(flags.provider === undefined ? {} : { provider: flags.provider }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.system === undefined ? {} : { systemPrompt: flags.system }),
    ...(flags.skill === undefined ? {} : { skills: flags.skill }),
    ...(flags.snippet === undefined ? {} : { snippets: flags.snippet }),
    ...(flags.tool === undefined ? {} : { tools: flags.tool }),
    ...(flags.maxRounds === undefined ? {} : { maxRounds: flags.maxRounds }),
  };
}

function adapterFlags({ baseUrl, timeout, keyVariable }: RunFlags) {
  return {
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.ceil(timeout * 1000) }),
    ...(keyVariable === undefined ? {} : { keyVariable }),
  };
}

/** A misspelt --tool would be a run without tools, paid for. */
function refuseUnknownTools(flags: RunFlags, { configuration, run }: ResolvedRun): void {
  const missing = run.augmentation?.missing ?? [];
  const isRefused = (name: string): boolean =>
    missing.some(({ kind, id, reason }) => kind === 'tool' && id === name && reason === 'not_allowed');
  for (const name of flags.tool ?? []) {
    if (run.tools.some((tool) => tool.name === name) && !isRefused(name)) continue;
    const offered = run.tools.map((tool) => tool.name).filter((one) => !isRefused(one));
    throw unknownTool(name, offered, `The configuration "${configuration}" has`);
  }
}

function unknownTool(name: string, known: readonly string[], say: string): Problem {
  return new Problem(
    2,
    'usage',
    `There is no tool ${JSON.stringify(name)}.`,
    `${say} ${known.join(', ') || 'none'}.`,
  );
}
