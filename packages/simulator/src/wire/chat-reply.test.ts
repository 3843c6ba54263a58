import { describe, expect, test } from 'vitest';
import { ALL, hi, type Json, read, result, stream, whole } from '../../test/support/chat.ts';
import type { ScriptedAnswer } from '../turn.ts';
import { groqChat } from './groq-chat.ts';
import { mistralChat } from './mistral-chat.ts';
import { openaiChat } from './openai-chat.ts';
import { openrouterChat } from './openrouter-chat.ts';

/** Folds a stream as a client would. */
function folded(events: readonly Json[]) {
  let content = '';
  let reasoning = '';
  const toolCalls: Json[] = [];
  let finish: string | null = null;
  for (const event of events) {
    const choice = event['choices'][0];
    if (choice === undefined) continue;
    finish = choice.finish_reason ?? finish;
    const parts = Array.isArray(choice.delta.content)
      ? choice.delta.content
      : [{ type: 'text', text: choice.delta.content ?? '' }];
    for (const part of parts) {
      if (part.type === 'thinking') reasoning += part.thinking[0].text;
      else content += part.text;
    }
    reasoning += choice.delta.reasoning ?? '';
    for (const piece of choice.delta.tool_calls ?? []) {
      toolCalls[piece.index] ??= { id: piece.id, name: piece.function.name, arguments: '' };
      toolCalls[piece.index]!['arguments'] += piece.function.arguments ?? '';
    }
  }
  return { content, reasoning, toolCalls, finish };
}

describe.each(ALL)('%s writes', (_, wire) => {
  test('text', () => {
    const body = whole(wire, { say: 'Hello.', extra: { added: 1 } });
    expect(body['choices'][0]).toMatchObject({
      index: 0,
      message: { role: 'assistant', content: 'Hello.' },
      finish_reason: 'stop',
    });
    expect(body).toMatchObject({ object: 'chat.completion', model: 'm', added: 1 });
    expect(body['usage']).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
  });

  test('calls whose ids do not repeat in later rounds', () => {
    const answer = {
      callTools: [
        { name: 'echo', arguments: { t: 'ü' } },
        { name: 'echo', arguments: '{"t": ' },
      ],
    };
    const [first] = whole(wire, answer)['choices'];
    expect(first).toMatchObject({ finish_reason: 'tool_calls' });
    const made = first.message.tool_calls;
    expect(made.map((entry: Json) => entry['function'].arguments)).toEqual(['{"t":"ü"}', '{"t": ']);
    const ids: string[] = made.map((entry: Json) => entry['id']);
    const messages = [hi, { role: 'assistant', content: null, tool_calls: made }, ...ids.map(result)];
    const later = wire.write(answer, read(wire, { messages })).body as Json;
    const all = [...ids, ...later['choices'][0].message.tool_calls.map((entry: Json) => entry['id'])];
    expect(new Set(all).size).toBe(4);
  });

  test('the same in a stream, in pieces', () => {
    const answer: ScriptedAnswer = {
      say: 'Grüße 👋👋, wie geht es?',
      think: 'a plan of some length',
      callTools: [
        { id: 'aaaaaaaa1', name: 'echo', arguments: { text: 'a long argument' } },
        { id: 'aaaaaaaa2', name: 'echo' },
      ],
      pieceLength: 3,
      extra: { added: 1 },
    };
    const reply = stream(wire, answer, { messages: [hi] });
    const events = reply.body as Json[];
    expect(events[0]).toMatchObject({ object: 'chat.completion.chunk', added: 1 });
    expect(folded(events)).toEqual({
      content: answer.say,
      reasoning: wire.can.thinking ? answer.think : '',
      toolCalls: [
        { id: 'aaaaaaaa1', name: 'echo', arguments: '{"text":"a long argument"}' },
        { id: 'aaaaaaaa2', name: 'echo', arguments: wire === mistralChat ? '{}' : '' },
      ],
      finish: 'tool_calls',
    });
    const lines = reply.chunks
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('data: '));
    expect(lines.at(-1)).toBe('data: [DONE]');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)))).toEqual(events);
    expect(reply.headers['content-type']).toContain('text/event-stream');
  });

  test('an empty answer, whole and streamed', () => {
    expect(whole(wire, { finish: 'length' })['choices'][0].finish_reason).toBe('length');
    const events = stream(wire, { finish: 'length' }).body as Json[];
    expect(folded(events)).toEqual({ content: '', reasoning: '', toolCalls: [], finish: 'length' });
  });

  test('no usage, no finish reason, any finish reason', () => {
    const body = whole(wire, { say: 'x', usage: null, rawFinish: null });
    expect('usage' in body).toBe(false);
    expect(body['choices'][0].finish_reason).toBeNull();
    expect(whole(wire, { say: 'x', rawFinish: 'odd' })['choices'][0].finish_reason).toBe('odd');
    const events = stream(wire, { say: 'x', usage: null, rawFinish: null }).body as Json[];
    expect(folded(events).finish).toBeNull();
    expect(events.some((event) => event['usage'])).toBe(false);
  });

  test('a failure', () => {
    const failure = wire.fail({ status: 429, message: 'slow', headers: { 'retry-after': '1' } }, undefined);
    expect(failure).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'content-type': 'application/json' },
    });
    expect(JSON.parse(failure.chunks.join(''))).toEqual(failure.body);
    expect(JSON.stringify(wire.fail({ status: 503 }, undefined).body)).toContain('status 503');
  });
});

