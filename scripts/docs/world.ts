/** What stands around the programs and commands of the documents while they are tried: folders, providers, keys. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Output } from '../../packages/cli/src/output.ts';
import { runProgram } from '../../packages/cli/src/program.ts';
import {
  demoModel,
  type Simulator,
  startSimulator,
  wireFormats,
} from '../../packages/simulator/src/index.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a program of the documents may import, and where it is taken from. */
const IMPORTABLE: { readonly [name: string]: string } = {
  '@glassloop': 'packages/cli/node_modules/@glassloop',
  '@types': 'node_modules/@types',
  '@modelcontextprotocol/sdk': 'packages/mcp/node_modules/@modelcontextprotocol/sdk',
  '@opentelemetry': 'packages/otel/node_modules/@opentelemetry',
  ajv: 'packages/project/node_modules/ajv',
  openai: 'packages/openai/node_modules/openai',
  zod: 'examples/one-tool/node_modules/zod',
};

/** Packages of this repository that the command line does not depend on. */
const MORE_PACKAGES = ['node-fetch', 'otel'];

/** A folder as a user has one: ES modules, and the packages installed. */
export async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'glassloop-documents-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@glassloop'), { recursive: true });
  await mkdir(join(modules, '@modelcontextprotocol'));
  for (const [name, path] of Object.entries(IMPORTABLE)) {
    if (name !== '@glassloop') await symlink(join(root, path), join(modules, name));
  }
  for (const name of [...PACKAGES, ...MORE_PACKAGES]) {
    await symlink(join(root, 'packages', name), join(modules, '@glassloop', name));
  }
  return folder;
}

const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'];
const PACKAGES = [...ADAPTERS, 'core', 'simulator', 'project', 'mcp', 'trace', 'playground', 'cli'];

/** Names that the documents use without saying where they come from, as values and as types. */
export const GIVEN_TYPES = `import type { Adapter, Message, Run, RunResult, Tool } from '@glassloop/core';
declare global {
  var adapter: Adapter;
  var messages: readonly Message[];
  var tools: readonly Tool[];
  var run: Run;
  var corporateRootPem: string;
  var handbook: { search(query: string, options?: { signal?: AbortSignal }): Promise<string> };
}
`;

/** The providers' hosts, and the wire format that is spoken there. */
const HOSTS: { readonly [host: string]: keyof typeof wireFormats } = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
  'api.mistral.ai': 'mistral',
  'localhost:11434': 'ollama',
  'api.groq.com': 'groq',
  'openrouter.ai': 'openrouter',
};

const KEY_VARIABLES = [
  ...['OPENAI', 'ANTHROPIC', 'GEMINI', 'MISTRAL', 'GROQ', 'OPENROUTER'].map((name) => `${name}_API_KEY`),
  'GATEWAY_KEY',
];

export interface World {
  /** Puts everything back. */
  leave(): Promise<void>;
}

/**
 * Real SDKs, real HTTP: what would go to a provider goes to a simulator that speaks as that provider does.
 * Every other host that speaks chat completions is the simulator of OpenAI; anything else cannot be reached.
 */
export async function enterWorld(): Promise<World> {
  const simulators = new Map<string, Simulator>();
  for (const name of ADAPTERS) {
    const wire = wireFormats[name as keyof typeof wireFormats]!;
    simulators.set(name, await startSimulator({ wire, respond: demoModel }));
  }
  const realFetch = globalThis.fetch;
  const { adapter, messages, tools, run, handbook, ...globals } = await givenValues(
    simulators.get('openai')!,
  );
  Object.assign(globalThis, { adapter, messages, tools, run, handbook, ...globals });
  globalThis.fetch = (input, init) => {
    const request = new Request(input instanceof Request ? input.clone() : input, init);
    const url = new URL(request.url);
    if (['127.0.0.1', '::1'].includes(url.hostname)) return realFetch(input, init);
    const name = HOSTS[url.host] ?? (url.pathname.endsWith('/chat/completions') ? 'openai' : undefined);
    if (name === undefined) throw new TypeError(`fetch failed: the documents know no host ${url.host}`);
    const simulator = simulators.get(name)!;
    const known = HOSTS[url.host] !== undefined;
    const target = known ? `${simulator.origin}${url.pathname}` : `${simulator.baseURL}/chat/completions`;
    return realFetch(new Request(`${target}${url.search}`, request), { signal: request.signal });
  };
  for (const name of KEY_VARIABLES) process.env[name] ??= `KEY-OF-THE-DOCUMENTS-${name}`;
  return {
    async leave() {
      globalThis.fetch = realFetch;
      for (const simulator of simulators.values()) await simulator.close({ force: true });
    },
  };
}

async function givenValues({ baseURL }: Simulator): Promise<Record<string, unknown>> {
  const { openai } = await import('../../packages/openai/src/index.ts');
  const { defineTool } = await import('../../packages/core/src/index.ts');
  const adapter = openai({ model: 'gpt-4o-mini', apiKey: 'KEY-OF-THE-DOCUMENTS', baseURL });
  const tools = [
    defineTool({ name: 'clock', description: 'The time.', execute: () => '2026-03-01T09:14:02Z' }),
  ];
  const messages = [{ role: 'user', content: 'What time is it?' }];
  const handbook = { search: async () => 'Thirty days.' };
  return { adapter, tools, messages, handbook, corporateRootPem: '', run: { adapter, tools, messages } };
}

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

/** `glassloop ARGUMENTS` in a folder, in this process. */
export async function glassloop(argv: readonly string[], cwd: string): Promise<Ran> {
  let output = '';
  const stream = { write: (text: string) => (output += text) };
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const exitCode = await runProgram(argv, {
      output: new Output({ stdout: stream, stderr: stream, env: {} }),
      env: process.env,
      cwd,
      secrets: [],
      readInput: async () => 'What is 17% of 4230?',
      onInterrupt: () => () => undefined,
    });
    return { exitCode, output };
  } finally {
    process.chdir(before);
  }
}

export async function write(folder: string, path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

export const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
