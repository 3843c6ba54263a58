import type { ModelResponse } from '@glassloop/core/adapter';
import type { WireReply } from '@glassloop/simulator';
import { type Bench, KEY } from './bench.ts';
import { NOW, user } from './fixtures.ts';

/** Streams in pieces of our choice: what a network does with the bytes of an answer. */

/** The bytes, split before each position for which this is true. */
export function cut(bytes: Uint8Array, splitBefore: (at: number) => boolean): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (let at = 1; at <= bytes.length; at++) {
    if (at < bytes.length && !splitBefore(at)) continue;
    pieces.push(bytes.subarray(start, at));
    start = at;
  }
  return pieces;
}

export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Answers to streams of exactly these pieces, through the adapter's `fetch` setting. */
export function byPieces(
  bench: Bench,
  reply: WireReply,
): (pieces: readonly Uint8Array[]) => Promise<ModelResponse> {
  let next: readonly Uint8Array[] = [];
  const answered = async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of next) if (piece.length > 0) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { status: reply.status, headers: reply.headers });
  };
  const baseURL = `http://127.0.0.1:9${bench.wire.basePath}`;
  const adapter = bench.create({ baseURL, apiKey: KEY, fetch: answered });
  return (pieces) => {
    next = pieces;
    return adapter.chat({ messages: [user('Hi')], tools: [NOW], options: {}, onDelta: () => {} });
  };
}
