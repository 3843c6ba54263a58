import { describe, expect, test } from 'vitest';
import { googleGenerateContent } from './google-generate-content.ts';
import type { RecordedRequest, WireReply } from './wire-format.ts';

const USER = { role: 'user', parts: [{ text: 'Hi' }] };
const model = (...parts: object[]) => ({ role: 'model', parts });
const user = (...parts: object[]) => ({ role: 'user', parts });
const call = (name = 'add') => ({ functionCall: { name, args: { a: 1 } } });
const response = (name = 'add', value: unknown = { output: '2' }) => ({
  functionResponse: { name, response: value },
});
const tool = (schema: object) => ({ tools: [{ functionDeclarations: [{ name: 'add', ...schema }] }] });

function request(fields: object, method = 'generateContent', query = '', host = 'one'): RecordedRequest {
  const body = { contents: [USER], ...fields };
  const bodyText = JSON.stringify(body);
  return {
    method: 'POST',
    path: `/v1beta/models/gemini-x:${method}`,
    query,
    rawHeaders: [
      ['host', host],
      ['x-goog-api-key', 'test-key'],
    ],
    bodyBytes: new TextEncoder().encode(bodyText),
    bodyText,
    body,
  };
}
const read = (fields: object = {}, host?: string) =>
  googleGenerateContent.read(request(fields, 'generateContent', '', host));
const readStream = (query: string) => googleGenerateContent.read(request({}, 'streamGenerateContent', query));
type Parts = Record<string, unknown>[];
const partsOf = (body: unknown) =>
  (body as { candidates: { content: { parts?: Parts } }[] }).candidates[0]?.content.parts ?? [];

