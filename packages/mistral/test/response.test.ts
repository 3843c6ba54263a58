import { type Delta, type ModelResponse, parseArguments } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { answer, asking, failureOf, json, ok, piece, result, scripted, sse, tool, user } from './helpers.ts';

/** The same message read whole and from a stream; both must say the same. */
async function read(
  message: object,
  finish: string | null = 'stop',
  more: object = {},
): Promise<ModelResponse> {
  const usage = { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 };
  const { adapter } = await scripted([
    json(answer(message, { usage, ...more }, { finish_reason: finish })),
    sse(piece({ role: 'assistant', content: '' }), piece(message, finish, { usage, ...more }), '[DONE]'),
  ]);
  const whole = await adapter.chat(asking());
  const streamed = await adapter.chat(asking({ onDelta: () => {} }));
  const shown = ({ message: { toolCalls, providerState: _, ...rest }, ...response }: ModelResponse) => ({
    ...response,
    rest,
    calls: toolCalls.map(({ name, argumentsJson }) => [name, argumentsJson]),
  });
  if (finish !== null) expect(JSON.stringify(shown(streamed))).toBe(JSON.stringify(shown(whole)));
  return whole;
}

describe('content', () => {
  it('C069 of a list of chunks only the text is the answer', async () => {
    const response = await read({
      content: [
        { type: 'text', text: 'See ' },
        { type: 'reference', reference_ids: [1] },
        { type: 'text', text: 'here.' },
        { type: 'future_kind', x: 1 },
      ],
    });
    expect(response.message.content).toBe('See here.');
  });

  it.each([[null], [undefined], [''], [[]]])('C069 content %j is an empty answer', async (content) => {
    expect((await read({ content })).message.content).toBe('');
  });

  const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'plan' }], closed: true };
  const call = { id: 'abc123XYZ', function: { name: 'echo', arguments: '{}' } };

  it('C070 thinking is kept apart and goes back as its own chunk', async () => {
    const content = [thought, { type: 'text', text: 'answer' }];
    const response = await read({ content, tool_calls: [call] }, 'tool_calls');
    expect(response).toMatchObject({ thinking: 'plan', message: { content: 'answer' } });

    const { adapter, body } = await scripted([ok, ok]);
    const rest = [result('abc123XYZ', 'echo', 'x')];
    await adapter.chat(asking({ messages: [user, response.message, ...rest] }));
    expect(body(0).messages[1]?.['content']).toEqual(content);
    const edited = { ...response.message, toolCalls: [{ id: 'other', name: 'echo', argumentsJson: '{}' }] };
    await adapter.chat(asking({ messages: [user, edited, result('other', 'echo', 'x')] }));
    expect(body(1).messages[1]?.['content']).toBe('answer');
  });

  it('C070 streamed pieces of thinking go back as one chunk', async () => {
    const part = (text: string) => piece({ content: [{ ...thought, thinking: [{ type: 'text', text }] }] });
    const { adapter, body } = await scripted([
      sse(part('pl'), part('an'), piece({ content: 'answer' }), piece({ tool_calls: [call] }, 'tool_calls')),
      ok,
    ]);
    const { message, thinking } = await adapter.chat(asking({ onDelta: () => {} }));
    expect(thinking).toBe('plan');
    await adapter.chat(asking({ messages: [user, message, result('abc123XYZ', 'echo', 'x')] }));
    expect(body(1).messages[1]?.['content']).toEqual([thought, { type: 'text', text: 'answer' }]);
  });

  it('reasoning between tags is split off', async () => {
    const response = await read({ content: '<think>\nplan\n</think>\n\nAnswer.' });
    expect(response).toMatchObject({ thinking: 'plan', message: { content: 'Answer.' } });
  });
});

