import { fileURLToPath } from 'node:url';
import {
  type CreateAdapter,
  conversations,
  exchangesFor,
  readExchanges,
  replayConversation,
  replayExchange,
  wireFor,
} from '@glassloop/conformance';
import { describe, expect, it } from 'vitest';
import { openrouter } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/', import.meta.url));
const recorded = exchangesFor('openrouter', readExchanges(folder));
const streams = recorded.filter(({ kind, response }) => kind.includes('stream') && response.status === 200);
// The stream that asks for the call has no finish reason, so the run ends as incomplete instead of calling.
const runs = conversations(recorded).filter(([first]) => !first?.id.includes('tools-streaming-variant-a'));
// One network write per byte takes its time.
const short = streams.filter(({ response }) => response.bodyText.length < 20_000).slice(0, 8);
const create: CreateAdapter = (settings) => openrouter(settings);

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

  it.each(runs.map((turns) => [turns[0]?.id, turns] as const))('%s, as a run', async (_, turns) => {
    expect(await replayConversation(create, wireFor(turns[0]!), turns)).toEqual([]);
  });
});
