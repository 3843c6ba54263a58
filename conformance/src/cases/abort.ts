import { getEventListeners } from 'node:events';
import type { ScriptedTurn } from '@glassloop/simulator';
import type { Bench, Provider } from '../bench.ts';
import { bothModes, streamed } from '../case.ts';
import { failsWith, holds, rejection, same, until, within } from '../check.ts';

/** Long enough for a slow machine, and far less than any timeout an adapter has of its own. */
const AT_ONCE_MS = 1_000;

const both = bothModes({
  'abort.before': {
    title: 'A signal that is already aborted rejects with its reason, and nothing is sent',
    why: 'A cancelled run sent one more paid request.',
    async run(bench) {
      const provider = await bench.provider();
      const reason = new Error('changed my mind');
      const error = await rejection(ask(provider, AbortSignal.abort(reason)));

      same(error === reason, true, 'the rejection is the reason itself');
      same(provider.exchanges.length, 0, 'requests');
    },
  },
  'abort.waiting': {
    title: 'Abort while waiting rejects at once with the reason, and the connection closes',
    why: 'The promise settled but the request ran on, and was billed; or nothing settled at all.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Never.', hang: 'before' });
      const controller = new AbortController();
      const reason = new Error('changed my mind');
      const call = rejection(ask(provider, controller.signal));
      await until(() => provider.exchanges.length === 1, 'the request arrives');
      controller.abort(reason);

      same(
        (await within(AT_ONCE_MS, call, 'settling after the abort')) === reason,
        true,
        'the rejection is the reason itself',
      );
      const left = await within(AT_ONCE_MS, provider.exchange(0).clientLeft, 'the connection closing');
      same(left, true, 'the client closed the connection');
    },
  },
  'abort.any-reason': {
    title: 'The reason is handed on as it is, whatever it is: text, undefined, a DOMException',
    why: 'SDKs wrap an abort in four shapes; callers compare with their own reason.',
    async run(bench) {
      for (const reason of ['a text', { code: 7 }, undefined]) {
        const provider = await bench.provider({ say: 'Never.', hang: 'before' });
        const controller = new AbortController();
        const call = rejection(ask(provider, controller.signal));
        await until(() => provider.exchanges.length === 1, 'the request arrives');
        controller.abort(reason);
        const error = await within(AT_ONCE_MS, call, 'settling after the abort');

        same(error === controller.signal.reason, true, `the rejection is the reason ${String(reason)}`);
      }
    },
  },
  'abort.timeout': {
    title: "No answer within timeoutMs is 'timeout', not an abort, and the connection closes",
    why: 'A timeout that looks like a cancellation is not reported to anybody.',
    async run(bench) {
      const provider = await timedOut(bench, { say: 'Never.', hang: 'before' });

      same(provider.exchanges.length, 1, 'requests');
      const left = await within(AT_ONCE_MS, provider.exchange(0).clientLeft, 'the connection closing');
      same(left, true, 'the client closed the connection');
    },
  },
  'abort.timeout-midway': {
    title: 'timeoutMs holds for the whole call, not only for its first byte',
    why: 'A stream that stalls after its headers hung for ever.',
    async run(bench) {
      const reply = await bench.replyFor({ say: 'A beginning, and then nothing.' });
      const text = reply.chunks.join('');
      const chunks = [text.slice(0, text.length / 2), text.slice(text.length / 2)];
      const stalled = { reply: { headers: reply.headers, chunks }, hang: 'midway' as const };
      const provider = await timedOut(bench, stalled);

      const left = await within(AT_ONCE_MS, provider.exchange(0).clientLeft, 'the connection closing');
      same(left, true, 'the client closed the connection');
    },
  },
  'abort.listeners': {
    title: 'No listener stays on the signal after a call, whether it went well or not',
    why: 'A signal that lives as long as the app collects one listener per call, and what they hold.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.' }, { fail: { status: 500 } }, { say: 'Hi.' });
      const { signal } = new AbortController();
      await ask(provider, signal);
      await rejection(ask(provider, signal));
      await ask(provider, signal);

      same(getEventListeners(signal, 'abort').length, 0, 'listeners left on the signal');
    },
  },
  'abort.unrelated': {
    title: 'Aborting one call does not touch another one of the same adapter',
    why: 'A controller shared per adapter ended everybody’s runs.',
    async run(bench) {
      const provider = await bench.responder((seen) =>
        seen.messages.at(-1)?.text === 'slow'
          ? { say: 'Never.', hang: 'before' }
          : { say: 'Fine.', delayMs: 30 },
      );
      const controller = new AbortController();
      const slow = rejection(ask(provider, controller.signal, 'slow'));
      const fine = ask(provider, new AbortController().signal, 'fine');
      await until(() => provider.exchanges.length === 2, 'both requests arrive');
      controller.abort();
      await within(AT_ONCE_MS, slow, 'settling after the abort');

      same((await fine).message.content, 'Fine.', 'content of the other call');
    },
  },
});

const midStream = streamed({
  'abort.mid-stream': {
    title: 'Abort in the middle of a stream rejects at once with the reason, and the connection closes',
    why: 'Breaking out of the loop left the provider writing, and billing, to the end.',
    async run(bench) {
      const reply = await bench.replyFor({ say: 'A beginning, and then nothing.' });
      const text = reply.chunks.join('');
      const chunks = [text.slice(0, text.length / 2), text.slice(text.length / 2)];
      const provider = await bench.provider({ reply: { headers: reply.headers, chunks }, hang: 'midway' });
      const controller = new AbortController();
      const reason = new Error('seen enough');
      let heard = 0;
      const call = rejection(provider.ask({ signal: controller.signal, onDelta: () => heard++ }));
      await until(() => heard > 0, 'the first piece arrives while the stream is still open');
      controller.abort(reason);

      same(
        (await within(AT_ONCE_MS, call, 'settling after the abort')) === reason,
        true,
        'the rejection is the reason itself',
      );
      const before = heard;
      const left = await within(AT_ONCE_MS, provider.exchange(0).clientLeft, 'the connection closing');
      same(left, true, 'the client closed the connection');
      await new Promise((resolve) => setTimeout(resolve, 10));
      holds(heard === before, 'pieces were reported after the call had settled');
    },
  },
});

/** A call that waits for its answer until the timeout ends it. On a machine too busy to send one in time: a longer one. */
async function timedOut(bench: Bench, turn: ScriptedTurn): Promise<Provider> {
  // Loads the SDK, which takes longer than the shortest timeout.
  await bench.replyFor({ say: 'Hi.' });
  for (let timeoutMs = 80; ; timeoutMs *= 4) {
    const provider = await bench.responder(() => turn, { timeoutMs });
    await within(timeoutMs + AT_ONCE_MS, failsWith(provider.ask(), 'timeout'), 'settling after the timeout');
    if (provider.exchanges.length > 0 || timeoutMs > 1_000) return provider;
  }
}

type Asked = { ask(request: object): Promise<unknown> };

function ask<P extends Asked>(provider: P, signal: AbortSignal, content = 'Hi'): ReturnType<P['ask']> {
  return provider.ask({ messages: [{ role: 'user', content }], signal }) as ReturnType<P['ask']>;
}

export const abortCases = [...both, ...midStream];
