import type { CallOptions } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { answer, asking, events, failure, json, KEY, scripted, sse, watching } from './helpers.ts';

const capture: CallOptions = { _capture_raw: true };
const body = answer([{ text: 'hi', partExtra: 'MARKER-1' }], {
  xUnknown: { k: 'MARKER-2' },
  text: 'MARKER-3',
});

describe('raw capture', () => {
  it('C028 off, nothing of the body is kept', async () => {
    const { adapter } = await scripted([
      json(answer([{ text: 'hi' }], { x: 'MARKER' })),
      json({ error: { code: 500, message: 'no', x: 'MARKER' } }, 500),
    ]);
    const response = await adapter.chat(asking());
    expect(response).not.toHaveProperty('metadata');
    expect(JSON.stringify(response)).not.toContain('MARKER');
    const error = await failure(adapter.chat(asking()));
    expect(JSON.stringify(error)).not.toContain('MARKER');
    expect(error.metadata).toBeUndefined();
  });

  it('C029 the raw body is what the provider sent, unknown fields included', async () => {
    const chunks = events([{ text: 'h' }, { text: 'i', thoughtSignature: 'Uw==' }], {
      text: 'MARKER',
      xUnknown: [1],
    });
    const { adapter, body: sentBody } = await scripted([json(body), sse(...chunks)]);
    const whole = await adapter.chat(asking({ options: capture }));
    expect(whole.metadata!['_raw']).toEqual(JSON.parse(JSON.stringify(body)));
    expect(whole.metadata!['_wire']).toMatchObject({ method: 'POST', body: JSON.stringify(sentBody()) });
    const streamed = await adapter.chat(watching({ options: capture }).request);
    expect(streamed.metadata!['_raw']).toEqual(JSON.parse(JSON.stringify(chunks)));
    expect(JSON.stringify([whole, streamed])).not.toContain(KEY);
  });

  it('C029 failures carry it too', async () => {
    const error = { error: { code: 503, message: 'no', x: 1 } };
    const { adapter } = await scripted(
      [json(error, 503), json('<html>'), { ...json(body), hang: 'before' }],
      { timeoutMs: 300 },
    );
    expect((await failure(adapter.chat(asking({ options: capture })))).metadata._raw).toEqual(error);
    expect((await failure(adapter.chat(asking({ options: capture })))).metadata._raw).toBe('<html>');
    const timeout = await failure(adapter.chat(asking({ options: capture })));
    expect(timeout.code).toBe('timeout');
    expect(timeout.metadata._wire.body).toContain('contents');
  });

  it('C030 many calls at once, some of them captured, never meet', async () => {
    const mine: string[] = [];
    const own: typeof fetch = (input, init) => {
      mine.push(String(init?.body));
      return fetch(input, init);
    };
    for (const settings of [{}, { fetch: own }]) {
      const global = globalThis.fetch;
      // The answer to a question is the question itself, after a while.
      const { adapter } = await scripted([], settings, {
        respond: ({ messages: [asked] }) => ({
          say: asked!.role === 'tool' ? '' : asked!.text,
          delayMs: Math.floor(Math.random() * 30),
        }),
      });
      const calls = Array.from({ length: 40 }, async (_, n) => {
        const options = n % 3 === 0 ? capture : {};
        const request = { messages: [{ role: 'user', content: `q${n}` }] as const, options };
        const response = await adapter.chat(n % 2 === 0 ? asking(request) : watching(request).request);
        return { n, response };
      });
      for (const { n, response } of await Promise.all(calls)) {
        expect(response.message.content).toBe(`q${n}`);
        if (n % 3 !== 0) expect(response).not.toHaveProperty('metadata');
        else {
          expect(JSON.stringify(response.metadata!['_raw'])).toContain(`"q${n}"`);
          expect(response.metadata!['_wire']).toMatchObject({ body: expect.stringContaining(`"q${n}"`) });
        }
      }
      expect(globalThis.fetch).toBe(global);
    }
    expect(mine).toHaveLength(40);
  });

  it('C031 the request is the same byte for byte, and knows nothing of it', async () => {
    const { adapter, simulator } = await scripted([json(body), json(body), sse(body), sse(body)]);
    await adapter.chat(asking());
    await adapter.chat(asking({ options: capture }));
    await adapter.chat(watching().request);
    await adapter.chat(watching({ options: capture }).request);
    const requests = simulator.exchanges.map(({ request }) => request);
    for (const pair of [requests.slice(0, 2), requests.slice(2)]) {
      expect(pair[1]!.bodyText).toBe(pair[0]!.bodyText);
      expect(pair[1]!.rawHeaders).toEqual(pair[0]!.rawHeaders);
    }
    expect(JSON.stringify(requests.map(({ rawHeaders, bodyText }) => [rawHeaders, bodyText]))).not.toMatch(
      /capture|trace/i,
    );
  });

  it('C031 the result is the same but for the metadata', async () => {
    const { adapter } = await scripted([json(body), json(body)]);
    const plain = await adapter.chat(asking());
    const { metadata: _, ...captured } = await adapter.chat(asking({ options: capture }));
    expect(captured).toEqual(plain);
  });
});