describe('reading', () => {
  test('a tool loop is read neutrally', () => {
    const seen = read({
      systemInstruction: { parts: [{ text: 'one' }] },
      contents: [
        user({ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
        model({ text: 'hm', thought: true }, { text: 'Adding.' }, call(), call('now')),
        user(response(), response('now', { error: 'broken' })),
      ],
      ...tool({ description: 'Adds', parameters: { type: 'OBJECT', properties: {} } }),
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['add'] } },
      generationConfig: { temperature: 0.5, maxOutputTokens: 9, thinkingConfig: { includeThoughts: true } },
    });
    expect(seen).toMatchObject({
      model: 'gemini-x',
      system: ['one'],
      messages: [
        { role: 'user', text: 'Look', images: [{ data: 'AAAA', mediaType: 'image/png' }] },
        {
          role: 'assistant',
          text: 'Adding.',
          thinking: 'hm',
          opaque: [],
          calls: [{ name: 'add', arguments: { a: 1 } }, { name: 'now' }],
        },
        { role: 'tool', name: 'add', text: '2', isError: false, sameTurn: false },
        { role: 'tool', name: 'now', text: 'broken', isError: true, sameTurn: true },
      ],
      tools: [{ name: 'add', description: 'Adds' }],
      toolChoice: { tool: 'add' },
      stream: false,
      temperature: 0.5,
      maxTokens: 9,
      thinking: true,
      apiKey: 'test-key',
    });
  });

  test('both spellings of a field are read', () => {
    const seen = read({
      contents: [
        USER,
        model({ function_call: { name: 'add' } }),
        user({ function_response: response().functionResponse }),
      ],
      system_instruction: { parts: [{ text: 's' }] },
    });
    expect(seen.system).toEqual(['s']);
    expect(seen.messages[1]).toMatchObject({ calls: [{ name: 'add', arguments: {} }] });
  });

  const refused: { readonly [why: string]: [object, RegExp] } = {
    'no contents': [{ contents: [] }, /contents is not specified/],
    'no parts': [{ contents: [user()] }, /must not be empty/],
    'an empty part': [{ contents: [user({})] }, /required oneof field/],
    'an empty text': [{ contents: [user({ text: '' })] }, /required oneof field/],
    'a role of another provider': [
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      /valid role/,
    ],
    'a system instruction as text': [{ systemInstruction: 'x' }, /system_instruction/],
    'a response that is a text': [
      { contents: [USER, model(call()), user(response('add', '2'))] },
      /response/,
    ],
    'a response that is a list': [{ contents: [USER, model(call()), user(response('add', []))] }, /response/],
    'too few responses': [
      { contents: [USER, model(call(), call()), user(response())] },
      /number of function/,
    ],
    'too many responses': [
      { contents: [USER, model(call()), user(response(), response())] },
      /number of function/,
    ],
    'responses in two turns': [
      { contents: [USER, model(call(), call()), user(response()), user(response())] },
      /number of function/,
    ],
    'a response without a call': [{ contents: [user(response())] }, /after a function call turn/],
    'a call without a response': [{ contents: [USER, model(call())] }, /function response turn/],
    'a call at the beginning': [{ contents: [model(call()), user(response())] }, /after a user turn/],
    'arguments as text': [
      { contents: [USER, model({ functionCall: { name: 'a', args: '{}' } }), user(response())] },
      /args/,
    ],
    'a changed signature': [
      { contents: [USER, model({ text: 'x', thoughtSignature: 'not base64!' })] },
      /signature/,
    ],
    'additionalProperties in parameters': [
      tool({ parameters: { type: 'object', properties: {}, additionalProperties: false } }),
      /Unknown name "additionalProperties"/,
    ],
    'a JSON Schema keyword further down': [
      tool({ parameters: { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: 0 } } } }),
      /Unknown name "exclusiveMinimum"/,
    ],
    '$schema in parameters': [
      tool({ parameters: { $schema: 'x', type: 'object' } }),
      /Unknown name "\$schema"/,
    ],
    'a list of types': [tool({ parameters: { type: ['object', 'null'] } }), /not repeating/],
    'an enum of numbers': [
      tool({ parameters: { type: 'object', properties: { a: { enum: [1] } } } }),
      /enum/,
    ],
    'an array without items': [
      tool({ parameters: { type: 'object', properties: { a: { type: 'array' } } } }),
      /items: missing field/,
    ],
    'a required property that is not there': [
      tool({ parameters: { type: 'object', properties: {}, required: ['a'] } }),
      /not defined/,
    ],
    'both kinds of schema': [
      tool({ parameters: { type: 'object' }, parametersJsonSchema: {} }),
      /mutually exclusive/,
    ],
    'a tool config without tools': [
      { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
      /without function_declarations/,
    ],
    'a private directive': [{ _capture_raw: true }, /_capture_raw/],
  };
  for (const [why, [fields, message]] of Object.entries(refused)) {
    test(`refuses ${why}`, () => expect(() => read(fields)).toThrow(message));
  }

  test('any JSON Schema is fine in parametersJsonSchema', () => {
    const schema = { $schema: 'x', type: ['object', 'null'], additionalProperties: false };
    expect(read(tool({ parametersJsonSchema: schema })).tools[0]?.parameters).toEqual(schema);
  });
});

