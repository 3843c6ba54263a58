import { createServer } from 'node:net';
import type { AdapterErrorCode } from '@glassloop/core/adapter';
import { KEY, notApplicable, replay } from '../bench.ts';
import { bothModes, streamed, whole } from '../case.ts';
import { failsWith, holds, same, until } from '../check.ts';
import { user } from '../fixtures.ts';

const SAID = 'the provider says: no such luck today';

const byStatus = bothModes({
  'errors.status': {
    title: 'Each HTTP status becomes the code it means, with status, text of the provider and advice',
    why: 'Callers act on codes; one provider’s 402 arrived as "network", another’s 529 as "unknown".',
    async run(bench) {
      const table: readonly (readonly [number, AdapterErrorCode])[] = [
        [400, 'invalid_request'],
        [401, 'auth'],
        [402, 'billing'],
        [403, 'auth'],
        [404, 'not_found'],
        [408, 'timeout'],
        [413, 'context_exceeded'],
        [422, 'invalid_request'],
        [429, 'rate_limited'],
        [500, 'unavailable'],
        [502, 'unavailable'],
        [503, 'unavailable'],
        [529, 'unavailable'],
      ];
      const provider = await bench.provider(
        ...table.map(([status]) => ({ fail: { status, message: SAID } })),
      );
      for (const [status, code] of table) {
        const error = await failsWith(provider.ask(), code);

        same(error.status, status, `status of the error for HTTP ${status}`);
        holds(
          error.message.includes(SAID),
          `HTTP ${status}: the provider's text is missing in: ${error.message}`,
        );
        holds(error.hint.length > 10, `HTTP ${status}: no advice`);
      }
      same(provider.exchanges.length, table.length, 'requests');
    },
  },
  'errors.no-retries': {
    title: 'A failure is one request: the adapter and its SDK do not retry',
    why: 'The loop retries; an SDK that retries below it multiplies the attempts, the bill and the wait.',
    async run(bench) {
      const provider = await bench.provider(
        { fail: { status: 429 } },
        { fail: { status: 503 } },
        { say: 'x', cutOff: 'before' },
      );
      await failsWith(provider.ask(), 'rate_limited');
      same(provider.exchanges.length, 1, 'requests after a 429');
      await failsWith(provider.ask(), 'unavailable');
      same(provider.exchanges.length, 2, 'requests after a 429 and a 503');
      await failsWith(provider.ask(), 'network');
      same(provider.exchanges.length, 3, 'requests after a broken connection too');
    },
  },
  'errors.retry-after': {
    title: 'Retry-After is handed over in milliseconds, from seconds and from a date',
    why: 'Ignoring it turns one 429 into many.',
    async run(bench) {
      const date = new Date(Date.now() + 30_000).toUTCString();
      const provider = await bench.provider(
        { fail: { status: 429, headers: { 'retry-after': '7' } } },
        { fail: { status: 503, headers: { 'retry-after': date } } },
        { fail: { status: 429 } },
      );
      const seconds = await failsWith(provider.ask(), 'rate_limited');
      const dated = await failsWith(provider.ask(), 'unavailable');
      const none = await failsWith(provider.ask(), 'rate_limited');

      same(seconds.retryAfterMs, 7_000, 'retryAfterMs from seconds');
      holds(
        dated.retryAfterMs !== undefined && dated.retryAfterMs > 25_000 && dated.retryAfterMs <= 30_000,
        `retryAfterMs from a date in 30 s is ${dated.retryAfterMs}`,
      );
      same(none.retryAfterMs, undefined, 'retryAfterMs when nothing was said');
    },
  },
  'errors.request-id': {
    title: 'The request id of a failure is handed over',
    why: 'It is the first thing a provider asks for, and the first thing an error mapper drops.',
    async run(bench) {
      const headers = { 'x-request-id': 'req-77', 'request-id': 'req-77' };
      const provider = await bench.provider({ fail: { status: 500, headers } });

      same((await failsWith(provider.ask(), 'unavailable')).requestId, 'req-77', 'requestId');
    },
  },
  'errors.context-window': {
    title: "A conversation that is too long is 'context_exceeded', although the status is 400",
    why: 'The caller can shorten it, if it is told; as "invalid_request" it is a riddle.',
    async run(bench) {
      const message =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
      const provider = await bench.provider({ fail: { status: 400, message } });

      await failsWith(provider.ask(), 'context_exceeded');
    },
  },
  'errors.not-json': {
    title: "A page, nothing, or half a JSON under status 200 is 'bad_response' with a short excerpt",
    why: 'Proxies and captive portals answer 200 with HTML; a syntax error with a megabyte of it helps nobody.',
    async run(bench) {
      const html = `<!doctype html><html><body>${'Sign in to the guest network. '.repeat(2_000)}</body></html>`;
      const good = await bench.replyFor({ say: 'Hello there, this is a whole answer.' });
      const half = good.chunks.join('').slice(0, 60);
      const json = { 'content-type': 'application/json' };
      const provider = await bench.provider(
        { reply: { headers: { 'content-type': 'text/html' }, chunks: [html] } },
        { reply: { headers: good.headers, chunks: [''] } },
        { reply: { headers: json, chunks: [half] } },
        { reply: { headers: json, chunks: ['[]'] } },
        { reply: { headers: json, chunks: ['{"hello":"world"}'] } },
      );

      for (const what of [
        'a page',
        'an empty body',
        'half a JSON',
        'an empty list',
        'JSON of something else',
      ]) {
        const error = await failsWith(provider.ask(), 'bad_response').catch((reason) => {
          throw new Error(`${what}: ${reason.message}`);
        });
        holds(error.message.length < 1_200, `${what}: the message has ${error.message.length} characters`);
      }
    },
  },
  'errors.inside-200': {
    title: 'An error under status 200 is an error, with the text of the provider',
    why: 'Routers answer 200 and put the failure into the body; it looked like an empty success.',
    async run(bench) {
      const failure = await bench.replyFor({ fail: { status: 429, message: SAID } });
      const provider = await bench.provider(replay({ ...failure, status: 200 }));
      const error = await failsWith(
        provider.ask(),
        'rate_limited',
        'unavailable',
        'bad_response',
        'invalid_request',
      );

      holds(error.message.includes(SAID), `the provider's text is missing in: ${error.message}`);
    },
  },
  'errors.refused': {
    title: "A refused or reset connection is 'network', at once",
    why: 'SDKs report it in a dozen shapes; waiting and retrying below the loop hides a wrong address.',
    async run(bench) {
      const closed = await unusedPort();
      const adapter = bench.create({
        baseURL: `http://127.0.0.1:${closed}${bench.wire.basePath}`,
        apiKey: KEY,
      });
      const request = { messages: [user('Hi')], tools: [], options: {} };
      const call = bench.mode === 'streamed' ? { ...request, onDelta: () => {} } : request;
      await failsWith(adapter.chat(call), 'network');

      const provider = await bench.provider({ say: 'x', cutOff: 'before' });
      await failsWith(provider.ask(), 'network');
      same(provider.exchanges.length, 1, 'requests');
    },
  },
  'errors.mid-body': {
    title: 'A connection that breaks inside the body is an error, not a short answer',
    why: 'Half an answer passed for a whole one.',
    async run(bench) {
      const reply = await bench.replyFor({
        say: 'An answer of some length, so that half of it is something.',
      });
      const text = reply.chunks.join('');
      const half = replay(reply, () => [text.slice(0, Math.floor(text.length * 0.6))]);
      const provider = await bench.provider({ ...half, cutOff: 1 });

      await failsWith(provider.ask(), 'network', 'bad_response');
    },
  },
});

