import { type Delta, type ModelResponse, parseArguments } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { answer, asking, failureOf, json, lines, modes, scripted, tool, user } from './helpers.ts';

/** The same answer read whole and from a stream; both must say the same. */
async function read(message: Record<string, unknown>, more: object = {}): Promise<ModelResponse> {
  const body = answer(message, more);
  const { adapter } = await scripted([json(body), lines(body)]);
  const whole = await adapter.chat(asking());
  const streamed = await adapter.chat(asking({ onDelta: () => {} }));
  const shown = ({ message: { toolCalls, ...rest }, ...response }: ModelResponse) => ({
    ...response,
    rest: { ...rest, providerState: undefined },
    calls: toolCalls.map(({ name, argumentsJson }) => [name, argumentsJson]),
  });
  expect(JSON.stringify(shown(streamed))).toBe(JSON.stringify(shown(whole)));
  return whole;
}

describe('answers', () => {
  it('C078 thinking has a field of its own', async () => {
    const response = await read({ content: '4', thinking: '2+2' });
    expect(response).toMatchObject({
      message: { content: '4' },
      thinking: '2+2',
      finishReason: 'stop',
      rawFinishReason: 'stop',
      usage: { promptTokens: 8, completionTokens: 3, totalTokens: 11 },
    });
  });

  it('C082 reasoning between tags is split off', async () => {
    const response = await read({ content: '<think>\nplan\n</think>\n\nAnswer.' });
    expect(response.message.content).toBe('Answer.');
    expect(response.thinking).toBe('plan');
  });

  it.each(modes)('C075 calls without ids get distinct ones (%s)', async (_, onDelta) => {
    const calls = ['1', '2'].map((t) => ({ function: { name: 'echo', arguments: { t } } }));
    const { adapter } = await scripted(
      onDelta === undefined
        ? [json(answer({ tool_calls: calls })), json(answer({ tool_calls: calls }))]
        : [
            lines(answer({ tool_calls: [calls[0]] }, { done: false }), answer({ tool_calls: [calls[1]] })),
            lines(answer({ tool_calls: calls })),
          ],
    );
    const request = asking({ tools: [tool('echo')], ...(onDelta === undefined ? {} : { onDelta }) });
    const rounds = [await adapter.chat(request), await adapter.chat(request)].map(
      ({ message }) => message.toolCalls,
    );
    const ids = rounds.flat().map(({ id }) => id);
    expect(ids.every((id) => id !== '')).toBe(true);
    expect(new Set(ids).size).toBe(4);
    expect(rounds[0]?.map(({ argumentsJson }) => argumentsJson)).toEqual(['{"t":"1"}', '{"t":"2"}']);
  });

  it('keeps ids that the server gave, and makes doubled ones distinct', async () => {
    const call = { id: 'call_1', function: { name: 'echo', arguments: {} } };
    const { message } = await read({ tool_calls: [call, call] });
    expect(message.toolCalls[0]?.id).toBe('call_1');
    expect(message.toolCalls[1]?.id).not.toBe('call_1');
  });

  it('calls decide the finish reason, unless the answer was cut', async () => {
    const tool_calls = [{ function: { name: 'write', arguments: { path: 'a.md' } } }];
    expect((await read({ tool_calls })).finishReason).toBe('tool_calls');
    const cut = await read({ tool_calls }, { done_reason: 'length' });
    expect(cut).toMatchObject({ finishReason: 'length', rawFinishReason: 'length' });
  });

  it('C005 an answer cut at the limit says length', async () => {
    expect((await read({ content: 'It be' }, { done_reason: 'length' })).finishReason).toBe('length');
  });

  it('an unknown or missing reason is kept as what it is', async () => {
    expect(await read({ content: 'x' }, { done_reason: 'new_word' })).toMatchObject({
      finishReason: 'other',
      rawFinishReason: 'new_word',
    });
    const without = await read({ content: 'x' }, { done_reason: undefined });
    expect(without.finishReason).toBe('stop');
    expect(without).not.toHaveProperty('rawFinishReason');
  });

  it.each(modes)('C077 done_reason load is an error that says what to do (%s)', async (_, onDelta) => {
    const body = answer({}, { done_reason: 'load', prompt_eval_count: undefined, eval_count: undefined });
    const { adapter } = await scripted([onDelta === undefined ? json(body) : lines(body)]);
    const error = await failureOf(adapter.chat(asking(onDelta === undefined ? {} : { onDelta })));
    expect(error).toMatchObject({ name: 'AdapterError', code: 'invalid_request', retryable: false });
    expect(error.message).toContain('nothing was generated');
    expect(error.hint).toContain('user message');
  });

  it('C109, C113 counts that are missing, null or nonsense are absent', async () => {
    for (const counts of [
      { prompt_eval_count: undefined, eval_count: undefined },
      { prompt_eval_count: null, eval_count: 'many' },
    ]) {
      expect((await read({ content: 'x' }, counts)).usage).toEqual({});
    }
    expect((await read({ content: 'x' }, { prompt_eval_count: undefined })).usage).toEqual({
      completionTokens: 3,
    });
    expect((await read({ content: 'x' }, { prompt_eval_count: 5, eval_count: -1 })).usage).toEqual({
      promptTokens: 5,
      completionTokens: 0,
      totalTokens: 5,
    });
  });

  it('C080 a prompt that was cut by the context window is noticed', async () => {
    const { adapter } = await scripted([
      json(answer({ content: 'x' }, { prompt_eval_count: 2051 })),
      json(answer({ content: 'x' }, { prompt_eval_count: 13_900 })),
    ]);
    const request = asking({
      messages: [{ role: 'user', content: 'four'.repeat(14_000) }],
      options: { providerOptions: { ollama: { options: { num_ctx: 2048 } } } },
    });
    const { warnings } = await adapter.chat(request);
    expect(warnings?.[0]).toContain('2051 prompt tokens');
    expect(warnings?.[0]).toContain('num_ctx is 2048');
    expect(await adapter.chat(request)).not.toHaveProperty('warnings');
  });

  it('C116 a __proto__ key in arguments reaches nobody', async () => {
    const body = JSON.stringify(answer({ tool_calls: [{ function: { name: 'e', arguments: 'HERE' } }] }));
    const { adapter } = await scripted([
      { reply: { chunks: [body.replace('"HERE"', '{"__proto__":{"isAdmin":true},"a":1}')] } },
    ]);
    const { message } = await adapter.chat(asking());
    const value = parseArguments(message.toolCalls[0]!.argumentsJson);
    expect(value).toEqual({ a: 1 });
    expect(value && 'isAdmin' in value).toBe(false);
    expect('isAdmin' in {}).toBe(false);
  });

  it('thinking goes back with the calls it led to, and is dropped when they were edited', async () => {
    const { adapter, body } = await scripted([
      json(
        answer({ thinking: 'plan', tool_calls: [{ id: 'c1', function: { name: 'echo', arguments: {} } }] }),
      ),
      json(answer({ content: 'ok' })),
      json(answer({ content: 'ok' })),
    ]);
    const { message } = await adapter.chat(asking());
    const rest = [
      { role: 'tool', toolCallId: 'c1', toolName: 'echo', content: 'x', isError: false },
    ] as const;
    await adapter.chat(asking({ messages: [user, message, ...rest] }));
    expect(body(1).messages[1]).toMatchObject({ role: 'assistant', content: '', thinking: 'plan' });
    const edited = { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: 'other' })) };
    await adapter.chat(asking({ messages: [user, edited, ...rest] }));
    expect(body(2).messages[1]).not.toHaveProperty('thinking');
  });
});

