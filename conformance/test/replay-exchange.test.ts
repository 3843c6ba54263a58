import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openaiChat } from '@glassloop/simulator';
import { describe, expect, test } from 'vitest';
import {
  type CreateAdapter,
  conversations,
  exchangesFor,
  exchangesFromHar,
  expectedOf,
  type RecordedExchange,
  type RecordedExpectation,
  readExchanges,
  replayConversation,
  replayExchange,
} from '../src/index.ts';
import { reference } from './reference-adapter.ts';

const create: CreateAdapter = (settings) => reference(settings);
const nothing: RecordedExpectation = {
  content: null,
  thinking: null,
  finishReason: null,
  toolCalls: [],
  usage: null,
  model: null,
  error: null,
};

/** One exchange in the shape of OpenAI's chat completions. */
function exchange(
  body: unknown,
  expected: Partial<RecordedExpectation> | null,
  more: {
    stream?: boolean;
    status?: number;
    request?: object;
    conversation?: RecordedExchange['conversation'];
  } = {},
): RecordedExchange {
  const { stream = false, status = 200, conversation = null } = more;
  const bodyText = stream
    ? [...(body as unknown[]).map((event) => JSON.stringify(event)), '[DONE]']
        .map((data) => `data: ${data}\n\n`)
        .join('')
    : JSON.stringify(body);
  return {
    id: `openai-${conversation?.index ?? 0}`,
    provider: 'openai',
    kind: stream ? ['stream'] : [],
    conversation,
    request: { method: 'POST', path: '/v1/chat/completions', body: { model: 'm', ...more.request } },
    response: {
      status,
      contentType: stream ? 'text/event-stream' : 'application/json',
      framing: stream ? 'sse' : 'json',
      fidelity: 'exact',
      bodyText,
    },
    expected: expected === null ? null : { ...nothing, ...expected },
  };
}

const completion = (message: object, finish = 'stop') => ({
  id: 'x',
  object: 'chat.completion',
  model: 'm-1',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const usage = { prompt: 3, completion: 2, total: 5, cached: null, reasoning: null };
const hello = { content: 'Hello', finishReason: 'stop', usage, model: 'm-1' };
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'add', arguments: '{"a": 1}' },
});

