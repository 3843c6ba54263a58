import type { Adapter, AdapterSettings } from '@glassloop/core';
import { Problem } from './problem.ts';

/** The only list of adapters in the repository. Each is loaded when it is named, and may be absent. */
export interface KnownAdapter {
  readonly name: string;
  readonly package: string;
  /** The exported factory. */
  readonly factory: string;
  /** The environment variable that the adapter reads its key from. */
  readonly keyVariable: string;
  /** Whether the provider's own host answers nobody without a key. */
  readonly needsKey: boolean;
  /** What `--base-url` ends in. */
  readonly baseURL: string;
}

export const ADAPTERS: readonly KnownAdapter[] = [
  {
    name: 'openai',
    package: '@glassloop/openai',
    factory: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    needsKey: true,
    baseURL: 'with /v1; any OpenAI-compatible host',
  },
  {
    name: 'anthropic',
    package: '@glassloop/anthropic',
    factory: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    needsKey: true,
    baseURL: 'without /v1',
  },
  {
    name: 'google',
    package: '@glassloop/google',
    factory: 'google',
    keyVariable: 'GEMINI_API_KEY',
    needsKey: true,
    baseURL: 'with or without /v1beta',
  },
  {
    name: 'mistral',
    package: '@glassloop/mistral',
    factory: 'mistral',
    keyVariable: 'MISTRAL_API_KEY',
    needsKey: true,
    baseURL: 'without /v1',
  },
  {
    name: 'ollama',
    package: '@glassloop/ollama',
    factory: 'ollama',
    keyVariable: 'OLLAMA_API_KEY',
    needsKey: false,
    baseURL: 'the host, default http://127.0.0.1:11434',
  },
  {
    name: 'groq',
    package: '@glassloop/groq',
    factory: 'groq',
    keyVariable: 'GROQ_API_KEY',
    needsKey: true,
    baseURL: 'without /openai/v1',
  },
  {
    name: 'openrouter',
    package: '@glassloop/openrouter',
    factory: 'openrouter',
    keyVariable: 'OPENROUTER_API_KEY',
    needsKey: true,
    baseURL: 'with /api/v1',
  },
];

export type AdapterFactory = (settings: AdapterSettings) => Adapter;

export function knownAdapter(name: string): KnownAdapter {
  const adapter = ADAPTERS.find((known) => known.name === name);
  if (adapter !== undefined) return adapter;
  throw new Problem(
    2,
    'usage',
    `There is no provider ${JSON.stringify(name)}.`,
    `The providers are ${ADAPTERS.map((known) => known.name).join(', ')}.`,
  );
}

/** The factory of an adapter; undefined when its package is not installed. */
export async function loadAdapter(known: KnownAdapter): Promise<AdapterFactory | undefined> {
  let module: Record<string, unknown>;
  try {
    module = await import(known.package);
  } catch (error) {
    if (isMissing(error, known.package)) return undefined;
    throw error;
  }
  const factory = module[known.factory];
  return typeof factory === 'function' ? (factory as AdapterFactory) : undefined;
}

/** The factory of an adapter, or the command that installs it. */
export async function requireAdapter(known: KnownAdapter): Promise<AdapterFactory> {
  const factory = await loadAdapter(known);
  if (factory !== undefined) return factory;
  throw new Problem(
    1,
    'not_installed',
    `The adapter for ${known.name} is not installed.`,
    `Install it beside @glassloop/cli: npm install ${known.package}`,
  );
}

export function keyIsSet(known: KnownAdapter, env: { readonly [name: string]: string | undefined }): boolean {
  return (env[known.keyVariable] ?? '').trim() !== '';
}

/** The values of all key variables that are set: what must never be shown. */
export function keyValues(env: { readonly [name: string]: string | undefined }): string[] {
  return ADAPTERS.map((known) => (env[known.keyVariable] ?? '').trim()).filter(isSecret);
}

export function isSecret(value: string): boolean {
  return value.length >= SHORTEST_SECRET;
}

/** A shorter value, such as `test`, is a placeholder, and blacking it out would spoil ordinary words. */
const SHORTEST_SECRET = 8;

function isMissing(error: unknown, packageName: string): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') &&
    typeof message === 'string' &&
    message.includes(packageName)
  );
}
