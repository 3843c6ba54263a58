/** What is in the run form. A field that nobody changed is absent from the request: then the configuration decides. */

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { CatalogConfiguration, CatalogProvider, RunRequest } from '../../protocol.ts';
import { catalog } from './catalog-facts.ts';

const DRAFT = 'glassloop.draft';

export type OptionName = 'temperature' | 'maxTokens' | 'thinking';

export class FormState {
  readonly configuration = signal<string | undefined>(undefined);
  readonly provider = signal<string | undefined>(undefined);
  readonly model = signal<string | undefined>(undefined);
  readonly prompt = signal('');
  readonly systemPrompt = signal<string | undefined>(undefined);
  readonly tools = signal<ReadonlySet<string> | undefined>(undefined);
  readonly skills = signal<ReadonlySet<string> | undefined>(undefined);
  readonly snippets = signal<ReadonlySet<string> | undefined>(undefined);
  readonly options = signal<{ readonly [option in OptionName]?: number | boolean | null }>({});
  readonly maxRounds = signal<number | undefined>(undefined);
  readonly seconds = signal<number | undefined>(undefined);
  readonly captureRaw = signal(false);
  readonly keep = signal(true);
  /** Whether the person agreed that the chosen tools may change something. */
  readonly allowsEffects = signal(false);
  /** The rest of a request that was taken over: pictures, a conversation. */
  readonly base = signal<RunRequest>({});

  readonly chosenConfiguration: ReadonlySignal<CatalogConfiguration | undefined> = computed(() =>
    catalog.value?.configurations.find((one) => one.id === this.configuration.value),
  );
  readonly chosenProvider: ReadonlySignal<CatalogProvider | undefined> = computed(() => {
    const name =
      this.provider.value ?? this.chosenConfiguration.value?.provider ?? catalog.value?.defaults.provider;
    return catalog.value?.providers.find((one) => one.name === name);
  });
  readonly chosenModel: ReadonlySignal<string> = computed(() => {
    if (this.model.value !== undefined) return this.model.value;
    const configured = this.chosenConfiguration.value;
    const provider = this.chosenProvider.value;
    if (
      configured?.model !== undefined &&
      (this.provider.value === undefined || configured.provider === provider?.name)
    )
      return configured.model;
    const { defaults } = catalog.value ?? {};
    if (defaults?.model !== undefined && defaults.provider === provider?.name) return defaults.model;
    return provider?.models[0]?.id ?? '';
  });
  /** Without a choice of the person: the configured tools that change nothing. */
  readonly defaultTools: ReadonlySignal<ReadonlySet<string>> = computed(() => {
    const configured = this.chosenConfiguration.value?.tools;
    const names = (catalog.value?.tools ?? [])
      .filter((tool) => tool.effect === 'reads' && (configured == null || configured.includes(tool.name)))
      .map((tool) => tool.name);
    return new Set(names);
  });
  readonly chosenTools: ReadonlySignal<ReadonlySet<string>> = computed(
    () => this.tools.value ?? this.defaultTools.value,
  );
  readonly writers: ReadonlySignal<readonly string[]> = computed(() =>
    (catalog.value?.tools ?? [])
      .filter((tool) => tool.effect === 'writes' && this.chosenTools.value.has(tool.name))
      .map((tool) => tool.name),
  );

  readonly request: ReadonlySignal<RunRequest> = computed(() => {
    const tools = this.tools.value;
    const options = Object.entries(this.options.value).filter(([, value]) => value !== undefined);
    return {
      ...this.base.value,
      ...given('configuration', this.configuration.value),
      ...given('provider', this.chosenProvider.value?.name),
      ...given('model', this.chosenModel.value === '' ? undefined : this.chosenModel.value),
      ...this.#asked,
      ...given('systemPrompt', this.systemPrompt.value),
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...given('skills', this.skills.value === undefined ? undefined : [...this.skills.value]),
      ...given('snippets', this.snippets.value === undefined ? undefined : [...this.snippets.value]),
      ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
      ...given('maxRounds', this.maxRounds.value),
      ...(this.seconds.value === undefined
        ? {}
        : { limits: { ...this.base.value.limits, durationMs: this.seconds.value * 1000 } }),
      ...(this.captureRaw.value ? { captureRaw: true } : {}),
      ...(this.keep.value ? {} : { keep: false }),
      ...(this.writers.value.length > 0 && this.allowsEffects.value
        ? { allowEffects: this.writers.value }
        : {}),
    } as RunRequest;
  });

  constructor(from: RunRequest | undefined) {
    // A request without a configuration is one without, whatever the default is by now.
    this.configuration.value =
      from === undefined ? catalog.value?.defaults.configuration : from.configuration;
    this.prompt.value = from === undefined ? readDraft() : typeof from.prompt === 'string' ? from.prompt : '';
    if (from === undefined) return;
    this.base.value = {
      ...given('messages', from.messages),
      ...(typeof from.prompt === 'object' ? { prompt: from.prompt } : {}),
      ...given('forkedFrom', from.forkedFrom),
      ...given('limits', otherLimits(from.limits)),
    };
    this.provider.value = from.provider;
    this.model.value = from.model;
    this.systemPrompt.value = from.systemPrompt;
    if (from.tools !== undefined) this.tools.value = new Set(from.tools);
    if (from.skills !== undefined) this.skills.value = new Set(from.skills);
    if (from.snippets !== undefined) this.snippets.value = new Set(from.snippets);
    // Those that have no field here, too.
    this.options.value = { ...from.options } as typeof this.options.value;
    this.maxRounds.value = from.maxRounds;
    if (from.limits?.durationMs !== undefined) this.seconds.value = from.limits.durationMs / 1000;
    this.captureRaw.value = from.captureRaw === true;
    this.keep.value = from.keep !== false;
  }

  /** The prompt; or the conversation, and behind it the prompt where there is one. */
  get #asked(): RunRequest {
    const { messages, prompt } = this.base.value;
    const text = this.prompt.value;
    if (messages !== undefined)
      return text.trim() === '' ? {} : { messages: [...messages, { role: 'user', content: text }] };
    return typeof prompt === 'object' && text === '' ? {} : { prompt: text };
  }

  /** Another configuration: what was set against the old one goes, the prompt stays. */
  choose(configuration: string | undefined): void {
    this.configuration.value = configuration;
    this.reset();
  }

  reset(): void {
    for (const field of [
      this.provider,
      this.model,
      this.systemPrompt,
      this.tools,
      this.skills,
      this.snippets,
      this.maxRounds,
      this.seconds,
    ])
      field.value = undefined;
    this.options.value = {};
    this.allowsEffects.value = false;
  }

  setPrompt(text: string): void {
    this.prompt.value = text;
    try {
      sessionStorage.setItem(DRAFT, text);
    } catch {
      // A draft that is too long is kept by the page alone.
    }
  }

  setOption(name: OptionName, value: number | boolean | null | undefined): void {
    this.options.value = { ...this.options.value, [name]: value };
  }
}

function readDraft(): string {
  try {
    return sessionStorage.getItem(DRAFT) ?? '';
  } catch {
    return '';
  }
}

function otherLimits(limits: RunRequest['limits']): RunRequest['limits'] {
  if (limits === undefined) return undefined;
  const { durationMs: _, ...others } = limits;
  return Object.keys(others).length === 0 ? undefined : others;
}

function given<Name extends string, Value>(
  name: Name,
  value: Value,
): { [key in Name]?: Exclude<Value, undefined> } {
  return (value === undefined ? {} : { [name]: value }) as never;
}
