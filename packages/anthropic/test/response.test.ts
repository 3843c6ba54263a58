import type { Delta } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import {
  answer,
  asking,
  type Body,
  eventsOf,
  failureOf,
  json,
  mode,
  modes,
  scripted,
  sse,
  turnFor,
} from './helpers.ts';
import { anyAnthropic } from './wire.ts';

const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'echo', input });

async function chatOnce(turn: Parameters<typeof scripted>[0][number], onDelta?: (delta: Delta) => void) {
  const { adapter } = await scripted([turn], {}, { wire: anyAnthropic });
  return adapter.chat(asking(mode(onDelta)));
}

describe.each(modes)('an answer, %s', (_, onDelta) => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'other'],
    ['some_future_value', 'other'],
  ])('C049 stop reason %s is %s', async (word, finishReason) => {
    const whole = answer([{ type: 'text', text: 'x' }], { stop_reason: word });
    const response = await chatOnce(turnFor(whole, onDelta), onDelta);
    expect(response).toMatchObject({ finishReason, rawFinishReason: word });
  });

  it('C005 calls are tool_calls unless the answer was cut or filtered', async () => {
    for (const [word, finishReason] of [
      ['tool_use', 'tool_calls'],
      ['end_turn', 'tool_calls'],
      ['max_tokens', 'length'],
      ['refusal', 'content_filter'],
    ]) {
      const whole = answer([use('tu_1', { a: 1 })], { stop_reason: word });
      expect((await chatOnce(turnFor(whole, onDelta), onDelta)).finishReason).toBe(finishReason);
    }
  });

  it('says the same whole and streamed', async () => {
    const whole = answer(
      [
        { type: 'thinking', thinking: 'Let me see.', signature: 's==' },
        { type: 'text', text: 'Grüße 👋', citations: [{ type: 'x', cited_text: 'y' }] },
        { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { q: 1 } },
        use('tu_1', { a: [1, 'ü'] }),
        use('tu_2'),
      ],
      { stop_reason: 'tool_use', usage: { input_tokens: 7, cache_read_input_tokens: 2, output_tokens: 9 } },
    );
    const response = await chatOnce(turnFor(whole, onDelta), onDelta);
    expect(JSON.stringify(response)).toBe(
      JSON.stringify({
        message: {
          role: 'assistant',
          content: 'Grüße 👋',
          toolCalls: [
            { id: 'tu_1', name: 'echo', argumentsJson: '{"a":[1,"ü"]}' },
            { id: 'tu_2', name: 'echo', argumentsJson: '{}' },
          ],
          providerState: { anthropic: { content: whole.content } },
        },
        thinking: 'Let me see.',
        finishReason: 'tool_calls',
        rawFinishReason: 'tool_use',
        usage: { promptTokens: 9, completionTokens: 9, cacheReadTokens: 2, totalTokens: 18 },
        model: 'claude-sonnet-4-5-20250929',
      }),
    );
  });

  it('C050 cached tokens are part of the prompt', async () => {
    const usage = {
      input_tokens: 7,
      cache_read_input_tokens: 9800,
      cache_creation_input_tokens: 193,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
    };
    expect((await chatOnce(turnFor(answer([], { usage }), onDelta), onDelta)).usage).toEqual({
      promptTokens: 10_000,
      completionTokens: 50,
      totalTokens: 10_050,
      cacheReadTokens: 9800,
      cacheWriteTokens: 193,
      reasoningTokens: 20,
    });
  });

  it.each([
    [null, {}],
    [undefined, {}],
    [{}, {}],
    [{ input_tokens: null, output_tokens: null, cache_read_input_tokens: 4 }, { cacheReadTokens: 4 }],
    [
      { input_tokens: 5, output_tokens: 1, output_tokens_details: null, cache_creation_input_tokens: null },
      { promptTokens: 5, completionTokens: 1, totalTokens: 6 },
    ],
    [
      { input_tokens: 5, output_tokens: 1, output_tokens_details: { thinking_tokens: 2 } },
      { promptTokens: 5, completionTokens: 1, totalTokens: 6, reasoningTokens: 2 },
    ],
  ])('C109 C110 C113 usage %j', async (usage, expected) => {
    const events = eventsOf(answer([])).map(({ usage: _, ...event }: Body) => ({
      ...event,
      ...(event.message && { message: { ...event.message, usage } }),
      ...(event.type === 'message_delta' && { usage }),
    }));
    const turn = onDelta === undefined ? json({ ...answer([]), usage }) : sse(...events);
    expect((await chatOnce(turn, onDelta)).usage).toEqual(expected);
  });

  it('C002 C003 calls without arguments have an empty object', async () => {
    for (const input of [undefined, null, '', '   ', {}]) {
      const whole = answer([{ ...use('tu_1'), input }], { stop_reason: 'tool_use' });
      const turn =
        onDelta === undefined
          ? json(whole)
          : sse(...eventsOf(answer([use('tu_1')])).filter(({ delta }) => delta?.type !== 'input_json_delta'));
      expect((await chatOnce(turn, onDelta)).message.toolCalls[0]?.argumentsJson).toBe('{}');
    }
  });

  it('takes inline thinking out of the text', async () => {
    const whole = answer([{ type: 'text', text: '<think>hm</think>Yes.' }]);
    const response = await chatOnce(turnFor(whole, onDelta), onDelta);
    expect([response.message.content, response.thinking]).toEqual(['Yes.', 'hm']);
  });

  it('C116 a __proto__ key pollutes nothing', async () => {
    const body = JSON.stringify(answer([use('tu_1', { a: 1 })])).replace(
      '{"a":1}',
      '{"__proto__":{"isAdmin":true},"a":1}',
    );
    const turn = onDelta === undefined ? json(body) : sse(...eventsOf(JSON.parse(body)));
    const { message } = await chatOnce(turn, onDelta);
    expect(({} as Body).isAdmin).toBeUndefined();
    expect(JSON.parse(message.toolCalls[0]?.argumentsJson ?? '').a).toBe(1);
  });
});

