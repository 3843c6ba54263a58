import {
  type Adapter,
  AdapterError,
  type Prices,
  type Run,
  type Tool,
  type ToolEffect,
  ToolError,
  ToolOptions,
  type ToolOptionValues,
} from '@glassloop/core';
import { invalid, ProblemError } from '../http/problem.ts';
import type {
  PlaygroundConfiguration,
  PlaygroundContents,
  PlaygroundProvider,
  PlaygroundTool,
} from '../options.ts';
import type { CatalogModel, FieldProblem, RunRequest } from '../protocol.ts';

/** A request, put together with what there is: what core is to run. */
export interface PreparedRun {
  readonly run: Omit<Run, 'signal' | 'onDelta'>;
  readonly model: CatalogModel;
  readonly prices: Prices | undefined;
}

export const DEFAULT_ROUNDS = 8;

/** Throws 400 with one entry per field that names something unknown; 409 for a provider that is not ready, or unconfirmed effects. */
export async function prepareRun(request: RunRequest, contents: PlaygroundContents): Promise<PreparedRun> {
  const problems: FieldProblem[] = [];
  const configuration = configurationOf(request, contents, problems);
  const provider = providerOf(request, configuration, contents, problems);
  const modelId =
    filled(request.model) ?? sameProvider(request, configuration)?.model ?? provider?.models[0]?.id;
  if (provider !== undefined && modelId === undefined) {
    problems.push({
      field: 'model',
      rule: 'The name of a model.',
      fix: `${provider.name} has no default model.`,
    });
  }
  const chosen = chosenTools(request, configuration, contents, problems);
  const skills = pick('skills', request, configuration, contents.skills, problems);
  const snippets = pick('snippets', request, configuration, contents.snippets, problems);
  const options = optionsOf(request, configuration, problems);
  if (problems.length > 0) throw invalid(problems);

  refuseEffects(request, chosen);
  const adapter = await adapterOf(provider!, modelId!, request.dryRun === true);
  const model = provider!.models.find(({ id }) => id === modelId) ?? { id: modelId! };
  const names = new Set(chosen.map(({ tool }) => tool.name));
  const { prompt, messages } = request;
  const systemPrompt = configuration?.systemPrompt;
  const { limits, prices = model.prices, ...settings } = configuration?.settings ?? {};
  return {
    model,
    prices,
    run: {
      ...settings,
      adapter,
      messages: messages ?? [{ role: 'user', content: prompt! }],
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      snippets: snippets.configured,
      skills: skills.configured,
      tools: (contents.tools ?? []).map((entry) => guarded(entry, request)),
      allowedTools: [...names],
      ...(contents.validator === undefined ? {} : { validator: contents.validator }),
      options: options!,
      augmentation: {
        ...(request.systemPrompt === undefined ? {} : { systemPrompt: request.systemPrompt }),
        forcedSkills: skills.forced,
        forcedSnippets: snippets.forced,
        missing: configuration?.missing ?? [],
        ...(request.dryRun === true ? { dryRun: true } : {}),
      },
      maxRounds: request.maxRounds ?? configuration?.maxRounds ?? DEFAULT_ROUNDS,
      limits: { ...limits, ...request.limits },
      ...(prices === undefined ? {} : { prices }),
    },
  };
}

function configurationOf(
  { configuration: id }: RunRequest,
  { configurations = [] }: PlaygroundContents,
  problems: FieldProblem[],
): PlaygroundConfiguration | undefined {
  if (id === undefined || id === '') return undefined;
  const found = configurations.find((configuration) => configuration.id === id);
  if (found === undefined) {
    problems.push(
      unknownName(
        'configuration',
        id,
        configurations.map((configuration) => configuration.id),
      ),
    );
  }
  if (found?.problem !== undefined) problems.push({ field: 'configuration', rule: found.problem });
  return found;
}

function providerOf(
  request: RunRequest,
  configuration: PlaygroundConfiguration | undefined,
  { providers }: PlaygroundContents,
  problems: FieldProblem[],
): PlaygroundProvider | undefined {
  const name = filled(request.provider) ?? configuration?.provider;
  const provider =
    name === undefined ? providers.find(({ ready }) => ready) : providers.find((one) => one.name === name);
  if (provider === undefined) {
    problems.push(
      unknownName(
        'provider',
        name ?? '',
        providers.map((one) => one.name),
      ),
    );
  }
  return provider;
}

/** The configuration's model belongs to its provider; with another one it means nothing. */
function sameProvider(
  request: RunRequest,
  configuration: PlaygroundConfiguration | undefined,
): PlaygroundConfiguration | undefined {
  const asked = filled(request.provider);
  return asked === undefined || asked === configuration?.provider ? configuration : undefined;
}

