import { fileURLToPath } from 'node:url';
import {
  type CreateAdapter,
  conversations,
  exchangesFor,
  type RecordedExchange,
  readExchanges,
  replayConversation,
  replayExchange,
  wireFor,
} from '@glassloop/conformance';
import { describe, expect, it } from 'vitest';
import { groq } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/', import.meta.url));
const all = exchangesFor('groq', readExchanges(folder));
// Recorded as errors, read as answers: tool-use-failed.test.ts has what becomes of them.
const isToolUseFailed = ({ response }: RecordedExchange) => response.bodyText.includes('tool_use_failed');
const recorded = all.filter((exchange) => !isToolUseFailed(exchange));
const runs = conversations(all).filter((turns) => !turns.some(isToolUseFailed));
const streams = recorded.filter(({ kind, response }) => kind.includes('stream') && response.status === 200);
// One network write per byte takes its time.
const short = streams.filter(({ response }) => response.bodyText.length < 20_000).slice(0, 8);
const create: CreateAdapter = (settings) => groq(settings);

it.skipIf(recorded.length > 0)('recorded exchanges [skipped: there is no folder with recordings]', () => {});

describe('recorded exchanges', () => {
  it.each(recorded.map((exchange) => [exchange.id, exchange] as const))('%s', async (_, exchange) => {
    expect(await replayExchange(create, exchange, { capture: true })).toEqual([]);
    expect(await replayExchange(create, exchange)).toEqual([]);
  });

  it.each(short.map((exchange) => [exchange.id, exchange] as const))(
    '%s, byte by byte',
    async (_, exchange) => {
      expect(await replayExchange(create, exchange, { capture: true, splitBytes: 1 })).toEqual([]);
    },
  );

  it.each(all.filter(isToolUseFailed).map((exchange) => [exchange.id, exchange] as const))(
    '%s, as an answer that holds the failed call',
    async (_, exchange) => {
      const fields = (await replayExchange(create, exchange, { capture: true })).map(({ field }) => field);
      expect(fields.filter((field) => field !== 'content')).toEqual(['error', 'calls', 'rawFinishReason']);
    },
  );

  it.each(runs.map((turns) => [turns[0]?.id, turns] as const))('%s, as a run', async (_, turns) => {
    expect(await replayConversation(create, wireFor(turns[0]!), turns)).toEqual([]);
  });
});
