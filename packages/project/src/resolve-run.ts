import {
  type Dropped,
  type Origin,
  type Run,
  type Tool,
  ToolOptions,
  type ToolOptionValues,
} from '@glassloop/core';
import { merged, ownEntry } from './check-references.ts';
import { allowedTools, chosenServers, chosenSkills, chosenSnippets, systemPrompt } from './choose-parts.ts';
import type { Configuration, McpServerConfig, ProviderConfig } from './config.ts';
import { jsonSchemaValidator, schemaFault } from './json-schema-validator.ts';
import type { Project } from './load-project.ts';
import { didYouMean, ProjectError, problem } from './problem.ts';
import { loadTools } from './tools.ts';

/** What one run asks for beside its configuration. */
export interface RunRequest {
  /** Default: `default` of the project, or its only configuration. */
  readonly configuration?: string;
  /** One of the project's providers, or the name of an adapter. */
  readonly provider?: string;
  readonly model?: string;
  /** Replaces the configured system prompt; snippets stay. */
  readonly systemPrompt?: string;
  /** Ids of skills, behind the configured ones. */
  readonly skills?: readonly string[];
  /** Ids of snippets, each a system message of its own. */
  readonly snippets?: readonly string[];
  /** Of the configuration's tools only these. */
  readonly tools?: readonly string[];
  readonly maxRounds?: number;
  /** On top of the configured ones. */
  readonly options?: ToolOptionValues;
  /** Tools that are offered only where a configuration names them; one of the project with the same name wins. */
  readonly builtInTools?: readonly Tool[];
}

/** Everything of a run that comes from files. */
export interface ResolvedRun {
  readonly configuration: string;
  readonly provider: ResolvedProvider;
  readonly run: RunParts;
  readonly toolOrigins: ReadonlyMap<string, Origin>;
  /** To be connected by the caller, and added with `withTools`. */
  readonly mcpServers: { readonly [name: string]: McpServerConfig };
}

export interface ResolvedProvider {
  readonly name: string;
  readonly adapter: string;
  /** For the adapter's factory. Without a key: see `keyVariable`. */
  readonly settings: { readonly model: string; readonly baseURL?: string; readonly timeoutMs?: number };
  readonly keyVariable?: string;
}

/** For `runLoop`, beside `adapter` and `messages`. */
export type RunParts = Omit<Run, 'adapter' | 'messages' | 'signal' | 'onDelta'> & {
  readonly tools: readonly Tool[];
};

/**
 * Puts a configuration and the wishes of one run together. Reads skills, snippets and tools anew. A skill or snippet
 * that cannot be used is in `run.augmentation.missing`; everything else that is wrong rejects with ProjectError.
 */
export async function resolveRun(project: Project, request: RunRequest = {}): Promise<ResolvedRun> {
  const name = configurationName(project, request.configuration);
  const configuration = merged(project.config, name);
  const provider = resolvedProvider(project, name, configuration, request);
  const missing: Dropped[] = [];
  const prompt = await systemPrompt(project, name, configuration);
  const skills = await chosenSkills(project, configuration.skills ?? [], request.skills ?? [], missing);
  const snippets = await chosenSnippets(project, configuration.tags ?? [], request.snippets ?? [], missing);
  const loaded = await loadTools(project);
  if (loaded.problems.length > 0) throw new ProjectError(loaded.problems);

  const own = loaded.tools.map(({ tool }) => tool);
  const builtIn = (request.builtInTools ?? []).filter(
    (tool) => configuration.tools?.includes(tool.name) && !own.some((one) => one.name === tool.name),
  );
  const {
    provider: _provider,
    model: _model,
    extends: _extends,
    systemPrompt: _prompt,
    tags: _tags,
    mcp: _mcp,
    ...rest
  } = configuration;
  const { skills: _skills, tools: _tools, options, ...settings } = rest;
  const price = ownEntry(ownEntry(project.config.providers, provider.name)?.prices, provider.settings.model);
  return {
    configuration: name,
    provider,
    toolOrigins: new Map(loaded.tools.map(({ tool, origin }) => [tool.name, origin])),
    mcpServers: await chosenServers(project, configuration.mcp ?? []),
    run: {
      ...settings,
      ...(prompt === undefined ? {} : { systemPrompt: prompt.text }),
      ...(prompt?.origin === undefined ? {} : { systemPromptOrigin: prompt.origin }),
      skills: skills.configured,
      snippets: snippets.configured,
      tools: [...own, ...builtIn],
      allowedTools: allowedTools(configuration.tools, request.tools, missing),
      validator: jsonSchemaValidator,
      options: new ToolOptions({ ...options, ...request.options }),
      ...(request.maxRounds === undefined ? {} : { maxRounds: request.maxRounds }),
      ...(price === undefined ? {} : { prices: price }),
      augmentation: {
        ...(request.systemPrompt === undefined ? {} : { systemPrompt: request.systemPrompt }),
        forcedSkills: skills.forced,
        forcedSnippets: snippets.forced,
        missing,
      },
    },
  };
}

