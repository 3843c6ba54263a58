import { fileURLToPath } from 'node:url';
import {
  conversations,
  exchangesFor,
  readExchanges,
  replayConversation,
  replayExchange,
} from '@glassloop/conformance';
import { ollamaChat } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { ollama } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/ollama', import.meta.url));
const exchanges = exchangesFor('ollama', readExchanges(folder));

if (exchanges.length === 0) describe.skip('recorded exchanges [skipped: there are none here]', () => {});

describe.each(exchanges.map((exchange) => [exchange.id, exchange] as const))('%s', (_, exchange) => {
  it('is read as it was meant, raw capture included', async () => {
    expect(await replayExchange(ollama, exchange, { capture: true })).toEqual([]);
  });
});

describe.each(
  exchanges
    .filter(({ kind }) => kind.includes('stream'))
    .map((exchange) => [exchange.id, exchange] as const)
    .filter((_, index) => index % 2 === 0)
    .slice(0, 4),
)('%s', (_, exchange) => {
  it.each([1, 3, 100])('is the same in pieces of %i bytes', async (splitBytes) => {
    expect(await replayExchange(ollama, exchange, { splitBytes })).toEqual([]);
  });
});

describe.each(conversations(exchanges).map((turns) => [turns[0]?.conversation?.id, turns] as const))(
  'conversation %s',
  (_, turns) => {
    it('goes on as it did', async () => {
      expect(await replayConversation(ollama, ollamaChat, turns)).toEqual([]);
    });
  },
);
