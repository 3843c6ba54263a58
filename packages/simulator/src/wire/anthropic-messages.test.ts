import { describe, expect, test } from 'vitest';
import { anthropicMessages } from './anthropic-messages.ts';
import type { RecordedRequest, SeenRequest, WireReply } from './wire-format.ts';

const USER = { role: 'user', content: 'Hi' };
const call = (id: string) => ({ type: 'tool_use', id, name: 'add', input: { a: 1 } });
const result = (id: string, content: unknown = '2') => ({ type: 'tool_result', tool_use_id: id, content });

function request(fields: object, host = 'one'): RecordedRequest {
  const body = { model: 'claude', max_tokens: 4096, messages: [USER], ...fields };
  const bodyText = JSON.stringify(body);
  return {
    method: 'POST',
    path: '/v1/messages',
    query: '',
    rawHeaders: [
      ['Host', host],
      ['anthropic-version', '2023-06-01'],
      ['X-Api-Key', 'test-key'],
    ],
    bodyBytes: new TextEncoder().encode(bodyText),
    bodyText,
    body,
  };
}
const read = (fields: object, host?: string) => anthropicMessages.read(request(fields, host));
const content = (reply: WireReply) => (reply.body as { content: Record<string, unknown>[] }).content;
const events = (reply: WireReply) => reply.body as Record<string, unknown>[];