/** The run with the tools of its MCP servers. A name that is taken, or an unusable schema, is left out and reported. */
export function withTools(
  resolved: ResolvedRun,
  tools: readonly Tool[],
  dropped: readonly Dropped[],
  request: RunRequest = {},
): ResolvedRun {
  const { run } = resolved;
  const missing: Dropped[] = [...dropped];
  const added: Tool[] = [];
  for (const tool of tools) {
    const isTaken = [...run.tools, ...added].some(({ name }) => name === tool.name);
    const fault = isTaken ? undefined : schemaFault(tool.parameters);
    if (!isTaken && fault === undefined) added.push(tool);
    else {
      missing.push(
        isTaken
          ? {
              kind: 'tool',
              id: tool.name,
              reason: 'duplicate',
              detail: `There is another tool "${tool.name}"; that one is used.`,
            }
          : {
              kind: 'tool',
              id: tool.name,
              reason: 'unreadable',
              detail: `The input of tool "${tool.name}" is no valid JSON Schema: ${fault}`,
            },
      );
    }
  }
  const names = added
    .map(({ name }) => name)
    .filter((name) => request.tools === undefined || request.tools.includes(name));
  const allowed = run.allowedTools ?? undefined;
  const before = run.augmentation?.missing ?? [];
  return {
    ...resolved,
    run: {
      ...run,
      tools: [...run.tools, ...added],
      ...(allowed === undefined ? {} : { allowedTools: [...new Set([...allowed, ...names])] }),
      // A tool of a server was asked for by the run, and not known until now.
      augmentation: {
        ...run.augmentation,
        missing: [...before.filter(({ kind, id }) => kind !== 'tool' || !names.includes(id)), ...missing],
      },
    },
  };
}

function configurationName({ config, file }: Project, asked: string | undefined): string {
  const names = Object.keys(config.configurations);
  const name = asked ?? config.default ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined) {
    throw new ProjectError([
      problem(
        file,
        undefined,
        'No configuration was named, and there is no default.',
        `Name one of ${names.join(', ')} (-c NAME), or set "default".`,
      ),
    ]);
  }
  if (names.includes(name)) return name;
  throw new ProjectError([
    problem(
      file,
      undefined,
      `There is no configuration "${name}".`,
      `${didYouMean(name, names).trim()} There are: ${names.join(', ') || 'none'}.`.trim(),
    ),
  ]);
}

function resolvedProvider(
  { config, file, locate }: Project,
  name: string,
  configuration: Configuration,
  request: RunRequest,
): ResolvedProvider {
  const provider = request.provider ?? configuration.provider!;
  const entry: ProviderConfig = ownEntry(config.providers, provider) ?? {};
  const adapter = entry.adapter ?? provider;
  // The configured model is one of the configured provider.
  const configured = provider === configuration.provider ? configuration.model : undefined;
  const model = request.model ?? configured ?? entry.model ?? (adapter === 'demo' ? 'demo-model' : undefined);
  if (model === undefined) {
    throw new ProjectError([
      problem(
        file,
        locate(['configurations', name]),
        `Configuration "${name}" has no model for provider "${provider}".`,
        'Add model to the configuration or the provider.',
      ),
    ]);
  }
  return {
    name: provider,
    adapter,
    settings: {
      model,
      ...(entry.baseURL === undefined ? {} : { baseURL: entry.baseURL }),
      ...(entry.timeoutMs === undefined ? {} : { timeoutMs: entry.timeoutMs }),
    },
    ...(entry.keyVariable === undefined ? {} : { keyVariable: entry.keyVariable }),
  };
}
