import { fileURLToPath } from 'node:url';
import {
  conversations,
  exchangesFor,
  readExchanges,
  replayConversation,
  replayExchange,
} from '@glassloop/conformance';
import { googleGenerateContent } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { google } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/google', import.meta.url));
const exchanges = exchangesFor('google', readExchanges(folder));
const streams = exchanges.filter(({ response }) => response.framing === 'sse' && response.status === 200);

if (exchanges.length === 0) describe.skip('recorded exchanges [skipped: there are none here]', () => {});

describe.each(exchanges.map((exchange) => [exchange.id, exchange] as const))('%s', (_, exchange) => {
  it('is read as it was meant, raw capture included', async () => {
    expect(await replayExchange(google, exchange, { capture: true })).toEqual([]);
    expect(await replayExchange(google, exchange)).toEqual([]);
  });
});

describe.each(
  streams.filter((_, index) => index % 4 === 0).map((exchange) => [exchange.id, exchange] as const),
)('%s', (_, exchange) => {
  it.each([1, 7])('is the same in pieces of %i bytes', async (splitBytes) => {
    expect(await replayExchange(google, exchange, { splitBytes })).toEqual([]);
  });
});

describe.each(conversations(exchanges).map((turns) => [turns[0]?.conversation?.id, turns] as const))(
  'conversation %s',
  (_, turns) => {
    it('goes on as it did', async () => {
      expect(await replayConversation(google, googleGenerateContent, turns)).toEqual([]);
    });
  },
);
