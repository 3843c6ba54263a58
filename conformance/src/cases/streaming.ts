import type { ModelResponse } from '@glassloop/core/adapter';
import type { ScriptedAnswer } from '@glassloop/simulator';
import { type Bench, type Provider, replay } from '../bench.ts';
import { streamed } from '../case.ts';
import { failsWith, holds, same, sameJson, until } from '../check.ts';
import { NOW, TOOLS, user } from '../fixtures.ts';
import { byPieces, cut, withCrlf } from '../pieces.ts';

/** Answers of every kind; streamed and whole must come to the same. */
const ANSWERS: readonly (readonly [name: string, answer: ScriptedAnswer])[] = [
  ['text', { say: 'Grüße aus Oslo 🌨️ — 5° below.' }],
  [
    'calls',
    {
      callTools: [
        { id: 'call00001', name: 'weather', arguments: { city: 'Tromsø 🐟' } },
        { id: 'call00002', name: 'now' },
      ],
    },
  ],
  ['text and a call', { say: ' Let me look.\n', callTools: [{ id: 'call00001', name: 'now' }] }],
  ['thinking and text', { think: 'Let me see.', say: 'Noon.', opaque: 'c3RhdGU=' }],
  ['inline thinking', { say: '<think>Let me see.</think>\n\nNoon.' }],
  ['a cut answer', { say: 'Half an ans', finish: 'length' }],
  ['an empty answer', {}],
  [
    'usage of all kinds',
    {
      say: 'Hi.',
      usage: { prompt: 100, completion: 50, cacheRead: 30, cacheWrite: 10, reasoning: 20, cost: 0.5 },
    },
  ],
  ['no usage', { say: 'Hi.', usage: null }],
];

/** Short, with characters of two, three and four bytes, thinking and a call: to be cut at every byte. */
const EVERYTHING: ScriptedAnswer = {
  say: 'é€🌨️.',
  callTools: [{ id: 'call00001', name: 'now', arguments: { a: 'ü' } }],
  pieceLength: 6,
};

