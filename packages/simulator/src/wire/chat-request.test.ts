import { describe, expect, test } from 'vitest';
import {
  ALL,
  call,
  calls,
  hi,
  type Json,
  PATHS,
  read,
  request,
  result,
  tool,
} from '../../test/support/chat.ts';
import { groqChat } from './groq-chat.ts';
import { mistralChat } from './mistral-chat.ts';
import { openaiChat } from './openai-chat.ts';

describe.each(ALL)('%s reads', (_, wire) => {
  test('its one endpoint and no other', () => {
    const path = PATHS.get(wire)!;
    expect(path.startsWith(wire.basePath)).toBe(true);
    expect(wire.accepts(request({}, path))).toBe(true);
    expect(wire.accepts(request({}, '/v2/other'))).toBe(false);
    expect(wire.accepts({ ...request({}, path), method: 'GET' })).toBe(false);
  });

  test('messages of every role, neutrally', () => {
    const seen = read(wire, {
      messages: [
        { role: 'system', content: 'S1' },
        { role: 'system', content: [{ type: 'text', text: 'S2' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        calls('aaaaaaaa1', 'aaaaaaaa2'),
        result('aaaaaaaa1'),
        result('aaaaaaaa2'),
        { role: 'assistant', content: 'done' },
        hi,
      ],
    });
    expect(seen.system).toEqual(['S1', 'S2']);
    expect(seen.messages).toEqual([
      {
        role: 'user',
        text: 'look',
        images: [
          { data: 'AAAA', mediaType: 'image/png' },
          { data: 'https://example.com/a.png', mediaType: undefined },
        ],
      },
      {
        role: 'assistant',
        text: '',
        calls: [
          { id: 'aaaaaaaa1', name: 'echo', arguments: { t: 'a' } },
          { id: 'aaaaaaaa2', name: 'echo', arguments: { t: 'a' } },
        ],
        thinking: undefined,
        opaque: [],
      },
      {
        role: 'tool',
        callId: 'aaaaaaaa1',
        name: 'echo',
        text: 'r-aaaaaaaa1',
        isError: undefined,
        sameTurn: false,
      },
      {
        role: 'tool',
        callId: 'aaaaaaaa2',
        name: 'echo',
        text: 'r-aaaaaaaa2',
        isError: undefined,
        sameTurn: false,
      },
      { role: 'assistant', text: 'done', calls: [], thinking: undefined, opaque: [] },
      { role: 'user', text: 'hi', images: [] },
    ]);
  });

  test('options, tools and the key', () => {
    const seen = read(wire, {
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'echo' } },
      parallel_tool_calls: false,
      temperature: 0,
      top_p: 0.5,
      max_tokens: 7,
      stop: 'END',
      reasoning_effort: 'high',
    });
    expect(seen).toMatchObject({
      model: 'm',
      tools: [{ name: 'echo', description: 'Says it', parameters: { type: 'object' } }],
      toolChoice: { tool: 'echo' },
      parallelToolCalls: false,
      temperature: 0,
      topP: 0.5,
      maxTokens: 7,
      stop: ['END'],
      thinking: true,
      stream: false,
      apiKey: 'the-key',
    });
    expect(read(wire, { reasoning_effort: 'none' }).thinking).toBe(false);
    expect(read(wire, {}).thinking).toBeUndefined();
  });

  test.each<[string, Json]>([
    ['no model', { model: undefined }],
    ['no messages', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'function', content: 'x' }] }],
    ['an empty list of tools', { tools: [] }],
    ['tool_choice without tools', { tool_choice: 'auto' }],
    ['parallel_tool_calls without tools', { parallel_tool_calls: true }],
    [
      'a choice of an unknown tool',
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'x' } } },
    ],
    [
      'a tool name with a space',
      { tools: [{ type: 'function', function: { name: 'a b', parameters: { type: 'object' } } }] },
    ],
    [
      'parameters that are no object',
      { tools: [{ type: 'function', function: { name: 'a', parameters: {} } }] },
    ],
    ['an empty assistant', { messages: [hi, { role: 'assistant', content: null }, hi] }],
    ['an empty list of calls', { messages: [hi, { role: 'assistant', content: 'x', tool_calls: [] }, hi] }],
    ['an empty list of parts', { messages: [{ role: 'user', content: [] }] }],
    ['a result without a call', { messages: [hi, result('aaaaaaaa1')] }],
    ['a missing result', { messages: [hi, calls('aaaaaaaa1', 'aaaaaaaa2'), result('aaaaaaaa1')] }],
    ['a missing result before a user', { messages: [hi, calls('aaaaaaaa1'), hi] }],
    [
      'a second result for one call',
      { messages: [hi, calls('aaaaaaaa1'), result('aaaaaaaa1'), result('aaaaaaaa1')] },
    ],
    ['a call without id', { messages: [hi, { role: 'assistant', tool_calls: [{ ...call('x'), id: '' }] }] }],
    ['stream options without a stream', { stream_options: { include_usage: true } }],
    ['a temperature as text', { temperature: '0' }],
  ])('and refuses %s', (_what, body) => {
    expect(() => read(wire, body)).toThrow();
  });
});