describe('a stream', () => {
  const whole = answer(
    [
      { type: 'thinking', thinking: 'Hm, so.', signature: 's==' },
      { type: 'text', text: 'Grüße 👋' },
      use('tu_1', { a: 1 }),
    ],
    { stop_reason: 'tool_use' },
  );

  it('reports its pieces, and they add up to the answer', async () => {
    const deltas: Delta[] = [];
    const { message, thinking } = await chatOnce(sse(...eventsOf(whole)), (delta) => deltas.push(delta));
    const joined = (kind: string) =>
      deltas.map((delta: Body) => (delta.kind === kind ? (delta.text ?? delta.argumentsText) : '')).join('');
    expect([joined('text'), joined('thinking'), joined('tool_call')]).toEqual([
      message.content,
      thinking,
      '{"a":1}',
    ]);
    const calls = deltas.filter(({ kind }) => kind === 'tool_call');
    expect(calls[0]).toEqual({ kind: 'tool_call', index: 0, id: 'tu_1', name: 'echo', argumentsText: '' });
    expect(calls[1]).not.toHaveProperty('id');
  });

  it('is not disturbed by a watcher that throws', async () => {
    const response = await chatOnce(sse(...eventsOf(whole)), () => {
      throw new Error('watcher');
    });
    expect(response.message.content).toBe('Grüße 👋');
  });

  it('C098 may be cut anywhere, in characters and between CR and LF', async () => {
    const text = eventsOf(whole)
      .map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
      .join('');
    const reply = { headers: { 'content-type': 'text/event-stream' }, chunks: [text] };
    const { message } = await chatOnce({ reply, splitBytes: 1 }, () => {});
    expect(message.content).toBe('Grüße 👋');
    expect(message.providerState).toEqual({ anthropic: { content: whole.content } });
  });

  it('C095 that ends without its end mark is incomplete', async () => {
    const events = eventsOf(whole);
    for (const kept of [events.slice(0, -2), events.slice(0, 7), events.slice(0, 1)]) {
      const response = await chatOnce(sse(...kept), () => {});
      expect(response.finishReason).toBe('other');
      expect(Object.values(response.usage).every(Number.isFinite)).toBe(true);
    }
    const cut = await chatOnce(sse(...events.slice(0, 7)), () => {});
    expect(cut.usage).toEqual({ promptTokens: 8 });
    const withoutReason = events.filter(({ type }) => type !== 'message_delta');
    expect((await chatOnce(sse(...withoutReason), () => {})).finishReason).toBe('other');
  });

  it('C095 whose connection breaks fails with the text so far', async () => {
    const events = eventsOf(answer([{ type: 'text', text: 'The answer is' }]));
    const error = await failureOf(chatOnce({ ...sse(...events), cutOff: 5 }, () => {}));
    expect(error).toMatchObject({ code: 'network', partial: 'The answer is', retryable: true });
  });

  it('of nothing at all is a bad response', async () => {
    for (const chunks of [[''], [': comment\n\n'], ['event: ping\ndata: {"type":"ping"}\n\n']]) {
      const turn = { reply: { headers: { 'content-type': 'text/event-stream' }, chunks } };
      expect((await failureOf(chatOnce(turn, () => {}))).code).toBe('bad_response');
    }
  });

  it.each([
    ['overloaded_error', 'unavailable'],
    ['api_error', 'unavailable'],
    ['rate_limit_error', 'rate_limited'],
    ['invalid_request_error', 'invalid_request'],
  ])('C099 with an error event %s fails as %s, text so far kept', async (type, code) => {
    const events = eventsOf(answer([{ type: 'text', text: 'Hi' }])).slice(0, 5);
    const failed = { type: 'error', error: { type, message: 'boom' } };
    for (const asEvent of [failed, { ...failed, type: 'message_delta' }]) {
      const error = await failureOf(chatOnce(sse(...events, asEvent), () => {}));
      expect(error).toMatchObject({ code, partial: 'Hi', message: expect.stringContaining('boom') });
    }
  });

  it('with an error event names the request and the wait of its headers', async () => {
    const turn = sse({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
    const headers = { ...turn.reply.headers, 'request-id': 'req_7', 'retry-after': '3' };
    const error = await failureOf(chatOnce({ reply: { ...turn.reply, headers } }, () => {}));
    expect(error).toMatchObject({ code: 'unavailable', requestId: 'req_7', retryAfterMs: 3000 });
  });

  it('C096 C097 is read by block, and a call is final only with the answer', async () => {
    const piece = (index: number | undefined, partial_json: string) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    });
    const [start, , ...rest] = eventsOf(answer([], { stop_reason: 'tool_use' }));
    const { message } = await chatOnce(
      sse(
        start,
        { type: 'content_block_start', index: 1, content_block: use('a') },
        { type: 'content_block_start', index: 3, content_block: use('b') },
        piece(1, '{"n":1'),
        piece(3, '{"q":"a"}'),
        piece(1, '2}'),
        piece(3, ' \n'),
        piece(9, 'nowhere'),
        { type: 'content_block_start', index: 3, content_block: use('c') },
        piece(3, '{"n":'),
        piece(undefined, '3}'),
        ...rest,
      ),
      () => {},
    );
    expect(message.toolCalls.map(({ id, argumentsJson }) => [id, argumentsJson])).toEqual([
      ['a', '{"n":12}'],
      ['b', '{"q":"a"}'],
      ['c', '{"n":3}'],
    ]);
  });

  it('C001 keeps broken arguments as the model wrote them', async () => {
    const broken = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"x": 1, ' },
    };
    const events = eventsOf(answer([use('a')], { stop_reason: 'tool_use' }));
    const patched = events.map((event) => (event.delta?.type === 'input_json_delta' ? broken : event));
    const { message } = await chatOnce(
      sse(...patched.filter((event, at) => event !== broken || at === patched.indexOf(broken))),
      () => {},
    );
    expect(message.toolCalls[0]?.argumentsJson).toBe('{"x": 1, ');
  });

  it('answered with a whole body is read as one', async () => {
    expect((await chatOnce(json(whole), () => {})).message.content).toBe('Grüße 👋');
  });
});
