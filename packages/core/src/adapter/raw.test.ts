import { describe, expect, it } from 'vitest';
import { exchangeMetadata } from './raw.ts';

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
});
