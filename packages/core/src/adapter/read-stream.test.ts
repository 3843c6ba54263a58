import { describe, expect, it } from 'vitest';
import { readEvents, readLines } from './read-stream.ts';

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The text in one piece, split in two at every byte, and byte by byte. */
function everySplit(text: string): readonly (readonly Uint8Array[])[] {
  const bytes = new TextEncoder().encode(text);
  const inTwo = Array.from({ length: bytes.length + 1 }, (_, at) => [
    bytes.subarray(0, at),
    bytes.subarray(at),
  ]);
  return [...inTwo, Array.from(bytes, (byte) => Uint8Array.of(byte))];
}

const ENDS = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const;

describe('readEvents', () => {
  it.each(ENDS)('gives the same events wherever the bytes are split, with %s', async (_, end) => {
    const text = [
      ': a comment',
      'event: piece',
      'id: 7',
      'data: {"é":"🌨️"}',
      '',
      'data:no blank',
      'data: second line',
      'retry: 10',
      '',
      '',
      'event: empty',
      '',
      'data',
      'data:  two blanks, one is text',
      '',
      '',
    ].join(end);
    const expected = [
      { event: 'piece', data: '{"é":"🌨️"}' },
      { data: 'no blank\nsecond line' },
      { data: '\n two blanks, one is text' },
    ];
    for (const pieces of everySplit(text)) expect(await all(readEvents(bodyOf(pieces)))).toEqual(expected);
  });

  it('gives an event that the end of the stream cuts off', async () => {
    for (const pieces of everySplit('data: 1\n\ndata: 2'))
      expect(await all(readEvents(bodyOf(pieces)))).toEqual([{ data: '1' }, { data: '2' }]);
  });

  it('finds nothing in nothing, and takes a byte-order mark off', async () => {
    expect(await all(readEvents(bodyOf([])))).toEqual([]);
    for (const pieces of everySplit('\uFEFFdata: 1\n\n'))
      expect(await all(readEvents(bodyOf(pieces)))).toEqual([{ data: '1' }]);
  });
});

describe('readLines', () => {
  it.each(ENDS)('gives the same lines wherever the bytes are split, with %s', async (_, end) => {
    for (const pieces of everySplit(['{"é":1}', '', '  ', '{"🌨️":2}', 'last'].join(end)))
      expect(await all(readLines(bodyOf(pieces)))).toEqual(['{"é":1}', '{"🌨️":2}', 'last']);
  });

  it('hands a line on as soon as it is there, and cancels the body when it is left', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('one\rtw')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const line of readLines(body)) {
      expect(line).toBe('one');
      break;
    }
    expect(cancelled).toBe(true);
  });

  it('throws what the body throws', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error('the connection broke')),
    });
    await expect(all(readLines(body))).rejects.toThrow('the connection broke');
  });
});