describe('calls', () => {
  it('calls that the SDK would refuse or drop survive', async () => {
    const response = await read(
      {
        tool_calls: [
          { index: 0, id: null, function: { name: 'a', arguments: null } },
          { index: 1, function: { name: 'b', arguments: { n: 2 } } },
          { index: 2, id: 'null', function: { name: 'c', arguments: '{"n":3}' } },
          { index: 3, id: 'null', function: { name: 'd' } },
          { index: 4, id: 'abc123XYZ', type: 'custom', x_unknown: 1, function: {} },
        ],
      },
      'tool_calls',
    );
    const { toolCalls } = response.message;
    expect(toolCalls.map(({ name, argumentsJson }) => [name, argumentsJson])).toEqual([
      ['a', '{}'],
      ['b', '{"n":2}'],
      ['c', '{"n":3}'],
      ['d', '{}'],
      ['unknown_tool', '{}'],
    ]);
    for (const { id } of toolCalls) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(5);
  });

  it('C096 arguments come in pieces, later ones with an empty name', async () => {
    const call = (id: string | undefined, name: string, text: string, index = 0) => ({
      ...(id === undefined ? {} : { id }),
      type: 'function',
      function: { name, arguments: text },
      index,
    });
    const { adapter } = await scripted([
      sse(
        piece({ tool_calls: [call('chatcmpl-tool-9f149c74', 'search', '')] }),
        piece({ tool_calls: [call(undefined, '', '{"q":"a"}')] }),
        piece({ tool_calls: [call(undefined, '', ' \n')] }),
        piece({ tool_calls: [call('b', 'count', '{"n":1', 1)] }),
        piece({ tool_calls: [call(undefined, '', '2}', 1)] }),
        piece({}, 'tool_calls'),
        '[DONE]',
      ),
    ]);
    const { message } = await adapter.chat(asking({ onDelta: () => {} }));
    expect(message.toolCalls).toEqual([
      { id: 'chatcmpl-tool-9f149c74', name: 'search', argumentsJson: '{"q":"a"} \n' },
      { id: 'b', name: 'count', argumentsJson: '{"n":12}' },
    ]);
  });

  it('C097 irregular numbers of calls', async () => {
    const { adapter } = await scripted([
      sse(
        piece({ tool_calls: [{ index: 1, id: 'a', function: { name: 'x', arguments: '{"n":' } }] }),
        piece({ tool_calls: [{ index: 1, function: { arguments: '1}' } }] }),
        piece({ tool_calls: [{ index: 1, id: 'b', function: { name: 'x', arguments: '{"n":2}' } }] }),
        piece({ tool_calls: [{ id: '', function: { arguments: '' } }] }),
        piece({}, 'tool_calls'),
      ),
      sse(
        piece({
          tool_calls: ['x', 'y'].map((name) => ({ id: 'null', function: { name, arguments: '{}' } })),
        }),
        piece({ tool_calls: [{ function: { name: 'z', arguments: '{"n"' } }] }),
        piece({ tool_calls: [{ function: { name: '', arguments: ':3}' } }] }, 'tool_calls'),
      ),
    ]);
    const request = asking({ onDelta: () => {} });
    const first = (await adapter.chat(request)).message.toolCalls;
    expect(first.map(({ id, argumentsJson }) => [id, argumentsJson])).toEqual([
      ['a', '{"n":1}'],
      ['b', '{"n":2}'],
    ]);
    const second = (await adapter.chat(request)).message.toolCalls;
    expect(second.map(({ name, argumentsJson }) => [name, argumentsJson])).toEqual([
      ['x', '{}'],
      ['y', '{}'],
      ['z', '{"n":3}'],
    ]);
  });

  it('C116 a __proto__ key in arguments reaches nobody', async () => {
    const text = JSON.stringify(
      answer({ tool_calls: [{ id: 'abc123XYZ', function: { name: 'e', arguments: 0 } }] }),
    );
    const { adapter, body } = await scripted([
      json(text.replace('"arguments":0', '"arguments":{"__proto__":{"isAdmin":true},"a":1}')),
      ok,
    ]);
    const { message } = await adapter.chat(asking());
    const value = parseArguments(message.toolCalls[0]?.argumentsJson ?? '');
    expect(value).toEqual({ a: 1 });
    expect(value && 'isAdmin' in value).toBe(false);
    await adapter.chat(asking({ messages: [user, message, result('abc123XYZ', 'e', 'x')] }));
    expect('isAdmin' in {}).toBe(false);
    expect(body(1).messages).toHaveLength(3);
  });
});

describe('finish reason and usage', () => {
  const calls = {
    tool_calls: [{ index: 0, id: 'abc123XYZ', function: { name: 'write', arguments: '{"path":"a.md"}' } }],
  };

  it.each([
    ['stop', {}, 'stop'],
    ['length', {}, 'length'],
    ['model_length', {}, 'length'],
    ['tool_calls', calls, 'tool_calls'],
    ['stop', calls, 'tool_calls'],
    ['length', calls, 'length'],
    ['content_filter', {}, 'content_filter'],
    ['new_word', {}, 'other'],
  ])('C005 %s of %j is %s', async (word, message, finishReason) => {
    expect(await read({ content: 'x', ...message }, word)).toMatchObject({
      finishReason,
      rawFinishReason: word,
    });
  });

  it('a whole answer without a word has ended', async () => {
    expect((await read({ content: 'x' }, null)).finishReason).toBe('stop');
    expect((await read(calls, null)).finishReason).toBe('tool_calls');
  });

  it('an answer that ended in an error is one', async () => {
    const { adapter } = await scripted([
      json(answer({ content: 'Hi' }, {}, { finish_reason: 'error' })),
      sse(piece({ content: 'Hi' }), piece({}, 'error')),
    ]);
    for (const onDelta of [undefined, () => {}]) {
      const error = await failureOf(adapter.chat(asking(onDelta ? { onDelta } : {})));
      expect(error).toMatchObject({ name: 'AdapterError', code: 'unavailable', partial: 'Hi' });
    }
  });

  it.each([
    [null, {}],
    [{}, {}],
    [undefined, {}],
    [
      {
        prompt_tokens: 5,
        completion_tokens: 1,
        total_tokens: 6,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: null },
      },
      { promptTokens: 5, completionTokens: 1, totalTokens: 6 },
    ],
    [
      {
        prompt_tokens: 951,
        completion_tokens: 6000,
        total_tokens: 6952,
        completion_tokens_details: { reasoning_tokens: 6001 },
      },
      { promptTokens: 951, completionTokens: 6000, totalTokens: 6952, reasoningTokens: 6001 },
    ],
    [
      {
        prompt_tokens: 20212,
        completion_tokens: 931,
        total_tokens: 21143,
        prompt_tokens_details: { cached_tokens: 16298 },
      },
      { promptTokens: 20212, completionTokens: 931, totalTokens: 21143, cacheReadTokens: 16298 },
    ],
  ])('C109, C110, C111, C113 usage %j', async (usage, expected) => {
    expect((await read({ content: 'x' }, 'stop', { usage })).usage).toEqual(expected);
  });
});