function chosenTools(
  request: RunRequest,
  configuration: PlaygroundConfiguration | undefined,
  { tools = [] }: PlaygroundContents,
  problems: FieldProblem[],
): readonly PlaygroundTool[] {
  const named = request.tools;
  if (named === undefined) {
    const configured = configuration?.tools ?? undefined;
    return tools.filter(
      ({ tool }) =>
        effectOf(tool) === 'reads' && (configured === undefined || configured.includes(tool.name)),
    );
  }
  const known = tools.map(({ tool }) => tool.name);
  for (const [index, name] of named.entries()) {
    if (!known.includes(name)) problems.push(unknownName(`tools[${index}]`, name, known));
  }
  return tools.filter(({ tool }) => named.includes(tool.name));
}

function refuseEffects({ allowEffects = [], dryRun }: RunRequest, chosen: readonly PlaygroundTool[]): void {
  if (dryRun === true) return;
  const open = chosen
    .filter(({ tool }) => effectOf(tool) === 'writes' && !allowEffects.includes(tool.name))
    .map(({ tool }) => tool.name);
  if (open.length === 0) return;
  throw new ProblemError('effects_not_allowed', {
    detail: `${open.length === 1 ? 'This tool can change' : 'These tools can change'} data: ${open.join(', ')}.`,
    hint: 'Confirm each by its name in "allowEffects", or leave it out of "tools".',
    fields: open.map((name) => ({ field: 'allowEffects', rule: `Must name "${name}".` })),
  });
}

/** What nobody said to be harmless is not. */
export function effectOf({ effect = 'writes' }: Tool): ToolEffect {
  return effect;
}

/** The same tool; one that writes runs only when this request confirmed it, whatever the model asks for. */
function guarded({ tool }: PlaygroundTool, { allowEffects = [] }: RunRequest): PlaygroundTool['tool'] {
  if (effectOf(tool) === 'reads' || allowEffects.includes(tool.name)) return tool;
  return {
    ...tool,
    execute: () => {
      throw new ToolError('This tool changes data, and nobody allowed that for this run.');
    },
  };
}

/** Those of the configuration stay where it puts them; others are added for this run. */
function pick<Item>(
  field: 'skills' | 'snippets',
  request: RunRequest,
  configuration: PlaygroundConfiguration | undefined,
  all: ReadonlyMap<string, Item> = new Map(),
  problems: FieldProblem[],
): { readonly configured: Item[]; readonly forced: Item[] } {
  const configured = configuration?.[field] ?? [];
  const wanted = request[field] ?? configured;
  for (const [index, id] of wanted.entries()) {
    if (!all.has(id)) problems.push(unknownName(`${field}[${index}]`, id, [...all.keys()]));
  }
  const items = (ids: readonly string[]) => ids.flatMap((id) => (all.has(id) ? [all.get(id)!] : []));
  return {
    configured: items(configured.filter((id) => wanted.includes(id))),
    forced: items(wanted.filter((id) => !configured.includes(id))),
  };
}

function optionsOf(
  request: RunRequest,
  configuration: PlaygroundConfiguration | undefined,
  problems: FieldProblem[],
): ToolOptions | undefined {
  const values: Record<string, unknown> = { ...configuration?.options, ...request.options };
  try {
    return new ToolOptions(values as ToolOptionValues);
  } catch {
    // One by one, so that each wrong option is told at its field.
    for (const [name, value] of Object.entries(values)) {
      try {
        new ToolOptions({ [name]: value });
      } catch (error) {
        problems.push({
          field: `options.${name}`,
          rule: (error as Error).message.replace(/^ToolOptions: /, ''),
        });
      }
    }
    return undefined;
  }
}

async function adapterOf(provider: PlaygroundProvider, model: string, dryRun: boolean): Promise<Adapter> {
  const hint =
    provider.notReady?.variable === undefined
      ? undefined
      : `Set ${provider.notReady.variable} and start the playground again, or use the demo model, which needs no key.`;
  if (!provider.ready && !dryRun) {
    throw new ProblemError('provider_not_ready', {
      detail: provider.notReady?.text ?? `${provider.name} is not ready.`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  try {
    return await provider.create(model);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    throw new ProblemError('provider_not_ready', {
      detail: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

function unknownName(field: string, name: string, known: readonly string[]): FieldProblem {
  return {
    field,
    rule: name === '' ? 'Needed here.' : `There is no ${JSON.stringify(name.slice(0, 100))}.`,
    fix: known.length === 0 ? 'There are none.' : `There is: ${known.slice(0, 30).join(', ')}.`,
  };
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