const others = [
  ...whole({
    'errors.no-key': {
      title: "A missing key is 'auth' before anything is sent, and the advice names the variable to set",
      why: 'A 401 from the provider, or a key of another provider found in the environment, takes an hour to understand.',
      async run(bench) {
        const provider = await bench.provider({ say: 'Hi.' });
        let adapter: typeof provider.adapter;
        try {
          adapter = bench.create({ baseURL: provider.simulator.baseURL, apiKey: '' });
        } catch (error) {
          const refusal = await failsWith(Promise.reject(error), 'auth');
          holds(
            /[A-Z]+_[A-Z_]*KEY|[A-Z_]+TOKEN/.test(refusal.hint),
            `the advice names no variable: ${refusal.hint}`,
          );
          same(provider.exchanges.length, 0, 'requests');
          await provider.ask();
          return;
        }
        const { message } = await adapter.chat({ messages: [user('Hi')], tools: [], options: {} });
        same(message.content, 'Hi.', 'answer to an adapter that needs no key');
      },
    },
  }),
  ...streamed({
    'errors.mid-stream': {
      title: 'An error in the middle of a stream rejects, and hands over the text received before it',
      why: 'The stream looked finished, and the paid-for text was lost.',
      async run(bench) {
        const failure = await bench.replyFor({ fail: { status: 503, message: SAID } });
        const good = await bench.replyFor({ say: 'Received before the failure.' });
        const [middle] = [Math.ceil(good.chunks.length / 2)];
        const event = asEvent(failure.chunks.join(''), good.headers);
        const provider = await bench.provider({
          reply: { headers: good.headers, chunks: [...good.chunks.slice(0, middle), event] },
        });
        const error = await failsWith(
          provider.ask(),
          'unavailable',
          'bad_response',
          'network',
          'rate_limited',
          'invalid_request',
        );

        holds(error.message.includes(SAID), `the provider's text is missing in: ${error.message}`);
        const heard = textOf(provider.deltas);
        holds(heard !== '', 'no text was reported before the error');
        same(error.partial, heard, 'partial');
      },
    },
    'errors.broken-stream': {
      title: "A stream whose connection breaks is 'network', with the text received before",
      why: 'The stream looked finished.',
      async run(bench) {
        const good = await bench.replyFor({ say: 'Received before the failure.' });
        const provider = await bench.provider({
          say: 'Received before the failure.',
          cutOff: Math.ceil(good.chunks.length / 2),
        });
        const error = await failsWith(provider.ask(), 'network');

        same(error.partial, textOf(provider.deltas), 'partial');
        holds(error.partial !== '', 'partial is empty');
      },
    },
  }),
];

function textOf(deltas: readonly { kind: string; text?: string }[]): string {
  return deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
}

/** A failure as this wire's streams carry one. */
function asEvent(json: string, headers: Readonly<Record<string, string>>): string {
  const type = headers['content-type'] ?? '';
  const parsed = JSON.parse(json) as { type?: unknown };
  // On one line, whatever the body looked like: a line break would end the event's data.
  const data = JSON.stringify(parsed);
  if (type.includes('ndjson')) return `${data}\n`;
  if (!type.includes('event-stream')) notApplicable(`streams of ${type} have no events`);
  return `${typeof parsed.type === 'string' ? `event: ${parsed.type}\n` : ''}data: ${data}\n\n`;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  await until(() => !server.listening, 'the port is free again');
  return port;
}

export const errorCases = [...byStatus, ...others];
