import { AdapterError } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { checkedLines } from './wire.ts';

function bodyOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function linesOf(...chunks: readonly Uint8Array[]): Promise<string[]> {
  const checked = checkedLines(bodyOf(...chunks), () => new AdapterError('unavailable', 'failed'));
  return (await new Response(checked).text()).split('\n').slice(0, -1);
}

describe('checkedLines', () => {
  const bytes = new TextEncoder().encode('{"a":"Grüße 👋"}\r\n\n{"b":2}\n{"c":3}');

  it('C098 gives the same lines wherever the chunks are cut', async () => {
    for (let at = 0; at <= bytes.length; at++) {
      const lines = await linesOf(bytes.slice(0, at), bytes.slice(at));
      expect(lines.map((line) => JSON.parse(line))).toEqual([{ a: 'Grüße 👋' }, { b: 2 }, { c: 3 }]);
    }
  });

  it('leaves an unfinished last line out, unless it is all there is', async () => {
    const encoded = (text: string) => new TextEncoder().encode(text);
    expect(await linesOf(encoded('{"a":1}\n{"b"'))).toEqual(['{"a":1}']);
    await expect(linesOf(encoded('<html>'))).rejects.toMatchObject({ code: 'bad_response' });
    expect(await linesOf()).toEqual([]);
  });

  it('C099 an error line is a failure', async () => {
    const line = new TextEncoder().encode('{"a":1}\n{"error":"boom"}\n');
    await expect(linesOf(line)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
