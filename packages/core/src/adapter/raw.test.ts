import { describe, expect, it } from 'vitest';
import { type Exchange, exchangeMetadata, tapFetch } from './raw.ts';

function rawOf(text: string, contentType: string): unknown {
  return exchangeMetadata({ _capture_raw: true }, { text, contentType }, [])?.['_raw'];
}

describe('exchangeMetadata', () => {
  it('gives a stream as the list of its decoded events', () => {
    expect(rawOf('data: {"a":1}\n\ndata: {"b":2}\n\n', 'text/event-stream')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(rawOf('', 'text/event-stream')).toEqual([]);
  });

  it('gives a JSON body as it is, also under the content type of a stream', () => {
    const body = { error: { code: 400, message: 'API key not valid.' } };
    expect(rawOf(JSON.stringify(body, null, 2), 'text/event-stream')).toEqual(body);
  });

  it('gives a stream of JSON lines as a list, also when there is only one line', () => {
    expect(rawOf('{"n":1}\n{"n":2}\n', 'application/x-ndjson')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(rawOf('{"done":true}\n', 'application/x-ndjson')).toEqual([{ done: true }]);
    expect(rawOf('', 'application/x-ndjson')).toEqual([]);
  });
});

describe('tapFetch', () => {
  const base = (async () => new Response('{"a":"ü"}')) as typeof fetch;

  it.each(['text', 'json'] as const)(
    'gives %s also to one who has looked at the body before',
    async (read) => {
      const exchange: Exchange = {};
      const response = await tapFetch(base, exchange)('http://127.0.0.1/');
      expect(response.body).not.toBeNull();
      const value = await response[read]();
      expect(read === 'json' ? value : JSON.parse(value)).toEqual({ a: 'ü' });
      expect(exchange.text).toBe('{"a":"ü"}');
    },
  );
});
