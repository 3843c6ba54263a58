import { describe, expect, test } from 'vitest';
import { ollamaChat } from './ollama-chat.ts';
import type { RecordedRequest } from './wire-format.ts';

function request(fields: object): RecordedRequest {
  const body = { model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }], ...fields };
  const bodyText = JSON.stringify(body);
  const bodyBytes = new TextEncoder().encode(bodyText);
  return { method: 'POST', path: '/api/chat', query: '', rawHeaders: [], bodyBytes, bodyText, body };
}
const read = (fields: object = {}) => ollamaChat.read(request(fields));
const assistant = (value: unknown) => ({
  messages: [
    { role: 'assistant', content: '', tool_calls: [{ function: { name: 'add', arguments: value } }] },
  ],
});

describe('reading', () => {
  test('a tool loop is read neutrally', () => {
    const seen = read({
      messages: [
        { role: 'system', content: 'one' },
        { role: 'user', content: 'Look', images: ['AAAA'] },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: [{ function: { name: 'add', arguments: { a: 1 } } }],
        },
        { role: 'tool', content: '2', tool_name: 'add' },
      ],
      tools: [
        { type: 'function', function: { name: 'add', description: 'Adds', parameters: { type: 'object' } } },
      ],
      options: { temperature: 0.5, top_p: 0.9, num_predict: 9, stop: ['END'] },
      think: true,
    });
    expect(seen).toMatchObject({
      model: 'qwen3',
      system: ['one'],
      messages: [
        { role: 'user', text: 'Look', images: [{ data: 'AAAA' }] },
        {
          role: 'assistant',
          text: '',
          thinking: 'hm',
          calls: [{ name: 'add', arguments: { a: 1 } }],
          opaque: [],
        },
        { role: 'tool', name: 'add', text: '2', sameTurn: false },
      ],
      tools: [{ name: 'add', description: 'Adds', parameters: { type: 'object' } }],
      stream: true,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 9,
      stop: ['END'],
      thinking: true,
    });
    expect(read({ stream: false }).stream).toBe(false);
  });

  const refused: { readonly [why: string]: [object, RegExp] } = {
    'no model': [{ model: undefined }, /model is required/],
    'arguments as text': [assistant('{"a":1}'), /arguments of type api.ToolCallFunctionArguments/],
    'arguments as a list': [assistant([]), /arguments/],
    'content as a list': [{ messages: [{ role: 'user', content: [] }] }, /content of type string/],
    'an unknown role': [{ messages: [{ role: 'developer', content: 'x' }] }, /invalid role/],
    'an image by address': [
      { messages: [{ role: 'user', content: '', images: ['https://a/b.png'] }] },
      /base64/,
    ],
    'an option that is a text': [{ options: { temperature: '1' } }, /must be of type number/],
    'properties as a list': [
      {
        tools: [
          { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: [] } } },
        ],
      },
      /properties/,
    ],
    'a private directive': [{ _capture_raw: true }, /_capture_raw/],
  };
  for (const [why, [fields, message]] of Object.entries(refused)) {
    test(`refuses ${why}`, () => expect(() => read(fields)).toThrow(message));
  }
});

describe('writing', () => {
  const answer = {
    say: 'It is four.',
    think: 'two and two',
    callTools: [{ name: 'add', arguments: '{"a":2}' }, { name: 'now' }],
    usage: { prompt: 100, completion: 20 },
  };

  test('a whole answer', () => {
    const reply = ollamaChat.write(answer, read({ stream: false }));
    expect(JSON.parse(reply.chunks.join(''))).toEqual(reply.body);
    expect(reply.body).toMatchObject({
      model: 'qwen3',
      message: {
        role: 'assistant',
        content: 'It is four.',
        thinking: 'two and two',
        tool_calls: [
          { function: { index: 0, name: 'add', arguments: { a: 2 } } },
          { function: { index: 1, name: 'now', arguments: {} } },
        ],
      },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 100,
      eval_count: 20,
    });
  });

  test('a stream of lines says the same', () => {
    const reply = ollamaChat.write(answer, read());
    const lines = reply.chunks.map((chunk) => JSON.parse(chunk));
    expect(reply.chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true);
    expect(lines).toEqual(reply.body);
    const joined = (field: string) => lines.map((line) => line.message[field] ?? '').join('');
    expect(joined('content')).toBe('It is four.');
    expect(joined('thinking')).toBe('two and two');
    expect(lines.flatMap((line) => line.message.tool_calls ?? [])).toHaveLength(2);
    expect(lines.filter((line) => line.done)).toEqual([lines.at(-1)]);
  });

  test('finish words and no usage', () => {
    const body = (finish: object) =>
      ollamaChat.write({ say: 'x', usage: null, ...finish }, read({ stream: false })).body;
    expect(body({ finish: 'length' })).toMatchObject({ done_reason: 'length' });
    expect(body({ rawFinish: 'load' })).toMatchObject({ done_reason: 'load' });
    expect(body({ rawFinish: null })).not.toHaveProperty('done_reason');
    expect(body({})).not.toHaveProperty('eval_count');
  });
});

test('errors are a bare text', () => {
  expect(ollamaChat.fail({ status: 404, message: "model 'x' not found" }, undefined)).toMatchObject({
    status: 404,
    body: { error: "model 'x' not found" },
  });
});