describe('streams', () => {
  it('report each piece', async () => {
    const deltas: Delta[] = [];
    const { adapter } = await scripted([
      sse(
        piece({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'plan' }] }] }),
        piece({ content: 'Hel' }),
        piece({ content: 'lo' }),
        piece({ tool_calls: [{ index: 0, id: 'abc123XYZ', function: { name: 'echo', arguments: '{"t"' } }] }),
        piece({ tool_calls: [{ index: 0, function: { name: '', arguments: ':1}' } }] }, 'tool_calls'),
        '[DONE]',
      ),
    ]);
    await adapter.chat(asking({ tools: [tool('echo')], onDelta: (delta) => void deltas.push(delta) }));
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'plan' },
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
      { kind: 'tool_call', index: 0, id: 'abc123XYZ', name: 'echo', argumentsText: '{"t"' },
      { kind: 'tool_call', index: 0, argumentsText: ':1}' },
    ]);
  });

  it.each([
    ['without a mark', []],
    ['with [DONE] only', ['[DONE]']],
  ])('C095 a stream that ends %s is no complete answer', async (_, tail) => {
    const { adapter } = await scripted([
      sse(
        piece({ content: 'The answer is' }),
        piece({ tool_calls: [{ index: 0, id: 'abc123XYZ', function: { name: 'a', arguments: '{' } }] }),
        ...tail,
      ),
    ]);
    const response = await adapter.chat(asking({ onDelta: () => {} }));
    expect(response).toMatchObject({
      finishReason: 'other',
      message: { content: 'The answer is' },
      usage: {},
    });
    expect(response).not.toHaveProperty('rawFinishReason');
  });

  it.each([[[]], [['[DONE]']]])('C095 a stream without a word is an error: %j', async (list) => {
    const { adapter } = await scripted([sse(...list)]);
    expect(await failureOf(adapter.chat(asking({ onDelta: () => {} })))).toMatchObject({
      code: 'bad_response',
    });
  });

  it('C098 characters and line ends split between chunks come out whole', async () => {
    const text = [piece({ content: 'Grüße 👋' }), piece({}, 'stop')].map(
      (event) => `data: ${JSON.stringify(event)}\r\n\r\n`,
    );
    const { adapter } = await scripted([
      {
        reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [Buffer.from(text.join(''))] },
        splitBytes: 1,
      },
    ]);
    expect((await adapter.chat(asking({ onDelta: () => {} }))).message.content).toBe('Grüße 👋');
  });

  it.each([
    [{ error: { message: 'boom', code: 'server_error' } }, undefined],
    [{ error: { message: 'boom', code: 503 } }, 503],
    [{ error: 'boom' }, undefined],
    [{ object: 'error', message: 'boom', type: 'internal_server_error', code: '1000' }, undefined],
    [{ detail: 'boom' }, undefined],
  ])('C099 an error event fails the call and keeps the text so far: %j', async (event, status) => {
    const { adapter } = await scripted([sse(piece({ content: 'Hi' }), event)]);
    const error = await failureOf(adapter.chat(asking({ onDelta: () => {} })));
    expect(error).toMatchObject({
      name: 'AdapterError',
      partial: 'Hi',
      ...(status === undefined ? {} : { status }),
    });
    expect(error.message).toContain('boom');
  });

  it('an event that is no JSON is a bad response', async () => {
    const { adapter } = await scripted([sse(piece({ content: 'Hi' }), 'oops')]);
    const error = await failureOf(adapter.chat(asking({ onDelta: () => {} })));
    expect(error).toMatchObject({ code: 'bad_response', partial: 'Hi' });
  });

  it('an answer is complete at its mark, whether or not the connection ends', async () => {
    const chunks = [piece({ content: 'x' }, 'stop'), '[DONE]'].map(
      (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
    );
    const { adapter } = await scripted([
      {
        reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [chunks.join('')] },
        hang: 'midway',
      },
    ]);
    expect((await adapter.chat(asking({ onDelta: () => {} }))).message.content).toBe('x');
  });

  it('a server that does not stream is read all the same', async () => {
    const { adapter } = await scripted([json(answer({ content: 'x' }))]);
    const response = await adapter.chat(asking({ onDelta: () => {} }));
    expect(response).toMatchObject({ finishReason: 'stop', message: { content: 'x' } });
  });
});
