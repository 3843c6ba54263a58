/** Raw capture, the same for every adapter: it changes nothing, and belongs to its own call alone. */

import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../packages/simulator/src/index.ts';
import { asking, type Mode, mode, modes, type Scripted, tool } from './provider.ts';

/** `turn` answers with a text, whole or streamed as the mode asks. */
export function describeCapture(
  scripted: Scripted,
  turn: (content: string, onDelta: Mode) => ScriptedTurn,
): void {
  describe('raw capture and its call', () => {
    it.each(modes)(
      'C031 changes no byte of the request and nothing of the answer (%s)',
      async (_, onDelta) => {
        const { adapter, simulator } = await scripted([turn('x', onDelta), turn('x', onDelta)]);
        const request = asking({ tools: [tool('a')], ...mode(onDelta) });
        const plain = await adapter.chat(request);
        const { metadata, ...captured } = await adapter.chat({ ...request, options: { _capture_raw: true } });
        const [off, on] = simulator.exchanges.map((exchange) => exchange.request);
        expect(on?.bodyText).toBe(off?.bodyText);
        expect(on?.rawHeaders).toEqual(off?.rawHeaders);
        expect(JSON.stringify(captured)).toBe(JSON.stringify(plain));
        expect(metadata).toMatchObject({ _wire: { method: 'POST', body: off?.bodyText } });
        expect(JSON.stringify(metadata)).not.toContain('test-key');
        expect(off?.bodyText).not.toContain('capture');
      },
    );

    it('C030 two calls of one adapter share nothing', async () => {
      const texts = Array.from({ length: 30 }, (_, index) => `answer ${index}`);
      // Later ones are answered sooner, so that the calls overlap.
      const { adapter } = await scripted(
        texts.map((content, index) => ({ ...turn(content, undefined), delayMs: (texts.length - index) * 2 })),
      );
      const responses = await Promise.all(
        texts.map((_, index) =>
          adapter.chat(asking(index % 2 === 0 ? { options: { _capture_raw: true } } : {})),
        ),
      );
      for (const [index, { message, metadata }] of responses.entries()) {
        if (index % 2 === 1) expect(metadata).toBeUndefined();
        else expect(JSON.stringify(metadata?.['_raw'])).toContain(JSON.stringify(message.content));
      }
      expect(responses.map(({ message }) => message.content).sort()).toEqual([...texts].sort());
    });
  });
}