describe('streams', () => {
  it('report each piece, with the ids of the answer', async () => {
    const deltas: Delta[] = [];
    const { adapter } = await scripted([
      lines(
        answer({ thinking: 'pl' }, { done: false }),
        answer({ thinking: 'an' }, { done: false }),
        answer({ content: 'He' }, { done: false }),
        answer(
          { content: 'llo', tool_calls: [{ function: { name: 'echo', arguments: { t: 1 } } }] },
          { done: false },
        ),
        answer({}),
      ),
    ]);
    const response = await adapter.chat(asking({ onDelta: (delta) => void deltas.push(delta) }));
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'pl' },
      { kind: 'thinking', text: 'an' },
      { kind: 'text', text: 'He' },
      { kind: 'text', text: 'llo' },
      {
        kind: 'tool_call',
        index: 0,
        id: response.message.toolCalls[0]?.id,
        name: 'echo',
        argumentsText: '{"t":1}',
      },
    ]);
    expect(response).toMatchObject({
      message: { content: 'Hello' },
      thinking: 'plan',
      finishReason: 'tool_calls',
    });
  });

  it('a watcher that throws changes nothing', async () => {
    const { adapter } = await scripted([lines(answer({ content: 'x' }))]);
    const onDelta = () => {
      throw new Error('watcher');
    };
    expect((await adapter.chat(asking({ onDelta }))).message.content).toBe('x');
  });

  it.each([
    ['after a line', ''],
    ['in the middle of a line', '{"model":"qwen3:8b","mess'],
  ])('C095 a stream that ends %s is no complete answer', async (_, tail) => {
    const calls = { tool_calls: [{ function: { name: 'echo', arguments: {} } }] };
    const { adapter } = await scripted([
      {
        reply: {
          headers: { 'content-type': 'application/x-ndjson' },
          chunks: [
            `${JSON.stringify(answer({ content: 'The answer is', ...calls }, { done: false, done_reason: undefined, prompt_eval_count: undefined, eval_count: undefined }))}\n${tail}`,
          ],
        },
      },
    ]);
    const response = await adapter.chat(asking({ onDelta: () => {} }));
    expect(response).toMatchObject({
      message: { content: 'The answer is' },
      finishReason: 'other',
      usage: {},
    });
    expect(response.message.toolCalls).toHaveLength(1);
  });

  it('C095 a stream without a word is an error', async () => {
    const { adapter } = await scripted([lines()]);
    expect(await failureOf(adapter.chat(asking({ onDelta: () => {} })))).toMatchObject({
      code: 'bad_response',
    });
  });

  it('C098 characters split between chunks come out whole', async () => {
    const bytes = Buffer.from(`${JSON.stringify(answer({ content: 'Grüße 👋' }))}\r\n`);
    const { adapter } = await scripted([
      { reply: { headers: { 'content-type': 'application/x-ndjson' }, chunks: [bytes] }, splitBytes: 1 },
    ]);
    expect((await adapter.chat(asking({ onDelta: () => {} }))).message.content).toBe('Grüße 👋');
  });

  it.each([
    ['a text', { error: 'boom' }],
    ['an object', { error: { message: 'boom', code: 'server_error' } }],
  ])('C099 an error line with %s fails the call and keeps the text so far', async (_, error) => {
    const { adapter } = await scripted([lines(answer({ content: 'Hi' }, { done: false }), error)]);
    const failure = await failureOf(adapter.chat(asking({ onDelta: () => {} })));
    expect(failure).toMatchObject({ name: 'AdapterError', partial: 'Hi' });
    expect(failure.message).toContain('boom');
  });

  it('an answer is complete at its last line, whether or not the connection ends', async () => {
    const { adapter } = await scripted([{ ...lines(answer({ content: 'x' })), hang: 'midway' }]);
    expect((await adapter.chat(asking({ onDelta: () => {} }))).message.content).toBe('x');
  });

  it('C096 an answer is final only at the line that says done', async () => {
    const { adapter } = await scripted([
      lines(
        answer({ tool_calls: [{ function: { name: 'a', arguments: { n: 1 } } }] }, { done: false }),
        answer({ tool_calls: [{ function: { name: 'b', arguments: { n: 2 } } }] }, { done: false }),
        answer({}),
      ),
    ]);
    const { message } = await adapter.chat(asking({ onDelta: () => {} }));
    expect(message.toolCalls.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
