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
      const differences = await replayConversation(mistral, mistralChat, turns);
      const unread = differences.find(({ field }) => field === 'recorded request');
      if (unread !== undefined) context.skip(`the simulator refuses what was recorded: ${unread.actual}`);
      expect(differences).toEqual([]);
    });
  },
);
