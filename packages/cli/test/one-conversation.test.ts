/** One conversation goes through all seven adapters, each with calls, thinking and opaque state of its own. */

import { anthropic } from '@glassloop/anthropic';
import {
  type Adapter,
  type AdapterSettings,
  defineTool,
  type Message,
  runLoop,
  ToolOptions,
} from '@glassloop/core';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import { type SeenMessage, startSimulator, wireFormats } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';

type Name = keyof typeof wireFormats;
const ADAPTERS: { readonly [name in Name]: (settings: AdapterSettings) => Adapter } = {
  openai,
  anthropic,
  google,
  mistral,
  ollama,
  groq,
  openrouter,
};
const MODELS: { readonly [name in Name]: string } = {
  openai: 'gpt-5-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-3-flash-preview',
  mistral: 'magistral-medium-latest',
  ollama: 'qwen3',
  groq: 'openai/gpt-oss-20b',
  openrouter: 'deepseek/deepseek-r1',
};

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async ({ city }: { city: string }) => {
    // The first call finishes last, so that results paired by time would be paired wrong.
    if (city === 'Oslo') await new Promise((resolve) => setTimeout(resolve, 10));
    return `${city}: ${city === 'Oslo' ? 'cold' : 'warm'}`;
  },
});
const now = defineTool({
  name: 'now',
  description: 'The time.',
  execute: () => {
    throw new Error('no clock here');
  },
});

/** One turn of the conversation with one provider: a round with three calls, then an answer. */
async function turn(name: Name, messages: readonly Message[], stream: boolean) {
  const wire = wireFormats[name];
  const simulator = await startSimulator({
    wire,
    turns: [
      {
        say: `${name} looks.`,
        ...(wire.can.thinking ? { think: `${name} thinks` } : {}),
        ...(wire.can.opaque ? { opaque: `OPAQUE-${name}` } : {}),
        callTools: [
          { name: 'weather', arguments: { city: 'Oslo' } },
          { name: 'weather', arguments: { city: 'Rome' } },
          { name: 'now' },
        ],
      },
      { say: `${name} answers.` },
    ],
  });
  try {
    const adapter = ADAPTERS[name]({ model: MODELS[name], apiKey: 'test-key', baseURL: simulator.baseURL });
    const result = await runLoop({
      adapter,
      messages,
      tools: [weather, now],
      options: new ToolOptions(name === 'anthropic' ? { thinking: true, maxTokens: 4096 } : {}),
      ...(stream ? { onDelta: () => {} } : {}),
    });
    const seen = simulator.exchanges.map((exchange) => exchange.seen!);
    await simulator.close();
    return { result, seen };
  } finally {
    await simulator.close({ force: true });
  }
}

/** What a model would understand of a conversation, ids and dialects aside. */
function understood(messages: readonly SeenMessage[]): string[] {
  return messages.flatMap((message) => {
    switch (message.role) {
      case 'assistant':
        // A bridge that a provider demands between a result and a user message says nothing.
        if (message.calls.length === 0 && !/answers|looks/.test(message.text)) return [];
        return [
          `assistant ${message.text} ${message.calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`).join(' ')}`.trim(),
        ];
      case 'tool':
        return [`tool ${message.text}`];
      default:
        return [`${message.role} ${message.text}`];
    }
  });
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('one conversation through all seven adapters, %s', (_, stream) => {
  const names = Object.keys(wireFormats) as Name[];
  // Twice round, and backwards, so that each adapter meets its own old messages behind everybody else's.
  it.each([
    ['forwards', [...names, ...names]],
    ['backwards', [...names].reverse().concat(names)],
  ])('%s', async (_direction, order) => {
    let messages: readonly Message[] = [{ role: 'system', content: 'Be brief.' }];
    let expected: string[] = [];
    for (const [index, name] of order.entries()) {
      messages = [...messages, { role: 'user', content: `question ${index}` }];
      expected = [...expected, `user question ${index}`];
      const { result, seen } = await turn(name, messages, stream);
      const [first, second] = seen;
      expect(first!.system, name).toEqual(['Be brief.']);
      expect(understood(first!.messages), name).toEqual(expected);

      expected = [
        ...expected,
        `assistant ${name} looks. weather {"city":"Oslo"} weather {"city":"Rome"} now {}`,
        'tool Oslo: cold',
        'tool Rome: warm',
        'tool The tool "now" failed.',
      ];
      expect(understood(second!.messages), name).toEqual(expected);
      expected = [...expected, `assistant ${name} answers.`];

      // Opaque state goes back to the provider it came from, and to no other.
      for (const message of second!.messages) {
        if (message.role !== 'assistant') continue;
        for (const token of message.opaque) expect(token).toBe(`OPAQUE-${name}`);
      }
      if (wireFormats[name].can.opaque) {
        expect(
          second!.messages.some(
            (message) => message.role === 'assistant' && message.opaque.includes(`OPAQUE-${name}`),
          ),
          name,
        ).toBe(true);
      }
      expect(result).toMatchObject({ stopReason: 'completed', content: `${name} answers.`, rounds: 2 });
      messages = result.messages;
    }
    const ids = messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
