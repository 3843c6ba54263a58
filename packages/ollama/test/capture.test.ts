import { describe, expect, it } from 'vitest';
import { describeCapture } from '../../../scripts/testing/capture.ts';
import { answer, asking, json, lines, modes, scripted } from './helpers.ts';

const MARKER = 'only-in-an-unknown-field';

describe('raw capture', () => {
  it.each(modes)('C028 is off by default: nothing of the body stays (%s)', async (_, onDelta) => {
    const body = answer({ content: 'x', x_unknown: MARKER }, { x_unknown: MARKER });
    const { adapter } = await scripted([onDelta ? lines(body) : json(body)]);
    const response = await adapter.chat(asking(onDelta ? { onDelta } : {}));
    expect(JSON.stringify(response)).not.toContain(MARKER);
    expect(response).not.toHaveProperty('metadata');
  });

  it('C029 is the body as the server sent it, unknown fields included', async () => {
    const body = answer({ content: 'x', x_unknown: { k: 1 } }, { x_unknown: { k: 1 } });
    const { adapter } = await scripted([json(body), lines(body)]);
    const options = { _capture_raw: true } as const;
    const whole = await adapter.chat(asking({ options }));
    expect(whole.metadata?.['_raw']).toEqual(JSON.parse(JSON.stringify(body)));
    const streamed = await adapter.chat(asking({ options, onDelta: () => {} }));
    expect(streamed.metadata).toMatchObject({ _raw: [JSON.parse(JSON.stringify(body))] });
  });
});

describeCapture(scripted, (content, onDelta) => (onDelta ? lines : json)(answer({ content })));
