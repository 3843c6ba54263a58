import { type Adapter, type RunStep, type Tool, ToolOptions } from '@glassloop/core';
import { callerMessages, type ReplayOptions, type ReplayRun, runFromTrace } from '@glassloop/trace';
import { knownAdapter, requireAdapter } from './adapters.ts';
import type { ReplayFlags } from './commands/replay.ts';
import { callOptions } from './commands/run-flags.ts';
import type { Context } from './context.ts';
import { DEMO, makeAdapter } from './make-adapter.ts';
import { prepare } from './prepare.ts';
import { Problem } from './problem.ts';
import { wireOf } from './render/wire.ts';
import { builtInTools } from './tools/index.ts';

/** What a replay runs, and through what. */

export interface Asked {
  /** undefined: exactly the run of the trace. */
  readonly run: ReplayRun | undefined;
  close(): Promise<void>;
}

/** The run to be replayed: a configuration or provider with the caller's messages, or the trace with what the flags change. */
export async function askedRun(
  steps: readonly RunStep[],
  flags: ReplayFlags,
  file: string,
  context: Context,
): Promise<Asked> {
  const isLive = flags.fromRound !== undefined;
  if (flags.configuration !== undefined || (flags.provider !== undefined && !isLive)) {
    const prepared = await prepare(flags, { root: context.cwd, except: file }, !isLive, context);
    return {
      run: { ...prepared.run, adapter: prepared.adapter, messages: callerMessages(steps) },
      close: () => prepared.close(),
    };
  }
  for (const name of ['skill', 'snippet', 'tool'] as const) {
    if (flags[name] !== undefined) {
      throw new Problem(2, 'usage', `--${name} needs a configuration.`, 'Name one with -c NAME.');
    }
  }
  const recorded = runFromTrace(steps);
  const tools =
    flags.liveTools || isLive
      ? withCode(recorded.tools ?? [], builtInTools({ root: context.cwd, except: file }))
      : recorded.tools;
  const changed: ReplayRun = {
    ...recorded,
    ...(tools === undefined ? {} : { tools }),
    ...(flags.tools ? {} : { allowedTools: [] }),
    ...(flags.system === undefined ? {} : { systemPrompt: flags.system, messages: callerMessages(steps) }),
    ...(flags.maxRounds === undefined ? {} : { maxRounds: flags.maxRounds }),
    ...(recorded.options === undefined
      ? {}
      : { options: new ToolOptions({ ...recorded.options.toCallOptions(), ...callOptions(flags) }) }),
  };
  if (!isLive) {
    const settings = settingsOf(steps);
    const isChanged =
      tools !== recorded.tools ||
      !flags.tools ||
      flags.system !== undefined ||
      flags.maxRounds !== undefined ||
      Object.keys(callOptions(flags)).length > 0 ||
      flags.model !== undefined;
    const run = isChanged
      ? { ...changed, adapter: named(settings.adapter, flags.model ?? settings.model) }
      : undefined;
    return { run, close: async () => undefined };
  }
  const { adapter, model } = settingsOf(steps);
  const made = await makeAdapter(
    {
      name: flags.provider ?? adapter,
      model: flags.model ?? model,
      isDry: false,
      baseURL: flags.baseUrl,
      keyVariable: flags.keyVariable,
      timeoutMs: flags.timeout === undefined ? undefined : Math.ceil(flags.timeout * 1000),
    },
    context,
  );
  return { run: { ...changed, adapter: made.adapter }, close: () => made.close() };
}

/** An adapter that is compared by its name, and never asked. */
function named(name: string, model: string): Adapter {
  return {
    name,
    model,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: true,
    },
    chat: () => Promise.reject(new Error('A replay asks no adapter.')),
  };
}

/** A trace knows its tools by name; those that are built in have code here. */
function withCode(recorded: readonly Tool[], builtIn: readonly Tool[]): readonly Tool[] {
  const missing = recorded
    .filter(({ name }) => !builtIn.some((tool) => tool.name === name))
    .map(({ name }) => name);
  if (missing.length > 0) {
    throw new Problem(
      2,
      'usage',
      `The trace names tools that have no code here: ${missing.join(', ')}.`,
      'Name the configuration they come from with -c NAME.',
    );
  }
  return recorded.map((tool) => builtIn.find(({ name }) => name === tool.name)!);
}

function settingsOf(steps: readonly RunStep[]): { readonly adapter: string; readonly model: string } {
  const assembled = steps.find((step) => step.kind === 'assembled');
  if (assembled === undefined) {
    throw new Problem(1, 'file', 'The trace has lost its beginning, so nothing says what was asked.');
  }
  return assembled.settings;
}

/** What the adapter was given as base URL, seen from what it made of it. */
const BEHIND_BASE: { readonly [adapter: string]: RegExp } = {
  openai: /\/chat\/completions$/,
  openrouter: /\/chat\/completions$/,
  groq: /\/openai\/v1\/chat\/completions$/,
  mistral: /\/v1\/chat\/completions$/,
  anthropic: /\/v1\/messages$/,
  ollama: /\/api\/chat$/,
  google: /\/models\/[^/]*$/,
};

export async function adapterMaker(
  steps: readonly RunStep[],
  flags: ReplayFlags,
): Promise<NonNullable<ReplayOptions['throughAdapter']>> {
  const { adapter, model } = settingsOf(steps);
  const sent = steps.map(wireOf).find((wire) => wire !== undefined);
  if (sent === undefined) {
    throw new Problem(
      1,
      'file',
      'The trace holds no bodies: record with --capture-raw to replay through an adapter.',
    );
  }
  const known = knownAdapter(
    flags.provider === undefined || flags.provider === DEMO ? adapter : flags.provider,
  );
  const create = await requireAdapter(known);
  const { origin, pathname } = new URL(sent.url);
  const recordedBase = `${origin}${pathname.replace(BEHIND_BASE[known.name] ?? /$/, '')}`;
  return (fetch) =>
    create({
      model: flags.model ?? model,
      apiKey: 'no-key-in-a-replay',
      baseURL: flags.baseUrl ?? recordedBase,
      fetch,
    });
}
