import { describe, expect, it } from 'vitest';
import { describeCapture } from '../../../scripts/testing/capture.ts';
import { answer, asking, json, modes, piece, scripted, sse } from './helpers.ts';

const MARKER = 'only-in-an-unknown-field';

describe('raw capture', () => {
  it.each(modes)('C028 is off by default: nothing of the body stays (%s)', async (_, onDelta) => {
    const { adapter } = await scripted([
      onDelta
        ? sse(piece({ content: 'x', x_unknown: MARKER }, 'stop', { x_unknown: MARKER }))
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
    const { adapter } = await scripted([json(body), sse(...list, '[DONE]')]);
    const options = { _capture_raw: true } as const;
    const whole = await adapter.chat(asking({ options }));
    expect(whole.metadata?.['_raw']).toEqual(body);
    expect(whole.message.content).toBe('hi');
    const streamed = await adapter.chat(asking({ options, onDelta: () => {} }));
    expect(streamed.metadata?.['_raw']).toEqual(list);
  });
});

describeCapture(scripted, (content, onDelta) =>
  onDelta ? sse(piece({ content }, 'stop')) : json(answer({ content })),
);
