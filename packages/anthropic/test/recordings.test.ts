import { fileURLToPath } from 'node:url';
import {
  conversations,
  exchangesFor,
  readExchanges,
  replayConversation,
  replayExchange,
} from '@glassloop/conformance';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../src/index.ts';
import { recordedAnthropic } from './wire.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/anthropic', import.meta.url));
const exchanges = exchangesFor('anthropic', readExchanges(folder));

if (exchanges.length === 0) describe.skip('recorded exchanges [skipped: there are none here]', () => {});

describe.each(exchanges.map((exchange) => [exchange.id, exchange] as const))('%s', (_, exchange) => {
  it('is read as it was meant, raw capture included', async () => {
    expect(await replayExchange(anthropic, exchange, { capture: true })).toEqual([]);
  });
});

describe.each(
  exchanges
    .filter(({ kind }) => kind.includes('stream'))
    .map((exchange) => [exchange.id, exchange] as const)
    .filter((_, index) => index % 4 === 0),
)('%s', (_, exchange) => {
  it.each([1, 3, 100])('is the same in pieces of %i bytes', async (splitBytes) => {
    expect(await replayExchange(anthropic, exchange, { splitBytes })).toEqual([]);
  });
});

// Signed blocks are compared as text: the simulator can only check signatures of its own.
describe.each(conversations(exchanges).map((turns) => [turns[0]?.conversation?.id, turns] as const))(
  'conversation %s',
  (_, turns) => {
    it('goes on as it did', async (context) => {
      const differences = await replayConversation(anthropic, recordedAnthropic, turns);
      const unread = differences.find(({ field }) => field === 'recorded request');
      if (unread !== undefined) context.skip(`the simulator refuses what was recorded: ${unread.actual}`);
      // That client puts a text of its own in place of an empty answer; this adapter leaves the turn out.
      const leftOut = turns.some(({ kind }) => kind.includes('empty_content'));
      expect(differences).toEqual(
        leftOut ? [{ field: 'turn 2: roles', expected: 'user assistant user', actual: 'user user' }] : [],
      );
    });
  },
);