describe('writing', () => {
  const answer = {
    say: 'It is four.',
    think: '2 + 2',
    opaque: 'token-1',
    callTools: [{ name: 'add', arguments: { a: 2 } }, { name: 'now' }],
    usage: { prompt: 100, completion: 20, cacheRead: 60, reasoning: 5 },
  };

  test('a whole answer', () => {
    const reply = googleGenerateContent.write(answer, read());
    expect(JSON.parse(reply.chunks.join(''))).toEqual(reply.body);
    expect(partsOf(reply.body)).toEqual([
      { text: '2 + 2', thought: true },
      { text: 'It is four.' },
      { functionCall: { name: 'add', args: { a: 2 } }, thoughtSignature: expect.any(String) },
      { functionCall: { name: 'now', args: {} } },
    ]);
    expect(reply.body).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 15,
        thoughtsTokenCount: 5,
        totalTokenCount: 120,
        cachedContentTokenCount: 60,
      },
      modelVersion: 'gemini-x',
    });
  });

  test('a stream of events', () => {
    const reply = googleGenerateContent.write(answer, readStream('alt=sse'));
    const data = reply.chunks.map((chunk) => JSON.parse(/^data: (.*)\r\n\r\n$/.exec(chunk)?.[1] ?? ''));
    expect(data).toEqual(reply.body);
    const parts = data.flatMap(partsOf);
    const said = parts.filter((part) => 'text' in part && part['thought'] !== true);
    expect(said.map((part) => part['text']).join('')).toBe('It is four.');
    expect(said.length).toBeGreaterThan(1);
    expect(parts.filter((part) => 'functionCall' in part)).toHaveLength(2);
    expect(data.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  test('a stream without alt=sse is one JSON array', () => {
    const reply = googleGenerateContent.write(answer, readStream(''));
    expect(reply.headers['content-type']).toContain('application/json');
    expect(JSON.parse(reply.chunks.join(''))).toEqual(reply.body);
    const failed = googleGenerateContent.fail({ status: 429 }, readStream(''));
    expect(failed.body).toMatchObject([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }]);
  });

  test('opaque state without calls goes on the text, in a stream on an empty one at the end', () => {
    const said = { say: 'Hi', opaque: 'token-2' };
    const whole = partsOf(googleGenerateContent.write(said, read()).body);
    const streamed = googleGenerateContent.write(said, readStream('alt=sse')).body as object[];
    expect(whole).toEqual([{ text: 'Hi', thoughtSignature: expect.any(String) }]);
    expect(partsOf(streamed.at(-1))).toEqual([
      { text: '', thoughtSignature: whole[0]?.['thoughtSignature'] },
    ]);
    expect(read({ contents: [USER, model(...whole), USER] }).messages[1]).toMatchObject({
      opaque: ['token-2'],
    });
  });

  test('a signed call is refused without its signature, on the same server only', () => {
    const parts = partsOf(
      googleGenerateContent.write({ ...answer, say: '', think: '' }, read({}, 'server')).body,
    );
    const calls = parts.filter((part) => 'functionCall' in part);
    const turns = (kept: Parts) => [USER, model(...kept), user(response(), response('now'))];
    expect(read({ contents: turns(calls) }, 'server').messages[1]).toMatchObject({ opaque: ['token-1'] });
    const bare = calls.map(({ thoughtSignature: _, ...part }) => part);
    expect(() => read({ contents: turns(bare) }, 'server')).toThrow(/missing a thought_signature/);
    expect(() => read({ contents: turns(bare) }, 'another')).not.toThrow();
  });

  test('nothing said gives a content without parts', () => {
    expect(googleGenerateContent.write({}, read()).body).toMatchObject({
      candidates: [{ content: { role: 'model' } }],
    });
    expect(partsOf(googleGenerateContent.write({}, read()).body)).toEqual([]);
  });

  test('angle brackets and line separators are escaped, in every form', () => {
    const said = { say: '<b>\u2028' };
    for (const seen of [read(), readStream('alt=sse'), readStream('')]) {
      const text = googleGenerateContent.write({ ...said, pieceLength: 99 }, seen).chunks.join('');
      expect(text).toContain('\\u003cb\\u003e\\u2028');
      expect(text).not.toMatch(/[<>\u2028]/);
    }
  });

  test('finish words and no usage', () => {
    const body = (finish: object) =>
      googleGenerateContent.write({ say: 'x', usage: null, ...finish }, read()).body as {
        candidates: { finishReason?: string }[];
      };
    expect(body({ finish: 'length' }).candidates[0]?.finishReason).toBe('MAX_TOKENS');
    expect(body({ finish: 'content_filter' }).candidates[0]?.finishReason).toBe('SAFETY');
    expect(body({ rawFinish: 'MALFORMED_FUNCTION_CALL' }).candidates[0]?.finishReason).toBe(
      'MALFORMED_FUNCTION_CALL',
    );
    expect(body({ rawFinish: null }).candidates[0]).not.toHaveProperty('finishReason');
    expect(body({})).not.toHaveProperty('usageMetadata');
  });
});

test('errors have the shape of the provider', () => {
  const fail: (failure: { status: number; message?: string; code?: string }) => WireReply = (failure) =>
    googleGenerateContent.fail(failure, undefined);
  expect(fail({ status: 503, message: 'm' }).body).toEqual({
    error: { code: 503, message: 'm', status: 'UNAVAILABLE' },
  });
});