test('each refuses a body that is no object', () => {
  for (const [, wire] of ALL) expect(() => wire.read({ ...request({}), body: undefined })).toThrow(/object/);
});

describe('what only one provider refuses', () => {
  const round = (id: string) => ({ messages: [hi, calls(id), result(id)] });

  test('C066 Mistral: ids that are not nine letters or digits', () => {
    expect(() => read(mistralChat, round('call_9f8e7d6c5b4a'))).toThrow(/length of 9/);
    expect(read(mistralChat, round('abc123XYZ')).messages).toHaveLength(3);
    expect(read(openaiChat, round('call_9f8e7d6c5b4a')).messages).toHaveLength(3);
  });

  test('C067 Mistral: a result without the name of its tool', () => {
    const messages = [hi, calls('abc123XYZ'), { ...result('abc123XYZ'), name: undefined }];
    expect(() => read(mistralChat, { messages })).toThrow(/name/);
  });

  test('C068 Mistral: a user right after a tool', () => {
    const messages = [...round('abc123XYZ').messages, hi];
    expect(() => read(mistralChat, { messages })).toThrow("Unexpected role 'user' after role 'tool'");
    expect(read(groqChat, { messages }).messages).toHaveLength(4);
  });

  test('C072 Mistral: an assistant at the end, unless it is a prefix', () => {
    const last = { role: 'assistant', content: 'partial' };
    expect(() => read(mistralChat, { messages: [hi, last] })).toThrow(/Expected last role/);
    expect(read(mistralChat, { messages: [hi, { ...last, prefix: true }] }).messages).toHaveLength(2);
  });

  test('Mistral: fields of other providers, a tool without parameters', () => {
    expect(() => read(mistralChat, { max_completion_tokens: 5 })).toThrow(/Extra inputs/);
    expect(() => read(mistralChat, { tools: [{ type: 'function', function: { name: 'a' } }] })).toThrow(
      /Field required/,
    );
  });

  test('C084 Groq: reasoning that comes back', () => {
    for (const field of ['reasoning', 'reasoning_content']) {
      const messages = [hi, { role: 'assistant', content: 'x', [field]: 'plan' }, hi];
      expect(() => read(groqChat, { messages })).toThrow(`property '${field}' is unsupported`);
    }
  });

  test('C085 Groq: assistant content as a list', () => {
    const messages = [hi, { role: 'assistant', content: [{ type: 'text', text: 'x' }] }, hi];
    expect(() => read(groqChat, { messages })).toThrow(/must be a string/);
  });

  test('C035 OpenAI: sampling settings and max_tokens of reasoning models', () => {
    expect(() => read(openaiChat, { model: 'o4-mini', temperature: 0.2 })).toThrow(/temperature/);
    expect(() => read(openaiChat, { model: 'o4-mini', max_tokens: 5 })).toThrow(/max_tokens/);
    expect(read(openaiChat, { model: 'o4-mini', max_completion_tokens: 5 }).maxTokens).toBe(5);
  });

  test('OpenAI: an id longer than 40 characters', () => {
    expect(() => read(openaiChat, round('x'.repeat(41)))).toThrow(/40/);
  });
});
