import type { Delta } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { answering, asking, call, chunk, echo, events, modes, scripted, user } from './helpers.ts';

describe.each(modes)('an answer (%s)', (_, onDelta) => {
  const ask = onDelta ? asking({ onDelta }) : asking();
  const answered = async (message: object, finish: string | null = 'stop', rest: object = {}) => {
    const { adapter } = await scripted([answering(onDelta, message, finish, rest)]);
    return adapter.chat(ask);
  };

  it('C033 text together with tool calls, and both in the replay', async () => {
    const { adapter, body } = await scripted([
      answering(
        onDelta,
        { content: 'Checking.', tool_calls: [{ index: 0, ...call('c1', 'echo', '{}') }] },
        'tool_calls',
      ),
      { say: 'done' },
    ]);
    const { message, finishReason } = await adapter.chat(ask);
    expect(message).toEqual({
      role: 'assistant',
      content: 'Checking.',
      toolCalls: [{ id: 'c1', name: 'echo', argumentsJson: '{}' }],
    });
    expect(finishReason).toBe('tool_calls');
    const result = {
      role: 'tool',
      toolCallId: 'c1',
      toolName: 'echo',
      content: 'x',
      isError: false,
    } as const;
    await adapter.chat(asking({ messages: [user, message, result] }));
    expect(body(1).messages[1]).toEqual({
      role: 'assistant',
      content: 'Checking.',
      tool_calls: [call('c1', 'echo', '{}')],
    });
  });

  it('C034 finish_reason stop although there are calls', async () => {
    const response = await answered({ content: null, tool_calls: [call('c1', 'echo', '{}')] });
    expect(response).toMatchObject({ finishReason: 'tool_calls', rawFinishReason: 'stop' });
  });

  it('C036 a refusal is a filtered answer whose content is the refusal', async () => {
    const response = await answered({ content: null, refusal: "I can't help with that." });
    expect(response.message.content).toBe("I can't help with that.");
    expect(response).toMatchObject({ finishReason: 'content_filter', rawFinishReason: 'stop' });
  });

  it('C038 an empty answer whose budget went into reasoning', async () => {
    const response = await answered({ content: null }, 'length', {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 500,
        total_tokens: 520,
        completion_tokens_details: { reasoning_tokens: 500 },
      },
    });
    expect(response.message.content).toBe('');
    expect(response.finishReason).toBe('length');
    expect(response.usage).toEqual({
      promptTokens: 20,
      completionTokens: 500,
      totalTokens: 520,
      reasoningTokens: 500,
    });
  });

  it('C039 a filtered answer', async () => {
    expect(await answered({ content: '' }, 'content_filter')).toMatchObject({
      finishReason: 'content_filter',
    });
  });

  it('C041 an empty list of calls is no call', async () => {
    const { message, finishReason } = await answered({ content: 'Hello', tool_calls: [] });
    expect(message).toEqual({ role: 'assistant', content: 'Hello', toolCalls: [] });
    expect(finishReason).toBe('stop');
  });

  it('C034 the shape before there were tools is read as a call', async () => {
    const function_call = { name: 'echo', arguments: '{"t":"hi"}' };
    const { message, finishReason, rawFinishReason } = await answered(
      { content: null, function_call },
      'function_call',
    );
    expect(message.toolCalls).toMatchObject([{ name: 'echo', argumentsJson: '{"t":"hi"}' }]);
    expect(message.toolCalls[0]?.id).not.toBe('');
    expect([finishReason, rawFinishReason]).toEqual(['tool_calls', 'function_call']);
  });

  it.each([
    ['""', ''],
    ['blanks', '   '],
    ['null', null],
    ['missing', undefined],
    ['an empty object', {}],
  ])('C002 arguments that are %s are {}', async (_name, args) => {
    const { message } = await answered(
      { content: null, tool_calls: [call('n1', 'now', args)] },
      'tool_calls',
    );
    expect(message.toolCalls).toEqual([{ id: 'n1', name: 'now', argumentsJson: '{}' }]);
  });

  it('C097 missing and doubled ids become ids of their own', async () => {
    const { message } = await answered(
      { content: null, tool_calls: [call(undefined, 'a', '{}'), call(undefined, 'b', '{}')] },
      'tool_calls',
    );
    expect(message.toolCalls.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(new Set(message.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it('C082 thinking is kept apart, native and inline', async () => {
    const response = await answered({
      reasoning_content: 'plan',
      content: '<think>more</think>\nThe  answer ',
    });
    expect(response.message.content).toBe('The  answer ');
    expect(response.thinking).toBe('plan\nmore');
  });

  it.each([
    ['null', null],
    ['{}', {}],
    ['absent', undefined],
    ['texts', { prompt_tokens: 'many', completion_tokens: null }],
  ])('C109 usage that is %s is unknown', async (_name, usage) => {
    expect((await answered({ content: 'x' }, 'stop', { usage })).usage).toEqual({});
  });

  it('C110 more reasoning than completion tokens: as reported', async () => {
    const usage = {
      prompt_tokens: 951,
      completion_tokens: 6000,
      total_tokens: 6952,
      completion_tokens_details: { reasoning_tokens: 6001 },
    };
    expect((await answered({ content: 'x' }, 'stop', { usage })).usage).toEqual({
      promptTokens: 951,
      completionTokens: 6000,
      totalTokens: 6952,
      reasoningTokens: 6001,
    });
  });

  it('C113 details that are null or partly filled', async () => {
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 1,
      total_tokens: 6,
      prompt_tokens_details: null,
      completion_tokens_details: { reasoning_tokens: null },
    };
    expect((await answered({ content: 'x' }, 'stop', { usage })).usage).toEqual({
      promptTokens: 5,
      completionTokens: 1,
      totalTokens: 6,
    });
  });

  it.each([
    ['cached_tokens in the details', { prompt_tokens_details: { cached_tokens: 7 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 7, prompt_cache_miss_tokens: 1 }],
  ])('C111 cached tokens are part of the prompt (%s)', async (_name, details) => {
    const usage = { prompt_tokens: 8, completion_tokens: 1, ...details };
    expect((await answered({ content: 'x' }, 'stop', { usage })).usage).toEqual({
      promptTokens: 8,
      completionTokens: 1,
      totalTokens: 9,
      cacheReadTokens: 7,
    });
  });
});

describe('streams', () => {
  const streamed = async (turn: Parameters<typeof scripted>[0][number]) => {
    const { adapter } = await scripted([turn]);
    const deltas: Delta[] = [];
    const response = await adapter.chat(asking({ tools: [echo], onDelta: (delta) => deltas.push(delta) }));
    return { deltas, ...response };
  };

  it.each([
    ['the connection is closed', ''],
    ['[DONE] alone', 'data: [DONE]\n\n'],
  ])('C095 no finish reason: %s', async (_, end) => {
    const response = await streamed(
      events(
        [chunk({ content: 'The answer is', tool_calls: [{ index: 0, ...call('a', 'echo', '{}') }] })],
        end,
      ),
    );
    expect(response).toMatchObject({ finishReason: 'other', usage: {} });
    expect(response).not.toHaveProperty('rawFinishReason');
    expect(response.message.content).toBe('The answer is');
  });

  it.each(['', 'data: [DONE]\n\n', ': hello\n\n'])(
    'C095 nothing at all is a bad response (%j)',
    async (end) => {
      await expect(streamed(events([], end))).rejects.toMatchObject({ code: 'bad_response' });
    },
  );

  it('C095 a connection that dies gives the text that came', async () => {
    const turn = { say: 'The answer is forty-two', cutOff: 3 };
    await expect(streamed(turn)).rejects.toMatchObject({ code: 'network', partial: 'The answer is fo' });
  });

  it('C096 arguments that are valid JSON too early', async () => {
    const pieces = ['{"n":1', '2}', ' \n', ''];
    const { message, deltas } = await streamed(
      events([
        chunk({ tool_calls: [{ index: 0, ...call('a', 'echo', '') }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
        chunk({}, 'tool_calls'),
      ]),
    );
    expect(message.toolCalls).toEqual([{ id: 'a', name: 'echo', argumentsJson: '{"n":12} \n' }]);
    expect(deltas[0]).toEqual({ kind: 'tool_call', index: 0, id: 'a', name: 'echo', argumentsText: '' });
    expect(deltas[1]).toEqual({ kind: 'tool_call', index: 0, argumentsText: '{"n":1' });
  });

  it('C097 irregular tool-call indexes', async () => {
    const deltas = [
      { index: 1, id: 'a', function: { name: 'x', arguments: '{"n":' } },
      { index: 1, function: { arguments: '1}' } },
      { index: 1, id: 'b', function: { name: 'x', arguments: '{"n":2}' } },
      { id: '', function: { arguments: '' } },
    ];
    const { message } = await streamed(
      events([...deltas.map((delta) => chunk({ tool_calls: [delta] })), chunk({}, 'tool_calls')]),
    );
    expect(message.toolCalls).toEqual([
      { id: 'a', name: 'x', argumentsJson: '{"n":1}' },
      { id: 'b', name: 'x', argumentsJson: '{"n":2}' },
    ]);
  });

  it('C098 characters split between network chunks', async () => {
    const text = 'Grüße 👋';
    const line = `data: ${JSON.stringify(chunk({ content: text }))}\r\n\r\ndata: ${JSON.stringify(chunk({}, 'stop'))}\r\n\r\n`;
    const turn = {
      reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [line] },
      splitBytes: 1,
    };
    expect((await streamed(turn)).message.content).toBe(text);
  });

  it.each([
    ['server_error', 'unavailable'],
    [429, 'rate_limited'],
    ['context_length_exceeded', 'context_exceeded'],
  ])('C099 an error event with code %s', async (code, expected) => {
    const turn = events([chunk({ content: 'Hi' }), { error: { code, message: 'boom' } }]);
    await expect(streamed(turn)).rejects.toMatchObject({
      code: expected,
      message: expect.stringContaining('boom'),
      partial: 'Hi',
    });
  });

  it('an error event names the request and the wait of its headers', async () => {
    const turn = events([{ error: { code: 'server_error', message: 'busy' } }]);
    const headers = { ...turn.reply.headers, 'x-request-id': 'req_7', 'retry-after': '3' };
    await expect(streamed({ reply: { ...turn.reply, headers } })).rejects.toMatchObject({
      code: 'unavailable',
      requestId: 'req_7',
      retryAfterMs: 3000,
    });
  });

  it('C100 the last chunk has usage and no choice', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const response = await streamed(
      events([chunk({ content: 'a' }, null, { usage }), chunk({}, 'stop'), { choices: null, usage: null }]),
    );
    expect(response.message.content).toBe('a');
    expect(response.finishReason).toBe('stop');
    expect(response.usage).toEqual({ promptTokens: 3, completionTokens: 1, totalTokens: 4 });
  });

  it('a listener that throws changes nothing', async () => {
    const { adapter } = await scripted([{ say: 'fine' }]);
    const onDelta = () => {
      throw new Error('listener');
    };
    expect((await adapter.chat(asking({ onDelta }))).message.content).toBe('fine');
  });

  it('a host that answers whole is read, and its text reported', async () => {
    const { adapter } = await scripted([answering(undefined, { content: 'whole' })]);
    const deltas: Delta[] = [];
    const { message } = await adapter.chat(asking({ onDelta: (delta) => deltas.push(delta) }));
    expect(message.content).toBe('whole');
    expect(deltas).toEqual([{ kind: 'text', text: 'whole' }]);
  });
});
