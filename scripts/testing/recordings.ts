/**
 * Tests that replay recorded exchanges with an adapter. The recordings lie beside the repository, `shared/recordings`;
 * where there are none, one skipped test says so.
 */

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type CreateAdapter,
  exchangesFor,
  type RecordedExchange,
  readExchanges,
  replayConversation,
  replayExchange,
  wireFor,
} from '../../conformance/src/index.ts';
import type { WireFormat } from '../../packages/simulator/src/index.ts';

const folder = fileURLToPath(new URL('../../../shared/recordings/', import.meta.url));

export function recordingsOf(provider: string): readonly RecordedExchange[] {
  const exchanges = exchangesFor(provider, readExchanges(folder));
  if (exchanges.length === 0) it.skip('recorded exchanges [skipped: there are none here]', () => {});
  return exchanges;
}

/** Streams that were answered, so that they can come in other pieces. */
export function streamsIn(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  return exchanges.filter(({ kind, response }) => kind.includes('stream') && response.status === 200);
}

/** Each exchange is read as it was meant, with raw capture and without. */
export function describeExchanges(create: CreateAdapter, exchanges: readonly RecordedExchange[]): void {
  if (exchanges.length === 0) return;
  it.each(exchanges.map((exchange) => [exchange.id, exchange] as const))(
    '%s is read as it was meant',
    async (_, exchange) => {
      expect(await replayExchange(create, exchange, { capture: true })).toEqual([]);
      expect(await replayExchange(create, exchange)).toEqual([]);
    },
  );
}

/** Each stream is read the same in pieces of these sizes. */
export function describePieces(
  create: CreateAdapter,
  streams: readonly RecordedExchange[],
  sizes: readonly number[],
): void {
  const pairs = streams.flatMap((exchange) => sizes.map((size) => [exchange.id, size, exchange] as const));
  if (pairs.length === 0) return;
  it.each(pairs)('%s is the same in pieces of %i bytes', async (_, splitBytes, exchange) => {
    expect(await replayExchange(create, exchange, { capture: true, splitBytes })).toEqual([]);
  });
}

/** Each conversation goes on as it did. `wire` reads the requests; else the one that fits what was recorded. */
export function describeConversations(
  create: CreateAdapter,
  conversations: readonly (readonly RecordedExchange[])[],
  wire?: WireFormat,
): void {
  if (conversations.length === 0) return;
  describe.each(conversations.map((turns) => [turns[0]?.conversation?.id ?? turns[0]?.id, turns] as const))(
    'conversation %s',
    (_, turns) => {
      it('goes on as it did', async () => {
        expect(await replayConversation(create, wire ?? wireFor(turns[0]!), turns)).toEqual([]);
      });
    },
  );
}