describe('what only one provider writes', () => {
  const detailed = {
    prompt: 100,
    completion: 50,
    cacheRead: 60,
    cacheWrite: 10,
    reasoning: 20,
    cost: 0.00042,
  };

  test('OpenAI: details of usage, and usage of a stream only when asked', () => {
    expect(whole(openaiChat, { say: 'x', usage: detailed })['usage']).toMatchObject({
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 20 },
    });
    expect((stream(openaiChat, { say: 'x' }).body as Json[]).some((event) => 'usage' in event)).toBe(false);
    const asked = stream(openaiChat, { say: 'x' }, { stream_options: { include_usage: true } })
      .body as Json[];
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10 } });
  });

  test('C036 OpenAI: a refusal', () => {
    expect(whole(openaiChat, { refuse: 'No.' })['choices'][0]).toMatchObject({
      message: { content: null, refusal: 'No.' },
      finish_reason: 'stop',
    });
    const events = stream(openaiChat, { refuse: 'I cannot help.' }).body as Json[];
    expect(events.map((event) => event['choices'][0].delta.refusal ?? '').join('')).toBe('I cannot help.');
  });

  test('OpenAI: errors', () => {
    expect(openaiChat.fail({ status: 401, message: 'bad key' }, undefined).body).toEqual({
      error: { message: 'bad key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
    });
  });

  test('Groq: reasoning, a missing content, usage under x_groq', () => {
    const [choice] = whole(groqChat, { think: 'plan', callTools: [{ name: 'echo' }] })['choices'];
    expect(choice.message).toMatchObject({ reasoning: 'plan' });
    expect('content' in choice.message).toBe(false);
    const events = stream(groqChat, { say: 'x', usage: detailed }).body as Json[];
    expect(events.at(-1)).toMatchObject({ x_groq: { usage: { prompt_tokens: 100, total_tokens: 150 } } });
  });

  test('C083 Groq: tool_use_failed with the text that failed', () => {
    const fail = { status: 400, code: 'tool_use_failed', details: { failed_generation: '<function=echo>' } };
    expect(groqChat.fail(fail, undefined).body).toMatchObject({
      error: { code: 'tool_use_failed', failed_generation: '<function=echo>' },
    });
  });

  test('C090 OpenRouter: reasoning details that come back are seen', () => {
    const answer = {
      think: 'a plan of some length',
      opaque: 'ENC',
      callTools: [{ id: 'c1', name: 'echo', arguments: {} }],
    };
    const { message } = whole(openrouterChat, answer)['choices'][0];
    expect(message.reasoning_details).toMatchObject([
      { text: answer.think, index: 0 },
      { data: 'ENC', index: 1 },
    ]);
    const seen = read(openrouterChat, { messages: [hi, message, result('c1')] });
    expect(seen.messages[1]).toMatchObject({ thinking: answer.think, opaque: ['ENC'] });
    const streamed = (stream(openrouterChat, answer).body as Json[]).flatMap(
      (event) => event['choices'][0].delta.reasoning_details ?? [],
    );
    expect(streamed.map((detail) => detail.text ?? '').join('')).toBe(answer.think);
    expect(streamed.at(-1)).toMatchObject({ type: 'reasoning.encrypted', data: 'ENC' });
    const broken = { role: 'assistant', content: 'x', reasoning_details: [{ type: 'reasoning.encrypted' }] };
    expect(() => read(openrouterChat, { messages: [hi, broken, hi] })).toThrow(/without its data/);
  });

  test('C093 OpenRouter: cost, provider, cache writes, white space before the body', () => {
    const reply = openrouterChat.write({ say: 'x', usage: detailed }, read(openrouterChat, {}));
    expect(reply.chunks[0]).toMatch(/^\n +\n/);
    expect(JSON.parse(reply.chunks[0]!)).toEqual(reply.body);
    expect(reply.body).toMatchObject({
      provider: 'Simulated',
      usage: { cost: 0.00042, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 } },
    });
  });

  test('C094 OpenRouter: comments before the first event, usage beside a choice', () => {
    const reply = stream(openrouterChat, { say: 'x' });
    expect(reply.chunks[0]).toContain(': OPENROUTER PROCESSING');
    expect((reply.body as Json[]).at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop', native_finish_reason: 'stop' }],
      usage: { total_tokens: 15 },
    });
  });

  test('C070 Mistral: thinking inside the content, and its way back', () => {
    const [choice] = whole(mistralChat, { think: 'plan', say: 'answer' })['choices'];
    expect(choice.message.content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'plan' }], closed: true },
      { type: 'text', text: 'answer' },
    ]);
    const seen = read(mistralChat, {
      messages: [hi, choice.message, hi].map(({ tool_calls, ...rest }: Json) => rest),
    });
    expect(seen.messages[1]).toMatchObject({ text: 'answer', thinking: 'plan' });
  });

  test('Mistral: ids of nine letters or digits, complete calls, the finish reason beside them', () => {
    const events = stream(mistralChat, {
      callTools: [{ name: 'echo', arguments: { a: 1 } }, { name: 'echo' }],
    }).body as Json[];
    const [choice] = events.at(-1)!['choices'];
    expect(choice.finish_reason).toBe('tool_calls');
    expect(choice.delta.tool_calls).toHaveLength(2);
    for (const made of choice.delta.tool_calls) expect(made.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(events.at(-1)!['usage']).toMatchObject({ total_tokens: 15 });
  });

  test('Mistral: errors', () => {
    expect(mistralChat.fail({ status: 401, message: 'Unauthorized' }, undefined).body).toEqual({
      detail: 'Unauthorized',
    });
    expect(mistralChat.fail({ status: 422, message: 'no' }, undefined).body).toMatchObject({
      detail: [{ msg: 'no' }],
    });
    expect(mistralChat.fail({ status: 400, message: 'no' }, undefined).body).toMatchObject({
      object: 'error',
      message: 'no',
    });
  });
});
