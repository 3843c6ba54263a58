import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Adapter, defineTool, type ModelRequest } from '@glassloop/core';
import { openai } from '@glassloop/openai';
import { demoModel, openaiChat, startSimulator } from '@glassloop/simulator';
import { build } from 'vite';
import type { PlaygroundContents, PlaygroundProvider, PlaygroundTool } from '../../src/options.ts';
import { type Playground, startPlayground } from '../../src/playground.ts';
import { HOSTILE, pause, SCENES } from './scenes.ts';

export const TOKEN = 'stage-token-stage-token-stage-token-0123';
const folder = new URL('../../', import.meta.url);

export function at(path: string): string {
  return new URL(path, folder).pathname;
}

/** Builds the page unless it is there already; `pnpm test` has built it. */
export async function ensureBuilt(): Promise<void> {
  for (const [config, result] of [
    ['vite.client.config.ts', 'dist/client/index.html'],
    ['vite.viewer.config.ts', 'dist/report-template.html'],
  ] as const) {
    if (existsSync(at(result))) continue;
    await build({ configFile: at(config), logLevel: 'error' });
  }
}

const capabilities = {
  streaming: true,
  parallelToolCalls: true,
  requiredToolChoice: true,
  thinking: true,
  images: true,
  cost: false,
};

/** A model whose behaviour is chosen by the first word of the prompt. */
function stageAdapter(model: string): Adapter {
  return {
    name: 'stage',
    model,
    capabilities,
    async chat(request: ModelRequest) {
      const user = request.messages.findLast((message) => message.role === 'user');
      const text = typeof user?.content === 'string' ? user.content : JSON.stringify(user?.content ?? '');
      const word = Object.keys(SCENES).find((one) => text.includes(`${one}:`)) ?? 'plain';
      const round = request.messages.filter((message) => message.role === 'assistant').length + 1;
      return SCENES[word]!(request, round);
    },
  };
}

const TOOLS: readonly PlaygroundTool[] = [
  {
    tool: defineTool<{ word: string }>({
      name: 'look_up',
      description: 'Looks a word up. Returns what it means.',
      input: {
        type: 'object',
        properties: { word: { type: 'string', description: 'One word.' } },
        required: ['word'],
      },
      effect: 'reads',
      execute: ({ word }) => `A ${word} is a thing.`,
    }),
    group: 'words',
  },
  {
    tool: defineTool<{ ms: number }>({
      name: 'slow',
      description: 'Takes its time.',
      input: { type: 'object', properties: { ms: { type: 'integer' } } },
      effect: 'reads',
      async execute({ ms }, { signal }) {
        await pause(ms ?? 50, signal);
        return JSON.stringify([
          { at: '14:05', p95: 212 },
          { at: '14:07', p95: 840 },
        ]);
      },
    }),
    group: 'words',
  },
  {
    tool: defineTool({
      name: 'broken',
      description: 'Always fails.',
      effect: 'reads',
      execute: () => {
        throw new Error('The dictionary is closed.');
      },
    }),
    group: 'words',
  },
  {
    tool: defineTool({ name: 'hostile', description: HOSTILE, effect: 'reads', execute: () => HOSTILE }),
    group: 'words',
  },
  {
    tool: defineTool({
      name: 'create_ticket',
      description: 'Creates a ticket.',
      execute: () => 'created',
    }),
    group: 'tickets',
  },
];

export interface Stage {
  readonly playground: Playground;
  /** Of the history. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function startStage(more: Partial<PlaygroundContents> = {}): Promise<Stage> {
  const simulator = await startSimulator({ wire: openaiChat, respond: demoModel });
  const providers: PlaygroundProvider[] = [
    {
      name: 'demo',
      title: 'Demo model (no key)',
      isDemo: true,
      ready: true,
      models: [{ id: 'demo-model', contextWindow: 128_000 }],
      takesAnyModel: false,
      capabilities: null,
      create: (model) => openai({ model, apiKey: 'none', baseURL: simulator.baseURL }),
    },
    {
      name: 'stage',
      ready: true,
      models: [
        {
          id: 'stage-1',
          contextWindow: 200_000,
          prices: { fresh: 3, cacheRead: 0.3, output: 15, asOf: '2026-11-01' },
        },
        { id: 'stage-2' },
      ],
      takesAnyModel: false,
      capabilities,
      unsupported: { temperature: 'this model has none' },
      create: stageAdapter,
    },
    {
      name: 'locked',
      ready: false,
      notReady: { code: 'no_key', variable: 'LOCKED_API_KEY', text: 'Set LOCKED_API_KEY and start again.' },
      models: [],
      takesAnyModel: true,
      capabilities: null,
      create: stageAdapter,
    },
    ...(more.providers ?? []),
  ];
  const runsFolder = mkdtempSync(join(tmpdir(), 'glassloop-runs-'));
  const playground = await startPlayground({
    contents: {
      configurations: [
        {
          id: 'words',
          title: 'Words',
          systemPrompt: 'Answer in plain words. Use the tools for whatever you cannot know.',
          provider: 'stage',
          model: 'stage-1',
          maxRounds: 4,
        },
      ],
      tools: TOOLS,
      examplePrompts: ['plain: say hello', 'tools: what is an owl?', 'failing: what is an owl?'],
      ...more,
      providers,
    },
    version: '0.1.0',
    port: 0,
    token: TOKEN,
    history: { folder: runsFolder },
  });
  return {
    playground,
    folder: runsFolder,
    async close() {
      await playground.close();
      await simulator.close({ force: true });
    },
  };
}