describe('replayExchange', () => {
  test('none where adapter and recording agree', async () => {
    const recorded = exchange(completion({ content: 'Hello' }), hello);
    expect(await replayExchange(create, recorded, { capture: true, splitBytes: 7 })).toEqual([]);
  });

  test('every field that differs is named', async () => {
    const recorded = exchange(completion({ content: 'Hello', tool_calls: [call('a')] }), {
      ...hello,
      content: 'Bye',
      model: 'm-2',
      finishReason: 'length',
      usage: { ...usage, prompt: 4, total: 6 },
      toolCalls: [{ id: 'b', name: 'add', arguments: { a: 1 } }],
    });
    const differences = await replayExchange(create, recorded);
    expect(differences.map(({ field }) => field)).toEqual([
      'content',
      'calls',
      'rawFinishReason',
      'model',
      'usage.promptTokens',
      'usage.totalTokens',
    ]);
    expect(differences[0]).toEqual({ field: 'content', expected: 'Bye', actual: 'Hello' });
  });

  test('a stream, with its deltas and the list of its events', async () => {
    const piece = (content: string, finish: string | null = null) => ({
      model: 'm-1',
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const events = [
      piece('Hel'),
      piece('lo', 'stop'),
      { model: 'm-1', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    ];
    const recorded = exchange(events, hello, { stream: true });
    expect(await replayExchange(create, recorded, { capture: true, splitBytes: 5 })).toEqual([]);
    expect(
      await replayExchange(create, exchange(events, { ...hello, content: 'Hel' }, { stream: true })),
    ).toHaveLength(1);
  });

  test('an error must be an error, with the sentence of the provider', async () => {
    const body = { error: { message: 'No such model.', type: 'x', code: null } };
    const recorded = (message: string, status = 404) => exchange(body, { error: { message } }, { status });
    expect(await replayExchange(create, recorded('No such model.'), { capture: true })).toEqual([]);
    const [difference] = await replayExchange(create, recorded('Another sentence.'));
    expect(difference?.field).toBe('error.message');
    const unexpected = await replayExchange(create, exchange(body, hello, { status: 500 }));
    expect(unexpected.map(({ field }) => field)).toEqual(['error']);
    const missing = await replayExchange(
      create,
      exchange(completion({ content: 'Hello' }), { ...hello, error: { message: 'x' } }),
    );
    expect(missing.map(({ field }) => field)).toEqual(['error']);
  });

  test('without expectations, errors and raw capture are compared all the same', async () => {
    expect(
      await replayExchange(create, exchange(completion({ content: 'x' }), null), { capture: true }),
    ).toEqual([]);
    const failed = exchange({ error: { message: 'x' } }, null, { status: 500 });
    expect(await replayExchange(create, failed, { capture: true })).toEqual([]);
  });
});

describe('expectedOf', () => {
  const of = (provider: RecordedExchange['provider'], counts: object, body: unknown = {}) =>
    expectedOf({ ...exchange(body, { usage: { ...usage, ...counts } }), provider })?.usage;

  test("usage in each provider's way of counting", () => {
    expect(of('anthropic', { prompt: 10, completion: 5, cached: 60, cacheCreation: 30 })).toEqual({
      promptTokens: 100,
      completionTokens: 5,
      totalTokens: 105,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
    });
    expect(
      of(
        'google',
        { prompt: 10, completion: 5, reasoning: 7, total: 26 },
        { usageMetadata: { toolUsePromptTokenCount: 4 } },
      ),
    ).toEqual({ promptTokens: 14, completionTokens: 12, totalTokens: 26, reasoningTokens: 7 });
    expect(of('google', { prompt: 14, completion: null, total: 14 })).toMatchObject({ completionTokens: 0 });
    expect(of('openrouter', { cost: 0.5 })).toMatchObject({ totalTokens: 5, estimatedCost: 0.5 });
    expect(of('ollama', { completion: null, total: null })).toEqual({ promptTokens: 3 });
    expect(expectedOf(exchange({}, { usage: null }))?.usage).toEqual({});
  });

  test('inline thinking is split off, a refusal is content, calls are decoded', () => {
    const expected = expectedOf(
      exchange(
        {},
        {
          content: '<think>plan</think>\n\nDone',
          toolCalls: [{ id: null, name: 'now', arguments: null, argumentsText: '' }],
        },
      ),
    );
    expect(expected).toMatchObject({
      content: 'Done',
      thinking: 'plan',
      calls: [{ id: undefined, name: 'now', arguments: {} }],
    });
    expect(expectedOf(exchange({}, { refusal: 'No.' }))?.content).toBe('No.');
  });
});

describe('replayConversation', () => {
  const asked = { role: 'user', content: 'Add' };
  const tools = [
    { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } },
  ];
  const both = [call('a'), call('b')];
  const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
  const turns = (second: readonly object[]) => [
    exchange(completion({ content: null, tool_calls: both }, 'tool_calls'), null, {
      request: { messages: [{ role: 'system', content: 'Be brief' }, asked], tools },
      conversation: { id: 'c', index: 1, count: 2 },
    }),
    exchange(completion({ content: '2 and 3' }), null, {
      request: { messages: [{ role: 'system', content: 'Be brief' }, asked, ...second], tools },
      conversation: { id: 'c', index: 2, count: 2 },
    }),
  ];
  const calls = { role: 'assistant', content: null, tool_calls: both };

  test('the loop sends what the recorded client sent', async () => {
    const recorded = turns([calls, result('a', '2'), result('b', '3')]);
    const [found] = conversations([...recorded].reverse());
    expect(found).toEqual(recorded);
    expect(await replayConversation(create, openaiChat, recorded)).toEqual([]);
  });

  test('calls that the recorded client sent otherwise are named', async () => {
    const other = {
      ...calls,
      tool_calls: [call('a'), { ...call('b'), function: { name: 'add', arguments: '{"a":2}' } }],
    };
    const recorded = turns([other, result('a', '2'), result('b', '3')]);
    const differences = await replayConversation(create, openaiChat, recorded);
    expect(differences.map(({ field }) => field)).toEqual(['turn 2: messages[1].calls']);
  });

  test('a recorded request that cannot be read is said', async () => {
    const [difference] = await replayConversation(create, openaiChat, turns([calls, result('a', '2')]));
    expect(difference?.field).toBe('recorded request');
  });

  test('a user who goes on talking', async () => {
    const more = { role: 'user', content: 'And then?' };
    const recorded = [
      exchange(completion({ content: 'One.' }), null, {
        request: { messages: [asked] },
        conversation: { id: 'd', index: 1, count: 2 },
      }),
      exchange(completion({ content: 'Two.' }), null, {
        request: { messages: [asked, { role: 'assistant', content: 'One.' }, more] },
        conversation: { id: 'd', index: 2, count: 2 },
      }),
    ];
    expect(await replayConversation(create, openaiChat, recorded)).toEqual([]);
  });

  test('an incomplete conversation is left out', () => {
    expect(conversations(turns([]).slice(0, 1))).toEqual([]);
  });
});

describe('exchangesFromHar', () => {
  const key = 'custom-key-of-nobody-42';
  const har = {
    log: {
      entries: [
        {
          request: { method: 'GET', url: 'https://x.test/v1/models' },
          response: { status: 200, content: {} },
        },
        {
          request: {
            method: 'POST',
            url: 'https://x.test/v1/chat/completions?key=query-secret-1&v=2',
            headers: [
              { name: 'Authorization', value: `Bearer ${key}` },
              { name: 'Cookie', value: 'sid=cookie-secret-1; other=1' },
            ],
            postData: {
              text: JSON.stringify({
                model: 'm',
                messages: [
                  { role: 'user', content: `my key is ${key}, sk-${'a'.repeat(24)}, AIza${'x'.repeat(35)}` },
                ],
              }),
            },
          },
          response: {
            status: 200,
            headers: [
              { name: 'Content-Type', value: 'application/json' },
              { name: 'Set-Cookie', value: 'sid=cookie-secret-1' },
              { name: 'Retry-After', value: '3' },
            ],
            content: {
              encoding: 'base64',
              text: Buffer.from(
                JSON.stringify(completion({ content: 'cookie-secret-1 query-secret-1' })),
              ).toString('base64'),
            },
          },
        },
      ],
    },
  };

  test('keeps the exchange and no secret', async () => {
    const list = exchangesFromHar(har, { provider: 'openai' });
    expect(list).toHaveLength(1);
    const [first] = list as [RecordedExchange];
    expect(first.request).toMatchObject({
      path: '/v1/chat/completions',
      query: { v: '2' },
      body: { model: 'm' },
    });
    expect(first.response).toMatchObject({ status: 200, framing: 'json', headers: { 'retry-after': '3' } });
    const text = JSON.stringify(list);
    for (const secret of [key, 'cookie-secret-1', 'query-secret-1', 'sk-a', 'AIza'])
      expect(text).not.toContain(secret);
    expect(await replayExchange(create, first, { capture: true })).toEqual([]);
  });

  test('says what it wants instead of a HAR', () => {
    expect(() => exchangesFromHar({} as never, { provider: 'openai' })).toThrow(/HAR/);
  });
});

describe('readExchanges', () => {
  test('none without a folder; files below it in the order of their ids', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exchanges-'));
    try {
      expect(readExchanges(join(folder, 'missing'))).toEqual([]);
      mkdirSync(join(folder, 'openai'));
      const native = { ...exchange({}, null), provider: 'ollama' as const, id: 'b' };
      writeFileSync(join(folder, 'openai', 'x.json'), JSON.stringify(native));
      writeFileSync(join(folder, 'openai', 'y.json'), JSON.stringify({ ...exchange({}, null), id: 'a' }));
      writeFileSync(join(folder, 'sources.json'), '{"repositories":[]}');
      const all = readExchanges(folder);
      expect(all.map(({ id }) => id)).toEqual(['a', 'b']);
      // Ollama under /v1 is an OpenAI-compatible host.
      expect(exchangesFor('openai', all)).toHaveLength(2);
      expect(exchangesFor('ollama', all)).toHaveLength(0);
    } finally {
      rmSync(folder, { recursive: true });
      expect(existsSync(folder)).toBe(false);
    }
  });
});
