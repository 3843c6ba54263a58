import type { Dropped } from '@glassloop/core';
import type {
  PlaygroundConfiguration,
  PlaygroundContents,
  PlaygroundProvider,
  PlaygroundTool,
} from '@glassloop/playground';
import type { Project, ResolvedRun } from '@glassloop/project';
import { ADAPTERS, isSecret, type KnownAdapter, keyIsSet, loadAdapter } from './adapters.ts';
import type { Context } from './context.ts';
import { DEMO, type MadeAdapter, makeAdapter } from './make-adapter.ts';
import { messageOf } from './problem.ts';
import { projectPackage } from './project.ts';
import { builtInTools } from './tools/index.ts';

const DEMO_MODEL = 'demo-model';

const EXAMPLES = [
  'Read the largest file in this folder and tell me what it is about.',
  'What is 17% of 4230, and what time is it in Tokyo?',
  'Which files are here?',
];

/** What the playground of the current folder offers, read anew each time, so that edited files show. */
export class ContentsOfFolder {
  readonly #context: Context;
  /** One for all runs: it is asked for with every estimate. */
  #demo: Promise<MadeAdapter> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  async load(): Promise<PlaygroundContents> {
    const { findConfigFile, loadProject } = await projectPackage();
    const { cwd } = this.#context;
    if ((await findConfigFile(cwd)) === undefined) return this.#withoutProject();
    return this.#ofProject(await loadProject({ cwd }));
  }

  async close(): Promise<void> {
    await (await this.#demo)?.close();
  }

  async #withoutProject(): Promise<PlaygroundContents> {
    return {
      providers: [this.#demoProvider(), ...(await Promise.all(ADAPTERS.map((one) => this.#adapter(one))))],
      configurations: [
        {
          id: 'default',
          title: 'Default',
          description:
            'No project in this folder: the built-in tools, no skills. `glassloop init` makes one.',
          systemPrompt: 'Answer in plain words. Use the tools for whatever you cannot know.',
        },
      ],
      tools: this.#builtIn(),
      examplePrompts: EXAMPLES,
      defaults: { provider: DEMO, model: DEMO_MODEL },
    };
  }

  async #ofProject(project: Project): Promise<PlaygroundContents> {
    const { jsonSchemaValidator, loadTools, readSkills, readSnippets } = await projectPackage();
    const names = Object.keys(project.config.configurations);
    const configurations = await Promise.all(names.map((name) => this.#configuration(project, name)));
    const own = await Promise.all(
      Object.keys(project.config.providers).map((name) => this.#ofProjectProvider(project, name)),
    );
    const others = ADAPTERS.filter(({ name }) => !own.some((provider) => provider.name === name));
    const { skills } = await readSkills(project);
    const { snippets } = await readSnippets(project);
    const tools: PlaygroundTool[] = (await loadTools(project)).tools.map(({ tool, origin }) => ({
      tool,
      group: origin.file,
    }));
    const builtIn = this.#builtIn().filter(
      ({ tool }) => !tools.some((other) => other.tool.name === tool.name),
    );
    const { default: first = names[0] } = project.config;
    return {
      providers: [
        ...own,
        ...(own.some(({ name }) => name === DEMO) ? [] : [this.#demoProvider()]),
        ...(await Promise.all(others.map((one) => this.#adapter(one)))),
      ],
      configurations,
      tools: [...tools, ...builtIn],
      skills: new Map(skills.flatMap(({ id, skill }) => (skill === undefined ? [] : [[id, skill]]))),
      snippets: new Map(
        snippets.flatMap(({ id, snippet }) => (snippet === undefined ? [] : [[id, snippet]])),
      ),
      validator: jsonSchemaValidator,
      examplePrompts: EXAMPLES,
      defaults: first === undefined ? {} : { configuration: first },
    };
  }

  async #configuration(project: Project, name: string): Promise<PlaygroundConfiguration> {
    const { resolveRun } = await projectPackage();
    try {
      const builtIn = this.#builtIn().map(({ tool }) => tool);
      return configurationOf(await resolveRun(project, { configuration: name, builtInTools: builtIn }));
    } catch (error) {
      return { id: name, problem: messageOf(error) };
    }
  }

  #builtIn(): PlaygroundTool[] {
    return builtInTools({ root: this.#context.cwd, except: undefined }).map((tool) => ({
      tool,
      group: 'Built in',
    }));
  }

  #demoProvider(): PlaygroundProvider {
    return {
      name: DEMO,
      title: 'Demo model (no key)',
      isDemo: true,
      ready: true,
      models: [{ id: DEMO_MODEL, prices: { fresh: 0, output: 0 } }],
      takesAnyModel: false,
      capabilities: null,
      create: async () => {
        this.#demo ??= makeAdapter({ name: DEMO, model: DEMO_MODEL, isDry: false }, this.#context);
        return (await this.#demo).adapter;
      },
    };
  }

  #adapter(known: KnownAdapter): Promise<PlaygroundProvider> {
    return this.#provider(known.name, known, { keyVariable: undefined, models: [] }, {});
  }

  async #ofProjectProvider(project: Project, name: string): Promise<PlaygroundProvider> {
    const config = project.config.providers[name]!;
    const adapter = config.adapter ?? name;
    if (adapter === DEMO) return { ...this.#demoProvider(), name };
    const known = ADAPTERS.find((one) => one.name === adapter)!;
    const used = Object.values(project.config.configurations).flatMap(({ provider, model }) =>
      provider === name && model !== undefined ? [model] : [],
    );
    const named = config.model === undefined ? [] : [config.model];
    const ids = new Set([...named, ...used, ...Object.keys(config.prices ?? {})]);
    const models = [...ids].map((id) => {
      const prices = config.prices?.[id];
      return { id, ...(prices === undefined ? {} : { prices }) };
    });
    const { baseURL, timeoutMs, keyVariable } = config;
    return this.#provider(name, known, { keyVariable, models }, { baseURL, timeoutMs });
  }

  async #provider(
    name: string,
    known: KnownAdapter,
    facts: { readonly keyVariable: string | undefined; readonly models: PlaygroundProvider['models'] },
    settings: { readonly baseURL?: string | undefined; readonly timeoutMs?: number | undefined },
  ): Promise<PlaygroundProvider> {
    const { env, secrets } = this.#context;
    const { keyVariable = known.keyVariable } = facts;
    const key = env[keyVariable]?.trim() ?? '';
    if (isSecret(key) && !secrets.includes(key)) secrets.push(key);
    const create = await loadAdapter(known);
    const hasKey = facts.keyVariable === undefined ? keyIsSet(known, env) : key !== '';
    const ready = create !== undefined && (hasKey || (!known.needsKey && facts.keyVariable === undefined));
    const notReady: PlaygroundProvider['notReady'] =
      create === undefined
        ? { code: 'not_installed', text: `Not installed: npm install ${known.package}` }
        : { code: 'no_key', variable: keyVariable, text: `${keyVariable} is not set.` };
    return {
      name,
      ready,
      ...(ready ? {} : { notReady }),
      models: facts.models,
      takesAnyModel: true,
      // What an adapter can do does not depend on key or model, so any will do to ask.
      capabilities: create === undefined ? null : create({ model: 'any', apiKey: 'none' }).capabilities,
      create: async (model) =>
        (
          await makeAdapter(
            { name: known.name, model, ...settings, keyVariable: facts.keyVariable, isDry: !ready },
            this.#context,
          )
        ).adapter,
    };
  }
}

function configurationOf({ configuration, provider, run, mcpServers }: ResolvedRun): PlaygroundConfiguration {
  const { systemPrompt, skills = [], snippets = [], tools, allowedTools, options, maxRounds } = run;
  const { limits, retry, skillPolicy, toolConcurrency, toolTimeoutMs, prices, systemPromptOrigin } = run;
  const settings = { systemPromptOrigin, limits, retry, skillPolicy, toolConcurrency, toolTimeoutMs, prices };
  const servers: Dropped[] = Object.keys(mcpServers).map((server) => ({
    kind: 'tool',
    id: server,
    reason: 'not_found',
    detail: `The playground connects no MCP servers; the tools of "${server}" are not offered.`,
  }));
  return {
    id: configuration,
    provider: provider.name,
    model: provider.settings.model,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    tools: allowedTools ?? tools.map(({ name }) => name),
    skills: skills.map(({ id }) => id),
    snippets: snippets.map(({ id }) => id),
    ...(options === undefined ? {} : { options: options.toCallOptions() }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    missing: [...(run.augmentation?.missing ?? []), ...servers],
  };
}