export const streamingCases = streamed({
  'streaming.same-as-whole': {
    title: 'A streamed answer is the whole answer, deeply equal, key order included',
    why: 'Two mappings of one answer drift apart; the streamed one loses usage, calls or the finish word.',
    async run(bench) {
      for (const [name, answer] of ANSWERS) {
        const provider = await bench.provider(answer, answer);
        const whole = await provider.ask({ messages: [user('Hi')], tools: TOOLS }, 'whole');
        const piecewise = await provider.ask({ messages: [user('Hi')], tools: TOOLS }, 'streamed');

        sameJson(
          comparable(bench, piecewise),
          comparable(bench, whole),
          `${name}: the streamed answer, against the whole one`,
        );
      }
    },
  },
  'streaming.deltas': {
    title: 'The pieces of text and thinking add up to the answer, and come in order',
    why: 'What people watched differed from what was kept: doubled first pieces, lost last ones.',
    async run(bench) {
      for (const [name, answer] of ANSWERS) {
        const provider = await bench.provider(answer);
        const response = await provider.ask({ messages: [user('Hi')], tools: TOOLS });

        const said = join(provider, 'text');
        // Blanks behind an inline thought are part of no piece of the answer.
        same(said.trim(), response.message.content.trim(), `${name}: the pieces of text`);
        if (response.thinking !== undefined)
          same(join(provider, 'thinking').trim(), response.thinking, `${name}: the pieces of thinking`);
        same(
          provider.deltas.filter((delta) => delta.kind === 'text' && delta.text === ''),
          [],
          `${name}: empty pieces`,
        );
      }
    },
  },
  'streaming.call-deltas': {
    title: 'The pieces of calls add up to the calls, by index, each beginning with its name',
    why: 'Pieces of two calls were shown as one.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [
          { name: 'weather', arguments: { city: 'Oslo, Norway' } },
          { name: 'weather', arguments: { city: 'Rome, Italy' } },
        ],
      });
      const { message } = await provider.ask({ tools: TOOLS });

      const pieces = provider.deltas.filter((delta) => delta.kind === 'tool_call');
      const built = message.toolCalls.map((_, index) => {
        const own = pieces.filter((piece) => piece.index === index);
        return [own[0]?.name, own.map((piece) => piece.argumentsText).join('')];
      });
      const parsed = built.map(([name, text]) => [name, JSON.parse(text ?? '')]);
      same(
        parsed,
        message.toolCalls.map((call) => [call.name, JSON.parse(call.argumentsJson)]),
        'calls put together from pieces',
      );
      same(
        pieces.every((piece) => piece.index < message.toolCalls.length),
        true,
        'pieces belong to calls of the answer',
      );
    },
  },
  'streaming.early': {
    title: 'Pieces are reported while the answer is still on its way',
    why: 'An SDK helper that collects first and replays later looks like streaming in a test that does not wait.',
    async run(bench) {
      const reply = await bench.replyFor({ say: 'A beginning, and then a long wait.' });
      const text = reply.chunks.join('');
      const chunks = [text.slice(0, Math.ceil(text.length * 0.6)), text.slice(Math.ceil(text.length * 0.6))];
      const provider = await bench.provider({ reply: { headers: reply.headers, chunks }, hang: 'midway' });
      const controller = new AbortController();
      let heard = '';
      const call = provider.ask({
        signal: controller.signal,
        onDelta: (delta) => {
          if (delta.kind === 'text') heard += delta.text;
        },
      });
      await until(() => heard !== '', 'a piece arrives before the end');
      controller.abort();
      await call.catch(() => {});
    },
  },
  'streaming.listener-throws': {
    title: 'A listener that throws changes nothing: the call goes on, and later pieces are still reported',
    why: 'A closed browser tab ended the run that it was only watching.',
    async run(bench) {
      const provider = await bench.provider({ say: 'An answer in several pieces.' });
      let heard = 0;
      const response = await provider.ask({
        onDelta: () => {
          heard++;
          throw new Error('the tab is closed');
        },
      });

      same(response.message.content, 'An answer in several pieces.', 'content');
      holds(heard > 1, `only ${heard} piece(s) were reported`);
    },
  },
  'streaming.bytes': {
    title: 'The answer is the same when its bytes arrive one at a time, or in twos, threes and sevens',
    why: 'Characters of several bytes came out as �, and lines in two parts were dropped.',
    async run(bench) {
      const provider = await bench.provider(EVERYTHING, { ...EVERYTHING, splitBytes: 3 });
      const expected = comparable(bench, await provider.ask({ tools: [NOW] }));
      const overWire = comparable(bench, await provider.ask({ tools: [NOW] }));
      sameJson(overWire, expected, 'the answer sent three bytes at a time');

      const reply = provider.exchange(0).reply!;
      const answerTo = byPieces(bench, reply);
      const bytes = new TextEncoder().encode(reply.chunks.join(''));
      for (const size of [1, 2, 3, 7]) {
        const pieces = cut(bytes, (at) => at % size === 0);
        sameJson(
          comparable(bench, await answerTo(pieces)),
          expected,
          `the answer in pieces of ${size} byte(s)`,
        );
      }
    },
  },
  'streaming.every-split': {
    title: 'The answer is the same wherever the stream is split',
    why: 'Parsers fail at one position only: between CR and LF, inside "data:", inside an emoji.',
    async run(bench) {
      const reply = await bench.replyFor(EVERYTHING, { tools: [NOW] });
      const answerTo = byPieces(bench, reply);
      const text = reply.chunks.join('');
      const bytesOf = (written: string) => new TextEncoder().encode(written);
      const expected = comparable(bench, await answerTo([bytesOf(text)]));
      const right = async (pieces: readonly Uint8Array[], what: string) =>
        sameJson(comparable(bench, await answerTo(pieces)), expected, what);

      for (const [ends, bytes] of [
        ['as written', bytesOf(text)],
        ['CRLF', bytesOf(withCrlf(text))],
      ] as const) {
        // Together these calls split at every byte; each splits at many, because a call for each byte takes seconds.
        for (let first = 0; first < STRIDE; first++) {
          const splitHere = (at: number) => at % STRIDE === first;
          try {
            await right(
              cut(bytes, splitHere),
              `the answer split at ${first} and every ${STRIDE} bytes on (${ends})`,
            );
          } catch (error) {
            for (let at = first; at < bytes.length; at += STRIDE)
              await right(
                cut(bytes, (one) => one === at),
                `the answer split at byte ${at} (${ends})`,
              );
            throw error;
          }
        }
      }
    },
  },
  'streaming.framing': {
    title: 'CRLF, comments, blank events, other fields and a missing last newline change nothing',
    why: 'Keep-alive comments and proxies that rewrite line ends broke parsers that only knew one server.',
    async run(bench) {
      const reply = await bench.replyFor(EVERYTHING, { tools: [NOW] });
      const text = reply.chunks.join('');
      const events = (reply.headers['content-type'] ?? '').includes('event-stream');
      const variants: Record<string, string> = {
        'as it is': text,
        CRLF: withCrlf(text),
        'no last newline': text.trimEnd(),
        'blank lines at the end': `${text}\n\n\n`,
        ...(events && {
          comments: text.replaceAll('\n\n', '\n\n: keep-alive\n\n'),
          'comments first': `: OPENROUTER PROCESSING\n\n${text}`,
          'blank events': text.replaceAll('\n\n', '\n\n\n\n'),
          'other fields': text.replaceAll('data: ', 'retry: 3000\nid: 7\ndata: '),
          'no blank behind the colon': text.replaceAll('data: ', 'data:'),
        }),
      };
      const provider = await bench.provider(
        ...Object.values(variants).map((variant) => replay(reply, () => variant)),
      );
      const [first, ...others] = await inTurn(Object.keys(variants), () => provider.ask({ tools: [NOW] }));

      for (const [index, response] of others.entries()) {
        sameJson(
          comparable(bench, response),
          comparable(bench, first!),
          `${Object.keys(variants)[index + 1]}: the answer`,
        );
      }
    },
  },
  'streaming.cut': {
    title: "A stream that ends without its end mark is 'other', never finished, and keeps what came",
    why: 'A proxy that ends a stream early made half an answer a success, and ran half-written calls.',
    async run(bench) {
      const text = await bench.replyFor({ say: 'An answer in several pieces.' });
      const calls = await bench.replyFor(
        { callTools: [{ id: 'call00001', name: 'now', arguments: { a: 'some text' } }] },
        { tools: [NOW] },
      );
      const half = Math.ceil(text.chunks.length / 2);
      const provider = await bench.provider({ say: 'An answer in several pieces.', endAfter: half });
      const response = await provider.ask();

      same(response.finishReason, 'other', 'finish reason');
      holds(
        'An answer in several pieces.'.startsWith(response.message.content) &&
          response.message.content !== '',
        `content is ${response.message.content}`,
      );
      for (let end = 2; end < calls.chunks.length - 3; end++) {
        const cut = await bench.provider({
          callTools: [{ id: 'call00001', name: 'now', arguments: { a: 'some text' } }],
          endAfter: end,
        });
        const outcome = await cut.ask({ tools: [NOW] }).catch(() => undefined);
        holds(
          outcome?.finishReason !== 'tool_calls' && outcome?.finishReason !== 'stop',
          `after ${end} events the answer is '${outcome?.finishReason}'`,
        );
      }
    },
  },
  'streaming.nothing': {
    title: "A stream that ends before anything came is 'bad_response'",
    why: 'An empty success sent the next turn without an answer before it.',
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.' });
      const provider = await bench.provider(
        replay(reply, () => ['']),
        replay(reply, () => ['\n\n']),
      );

      await failsWith(provider.ask(), 'bad_response');
      await failsWith(provider.ask(), 'bad_response');
    },
  },
});

/** Longer than any mark that a parser looks for, so that every split stands alone for it. */
const STRIDE = 48;

/** Without the facts that are the adapter's own, and without ids where the adapter has to make them up. */
function comparable(bench: Bench, { metadata: _, ...response }: ModelResponse): unknown {
  if (bench.wire.can.callIds) return response;
  let text = JSON.stringify(response);
  for (const [index, { id }] of response.message.toolCalls.entries())
    text = text.replaceAll(id, `call ${index}`);
  return JSON.parse(text);
}

function join(provider: Provider, kind: 'text' | 'thinking'): string {
  return provider.deltas.map((delta) => (delta.kind === kind ? delta.text : '')).join('');
}

async function inTurn<T>(list: readonly unknown[], call: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const _ of list) results.push(await call());
  return results;
}