describe('reading', () => {
  test('a tool loop is read neutrally', () => {
    const seen = read({
      system: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Adding.' }, call('a'), call('b')] },
        {
          role: 'user',
          content: [
            result('a'),
            { ...result('b', [{ type: 'text', text: 'bad' }]), is_error: true },
            { type: 'text', text: 'Go on' },
          ],
        },
      ],
      tools: [{ name: 'add', description: 'Adds', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      temperature: 0.5,
      stop_sequences: ['END'],
      stream: true,
    });
    expect(seen).toEqual({
      model: 'claude',
      system: ['one', 'two'],
      messages: [
        { role: 'user', text: 'Look', images: [{ data: 'AAAA', mediaType: 'image/png' }] },
        {
          role: 'assistant',
          text: 'Adding.',
          calls: [
            { id: 'a', name: 'add', arguments: { a: 1 } },
            { id: 'b', name: 'add', arguments: { a: 1 } },
          ],
          thinking: undefined,
          opaque: [],
        },
        { role: 'tool', callId: 'a', name: undefined, text: '2', isError: false, sameTurn: false },
        { role: 'tool', callId: 'b', name: undefined, text: 'bad', isError: true, sameTurn: true },
        { role: 'user', text: 'Go on', images: [] },
      ],
      tools: [{ name: 'add', description: 'Adds', parameters: { type: 'object', properties: {} } }],
      toolChoice: 'required',
      parallelToolCalls: false,
      stream: true,
      temperature: 0.5,
      topP: undefined,
      maxTokens: 4096,
      stop: ['END'],
      thinking: undefined,
      apiKey: 'test-key',
    });
  });

  const assistant = (...blocks: object[]) => ({ role: 'assistant', content: blocks });
  const user = (...blocks: object[]) => ({ role: 'user', content: blocks });
  const refused: { readonly [why: string]: [object, RegExp] } = {
    'a system role': [{ messages: [{ role: 'system', content: 'x' }, USER] }, /top-level `system`/],
    'no max_tokens': [{ max_tokens: undefined }, /max_tokens: Field required/],
    'no messages': [{ messages: [] }, /at least one message/],
    'the assistant first': [{ messages: [{ role: 'assistant', content: 'x' }, USER] }, /first message/],
    'an empty text block': [{ messages: [user({ type: 'text', text: '' })] }, /must be non-empty/],
    'a blank text block': [{ messages: [user({ type: 'text', text: ' ' })] }, /non-whitespace/],
    'an empty message': [{ messages: [{ role: 'user', content: '' }] }, /non-empty content/],
    'an empty system block': [{ system: [{ type: 'text', text: '' }] }, /non-empty/],
    'a missing result': [
      { messages: [USER, assistant(call('a'), call('b')), user(result('a'))] },
      /without `tool_result`/,
    ],
    'results spread over two messages': [
      { messages: [USER, assistant(call('a'), call('b')), user(result('a')), user(result('b'))] },
      /without `tool_result`/,
    ],
    'a result behind text': [
      { messages: [USER, assistant(call('a')), user({ type: 'text', text: 'x' }, result('a'))] },
      /beginning of the next message/,
    ],
    'a result not directly behind its call': [
      { messages: [USER, assistant(call('a')), USER, user(result('a'))] },
      /without `tool_result`/,
    ],
    'a result without a call': [{ messages: [user(result('a'))] }, /unexpected `tool_use_id`/],
    'a call without a result at the end': [
      { messages: [USER, assistant(call('a'))] },
      /without `tool_result`/,
    ],
    'the same call id twice': [
      { messages: [USER, assistant(call('a'), call('a')), user(result('a'))] },
      /must be unique/,
    ],
    'arguments as text': [
      { messages: [USER, assistant({ ...call('a'), input: '{}' }), user(result('a'))] },
      /valid dictionary/,
    ],
    'an error result without text': [
      { messages: [USER, assistant(call('a')), user({ ...result('a', ''), is_error: true })] },
      /cannot be empty/,
    ],
    'a thinking block without signature': [
      { messages: [USER, assistant({ type: 'thinking', thinking: 'x' }), USER] },
      /signature: Field required/,
    ],
    'a tool schema that is no object': [{ tools: [{ name: 'a', input_schema: {} }] }, /input_schema.type/],
    'a tool choice without tools': [{ tool_choice: { type: 'auto' } }, /while providing tools/],
    'forced tools while thinking': [
      {
        tools: [{ name: 'a', input_schema: { type: 'object' } }],
        tool_choice: { type: 'any' },
        thinking: { type: 'enabled', budget_tokens: 1024 },
      },
      /forces tool use/,
    ],
    'a thinking budget above max_tokens': [
      { thinking: { type: 'enabled', budget_tokens: 5000 } },
      /must be greater than/,
    ],
    'a temperature while thinking': [
      { thinking: { type: 'enabled', budget_tokens: 1024 }, temperature: 0.2 },
      /only be set to 1/,
    ],
    'a temperature above 1': [{ temperature: 1.2 }, /range: 0..1/],
    'a blank stop text': [{ stop_sequences: ['\n'] }, /non-whitespace/],
    'a private directive': [{ _capture_raw: true }, /_capture_raw/],
  };
  for (const [why, [fields, message]] of Object.entries(refused)) {
    test(`refuses ${why}`, () => expect(() => read(fields)).toThrow(message));
  }

  test('refuses a request without a version header', () => {
    expect(() => anthropicMessages.read({ ...request({}), rawHeaders: [] })).toThrow(/anthropic-version/);
  });
});

describe('writing', () => {
  const answer = {
    say: 'Four.',
    think: '2 + 2',
    opaque: 'token-1',
    callTools: [{ name: 'add', arguments: { a: 2 } }, { name: 'now' }],
    usage: { prompt: 100, completion: 20, cacheRead: 60, cacheWrite: 30, reasoning: 5 },
  };

  test('a whole answer', () => {
    const reply = anthropicMessages.write(answer, read({}));
    expect(JSON.parse(reply.chunks.join(''))).toEqual(reply.body);
    expect(reply.body).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude',
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
      },
    });
    expect(content(reply).map((block) => block['type'])).toEqual([
      'thinking',
      'text',
      'tool_use',
      'tool_use',
    ]);
    expect(content(reply)[3]).toMatchObject({ name: 'now', input: {} });
  });

  test('a stream says the same in events', () => {
    const whole = content(anthropicMessages.write(answer, read({})));
    const reply = anthropicMessages.write(answer, read({ stream: true }));
    const data = reply.chunks.map((chunk) =>
      JSON.parse(/^event: \w+\ndata: (.*)\n\n$/.exec(chunk)?.[1] ?? ''),
    );
    expect(data).toEqual(reply.body);
    const blocks: Record<string, string>[] = [];
    for (const event of events(reply)) {
      if (event['type'] !== 'content_block_delta') continue;
      const index = event['index'] as number;
      const block = blocks[index] ?? {};
      blocks[index] = block;
      for (const [name, piece] of Object.entries(event['delta'] as Record<string, string>)) {
        if (name !== 'type') block[name] = (block[name] ?? '') + piece;
      }
    }
    expect(blocks).toEqual([
      { thinking: '2 + 2', signature: whole[0]?.['signature'] },
      { text: 'Four.' },
      { partial_json: '{"a":2}' },
      { partial_json: '' },
    ]);
    expect(events(reply).at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 20 },
    });
    expect(events(reply).at(-1)).toEqual({ type: 'message_stop' });
  });

  test('opaque state without thinking is redacted thinking, and is read again', () => {
    const blocks = content(anthropicMessages.write({ say: 'Hi', opaque: 'token-2' }, read({})));
    expect(blocks[0]?.['type']).toBe('redacted_thinking');
    const seen = read({ messages: [USER, { role: 'assistant', content: blocks }, USER] });
    expect(seen.messages[1]).toMatchObject({ text: 'Hi', opaque: ['token-2'], thinking: undefined });
  });

  test('a changed thought or signature is refused', () => {
    const [thought] = content(anthropicMessages.write(answer, read({})));
    const replay = (block: object) =>
      read({ messages: [USER, { role: 'assistant', content: [block, { type: 'text', text: 'x' }] }, USER] });
    expect((replay(thought as object).messages[1] as { opaque: unknown }).opaque).toEqual(['token-1']);
    expect(() => replay({ ...thought, thinking: '2 + 3' })).toThrow(/Invalid `signature`/);
    expect(() => replay({ ...thought, signature: `${thought?.['signature']}x` })).toThrow(
      /Invalid `signature`/,
    );
    expect(() => replay({ ...thought, signature: '' })).toThrow(/Invalid `signature`/);
  });

  test('calls that came with thinking are refused without it, on the same server only', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const calls = content(anthropicMessages.write(answer, read({ thinking }, 'server'))).filter(
      (block) => block['type'] === 'tool_use',
    );
    const lost = {
      thinking,
      messages: [
        USER,
        { role: 'assistant', content: calls },
        { role: 'user', content: calls.map((block) => result(String(block['id']))) },
      ],
    };
    expect(() => read(lost, 'server')).toThrow(/Expected `thinking`/);
    expect(() => read(lost, 'another')).not.toThrow();
    expect(() => read({ ...lost, messages: [...lost.messages, USER] }, 'server')).not.toThrow();
  });

  test('finish words', () => {
    const reason = (finish: object) =>
      (anthropicMessages.write({ say: 'x', ...finish }, read({})).body as { stop_reason: unknown })
        .stop_reason;
    expect(reason({})).toBe('end_turn');
    expect(reason({ finish: 'length' })).toBe('max_tokens');
    expect(reason({ finish: 'content_filter' })).toBe('refusal');
    expect(reason({ rawFinish: 'pause_turn' })).toBe('pause_turn');
    expect(reason({ rawFinish: null })).toBeNull();
  });

  test('no usage at all', () => {
    expect(anthropicMessages.write({ say: 'x', usage: null }, read({})).body).not.toHaveProperty('usage');
  });

  test('broken arguments are streamed as they are', () => {
    const reply = anthropicMessages.write(
      { callTools: [{ name: 'add', arguments: '{"a":' }] },
      read({ stream: true }),
    );
    expect(reply.chunks.join('')).toContain('"partial_json":"{\\"a\\":"');
  });
});

test('errors have the shape of the provider', () => {
  const fail = anthropicMessages.fail as (failure: object, seen?: SeenRequest) => WireReply;
  expect(fail({ status: 529, headers: { 'retry-after': '3' } })).toMatchObject({
    status: 529,
    headers: { 'retry-after': '3', 'content-type': 'application/json' },
    body: { type: 'error', error: { type: 'overloaded_error' } },
  });
  expect(fail({ status: 400, message: 'm', code: 'c' }).body).toMatchObject({
    error: { type: 'c', message: 'm' },
  });
});
