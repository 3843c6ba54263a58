import { fileURLToPath } from 'node:url';
import {
  conversations,
  exchangesFor,
  readExchanges,
  replayConversation,
  replayExchange,
} from '@glassloop/conformance';
import { mistralChat } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { mistral } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/mistral', import.meta.url));
// Its client put a file that a tool returned into a user message of its own, which no loop of ours does.
const OWN_MESSAGES = 'mistral-pydantic-ai-test-multimodal-tool-return-matrix-direct-url-image-mistral-c9b71';
const exchanges = exchangesFor('mistral', readExchanges(folder));

if (exchanges.length === 0) describe.skip('recorded exchanges [skipped: there are none here]', () => {});

describe.each(exchanges.map((exchange) => [exchange.id, exchange] as const))('%s', (_, exchange) => {
  it('is read as it was meant, raw capture included', async () => {
    expect(await replayExchange(mistral, exchange, { capture: true })).toEqual([]);
  });
});

describe.each(
  exchanges
    .filter(({ kind }) => kind.includes('stream'))
    .map((exchange) => [exchange.id, exchange] as const)
    .filter((_, index) => index % 7 === 0)
    .slice(0, 4),
)('%s', (_, exchange) => {
  it.each([1, 3, 100])('is the same in pieces of %i bytes', async (splitBytes) => {
    expect(await replayExchange(mistral, exchange, { splitBytes })).toEqual([]);
  });
});

describe.each(conversations(exchanges).map((turns) => [turns[0]?.conversation?.id, turns] as const))(
  'conversation %s',
  (_, turns) => {
    it('goes on as it did', async (context) => {
      if (turns[0]?.conversation?.id === OWN_MESSAGES) context.skip('the client added messages of its own');
      expect(await replayConversation(mistral, mistralChat, turns)).toEqual([]);
    });
  },
);
