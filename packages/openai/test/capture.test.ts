import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { answering, asking, echo, modes, scripted } from './helpers.ts';

const MARKER = 'only-in-an-unknown-field';
const on = { _capture_raw: true } as const;

describe.each(modes)('raw capture (%s)', (_, onDelta) => {
  const ask = asking({ tools: [echo], ...(onDelta && { onDelta }) });
  const turn = answering(onDelta, { content: 'hi', x_unknown: MARKER }, 'stop', {
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, num_cached_tokens: 4 },
    x_unknown: { k: MARKER },
  });

  it('C028 is off by default: nothing of the body stays', async () => {
    const { adapter } = await scripted([turn, turn]);
    for (const options of [{}, { _capture_raw: false }]) {
      const response = await adapter.chat({ ...ask, options: options as object });
      expect(JSON.stringify(response)).not.toContain(MARKER);
      expect(response).not.toHaveProperty('metadata');
    }
  });

  it('C029 is the body as the server sent it', async () => {
    const { adapter } = await scripted([turn]);
    const { metadata } = await adapter.chat({ ...ask, options: on });
    const sent = 'reply' in turn ? turn.reply.chunks.map(String) : [];
    const decoded = onDelta
      ? sent.filter((line) => !line.includes('[DONE]')).map((line) => JSON.parse(line.slice(6)))
      : JSON.parse(sent[0] ?? '');
    expect(metadata?.['_raw']).toEqual(decoded);
  });

  it('C031 changes no byte of the request and nothing of the answer', async () => {
    const { adapter, simulator } = await scripted([turn, turn, turn]);
    const plain = await adapter.chat(ask);
    const { metadata, ...captured } = await adapter.chat({ ...ask, options: on });
    await adapter.chat(ask);
    const [before, during, after] = simulator.exchanges.map(({ request }) => request);
    expect(during?.bodyText).toBe(before?.bodyText);
    expect(during?.rawHeaders).toEqual(before?.rawHeaders);
    expect(after?.rawHeaders).toEqual(before?.rawHeaders);
    expect(JSON.stringify(captured)).toBe(JSON.stringify(plain));
    expect(metadata?.['_wire']).toMatchObject({ method: 'POST', body: before?.bodyText });
    expect(before?.bodyText).not.toContain('capture');
  });

  it('C028 a failed call carries the exchange only when asked to', async () => {
    const fail = { fail: { status: 400, message: 'no' } };
    const { adapter } = await scripted([fail, fail]);
    const error = await adapter.chat({ ...ask, options: on }).catch((thrown) => thrown);
    expect(error.metadata._raw.error.message).toBe('no');
    expect(error.metadata._wire.method).toBe('POST');
    const plain = await adapter.chat(ask).catch((thrown) => thrown);
    expect(plain.metadata).toBeUndefined();
  });

  it('C030 calls side by side share nothing', async () => {
    const texts = Array.from({ length: 50 }, (_text, index) => `answer ${index}`);
    const { adapter } = await scripted(
      texts.map((content, index) => ({ ...answering(onDelta, { content }), delayMs: (index * 7) % 20 })),
    );
    const responses = await Promise.all(
      texts.map((_text, index) => adapter.chat({ ...ask, options: index % 2 === 0 ? on : {} })),
    );
    for (const [index, { message, metadata }] of responses.entries()) {
      if (index % 2 === 1) expect(metadata).toBeUndefined();
      else expect(JSON.stringify(metadata?.['_raw'])).toContain(`"${message.content}"`);
    }
    expect(responses.map(({ message }) => message.content).sort()).toEqual([...texts].sort());
  });

  it('C028 neither the HTTP response nor a long body outlives the call', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const responses: WeakRef<Response>[] = [];
    const watched: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      responses.push(new WeakRef(response));
      return response;
    };
    const { adapter } = await scripted([turn], { fetch: watched });
    const result = await adapter.chat(ask);
    for (let tries = 0; tries < 20 && responses[0]?.deref() !== undefined; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    expect(responses).toHaveLength(1);
    expect(responses[0]?.deref()).toBeUndefined();
    expect(result.message.content).toBe('hi');
  });
});
