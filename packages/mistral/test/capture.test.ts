import { describe, expect, it } from 'vitest';
import { answer, asking, events, json, modes, piece, scripted, tool } from './helpers.ts';

const MARKER = 'only-in-an-unknown-field';

describe('raw capture', () => {
  it.each(modes)('C028 is off by default: nothing of the body stays (%s)', async (_, onDelta) => {
    const { adapter } = await scripted([
      onDelta
        ? events(piece({ content: 'x', x_unknown: MARKER }, 'stop', { x_unknown: MARKER }))
        : json(answer({ content: 'x', x_unknown: MARKER }, { x_unknown: MARKER })),
    ]);
    const response = await adapter.chat(asking(onDelta ? { onDelta } : {}));
    expect(JSON.stringify(response)).not.toContain(MARKER);
    expect(response).not.toHaveProperty('metadata');
  });

  it('C029 is the body as the provider sent it, unknown fields and names included', async () => {
    const body = {
      choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, num_cached_tokens: 4 },
      x_unknown: { k: 1 },
    };
    const list = [
      piece({ content: 'h', x_unknown: 1 }),
      piece({ content: 'i' }, 'stop', { x_unknown: { k: 1 } }),
    ];
    const { adapter } = await scripted([json(body), events(...list, '[DONE]')]);
    const options = { _capture_raw: true } as const;
    const whole = await adapter.chat(asking({ options }));
    expect(whole.metadata?.['_raw']).toEqual(body);
    expect(whole.message.content).toBe('hi');
    const streamed = await adapter.chat(asking({ options, onDelta: () => {} }));
    expect(streamed.metadata?.['_raw']).toEqual(list);
  });

  it.each(modes)('C031 changes no byte of the request and nothing of the answer (%s)', async (_, onDelta) => {
    const turn = onDelta ? events(piece({ content: 'x' }, 'stop')) : json(answer({ content: 'x' }));
    const { adapter, simulator } = await scripted([turn, turn]);
    const request = asking({ tools: [tool('a')], ...(onDelta ? { onDelta } : {}) });
    const plain = await adapter.chat(request);
    const { metadata, ...captured } = await adapter.chat({ ...request, options: { _capture_raw: true } });
    const [off, on] = simulator.exchanges.map((exchange) => exchange.request);
    expect(on?.bodyText).toBe(off?.bodyText);
    expect(on?.rawHeaders).toEqual(off?.rawHeaders);
    expect(JSON.stringify(captured)).toBe(JSON.stringify(plain));
    expect(metadata).toMatchObject({ _wire: { method: 'POST', body: off?.bodyText } });
    expect(JSON.stringify(metadata)).not.toContain('test-key');
    expect(off?.bodyText).not.toContain('capture');
  });

  it('C030 two calls of one adapter share nothing', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `answer ${index}`);
    // Later ones are answered sooner, so that the calls overlap.
    const { adapter } = await scripted(
      texts.map((content, index) => ({ ...json(answer({ content })), delayMs: (texts.length - index) * 2 })),
    );
    const responses = await Promise.all(
      texts.map((_, index) =>
        adapter.chat(asking(index % 2 === 0 ? { options: { _capture_raw: true } } : {})),
      ),
    );
    for (const [index, { message, metadata }] of responses.entries()) {
      if (index % 2 === 1) expect(metadata).toBeUndefined();
      else expect(metadata?.['_raw']).toMatchObject({ choices: [{ message: { content: message.content } }] });
    }
    expect(responses.map(({ message }) => message.content).sort()).toEqual([...texts].sort());
  });
});
