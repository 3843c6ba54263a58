/** How a call ends that gets no answer, the same for every adapter: aborts, timeouts, lost connections. */

import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../packages/simulator/src/index.ts';
import { abortOnArrival, asking, failureOf, type Mode, mode, modes, type Scripted } from './provider.ts';

/** `turn` answers with a text, whole or streamed as the mode asks; the stream `Hi` says that first, then something else. */
export function describeConnection(
  scripted: Scripted,
  turn: (content: string, onDelta: Mode) => ScriptedTurn,
  hi: ScriptedTurn,
): void {
  describe('the connection', () => {
    it('C104 the header limit of the HTTP stack is a timeout with a hint', async () => {
      const fetch = async () => {
        const cause = Object.assign(new Error('Headers Timeout Error'), {
          name: 'HeadersTimeoutError',
          code: 'UND_ERR_HEADERS_TIMEOUT',
        });
        throw new TypeError('fetch failed', { cause });
      };
      const { adapter } = await scripted([], { fetch });
      const error = await failureOf(adapter.chat(asking()));
      expect(error).toMatchObject({ code: 'timeout' });
      expect(error.hint).toContain('300 seconds');
      expect(error.hint).toContain('stream');
    });

    it('a connection that dies in a stream keeps the text so far', async () => {
      const { adapter } = await scripted([{ ...hi, cutOff: 1 }]);
      const error = await failureOf(adapter.chat(asking({ onDelta: () => {} })));
      expect(error).toMatchObject({ code: 'network', partial: 'Hi' });
    });

    it.each([
      ['before the answer, whole', 'before', undefined],
      ['before the answer, streamed', 'before', () => {}],
      ['in the middle of a stream', 'midway', () => {}],
    ] as const)('C010, C081 an abort %s closes the connection', async (_, hang, onDelta) => {
      const { adapter, simulator } = await scripted([{ ...hi, hang }]);
      const controller = new AbortController();
      const reason = new Error('enough');
      const call = failureOf(adapter.chat(asking({ signal: controller.signal, ...mode(onDelta) })));
      await abortOnArrival(simulator, controller, reason);
      expect(await call).toBe(reason);
      expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
    });

    it('a signal that is aborted already sends nothing', async () => {
      const { adapter, simulator } = await scripted([]);
      const reason = new Error('never');
      expect(await failureOf(adapter.chat(asking({ signal: AbortSignal.abort(reason) })))).toBe(reason);
      expect(simulator.exchanges).toHaveLength(0);
    });

    it.each(modes)(
      'C103 a timeout is not an abort, and holds although a signal is given (%s)',
      async (_, onDelta) => {
        const silent: ScriptedTurn = { say: 'late', hang: onDelta ? 'midway' : 'before' };
        const { adapter, simulator } = await scripted([silent], { timeoutMs: 300 });
        const { signal } = new AbortController();
        const error = await failureOf(adapter.chat(asking({ signal, ...mode(onDelta) })));
        expect(error).toMatchObject({ code: 'timeout' });
        expect(error.message).toContain('300 ms');
        expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
      },
    );

    it('C125 no abort listener stays behind', async () => {
      const { signal } = new AbortController();
      const calls = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? undefined : () => {}));
      const { adapter } = await scripted(calls.map((onDelta) => turn('x', onDelta)));
      for (const onDelta of calls) await adapter.chat(asking({ signal, ...mode(onDelta) }));
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    });
  });
}

/** What came of a call as a developer may see it: nothing of it may hold a key. */
export function shownOf(error: Error): string {
  const inspected = inspect(error, { depth: 10, showHidden: true });
  return [error.message, error.stack, JSON.stringify(error), inspected].join('\n');
}
