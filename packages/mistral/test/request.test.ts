import type { Message, ModelRequest } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { describeToolsInRequests } from '../../../scripts/testing/requests.ts';
import {
  answer,
  asking,
  type Body,
  called,
  frozen,
  json,
  modes,
  ok,
  piece,
  result,
  scripted,
  sse,
  tool,
  user,
} from './helpers.ts';

async function sentFor(messages: readonly Message[], more: Partial<ModelRequest> = {}) {
  const { adapter, body } = await scripted([ok]);
  await adapter.chat(asking({ messages, ...more }));
  return body();
}

function rolesOf({ messages }: Body): unknown[] {
  return messages.map(({ role }: Body) => role);
}

interface SentCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

function callsIn(message: Body['messages'][number] | undefined): readonly SentCall[] {
  return (message?.['tool_calls'] ?? []) as readonly SentCall[];
}

describe('the order of messages', () => {
  it('C017, C018, C021 all system texts lead, in their order', async () => {
    const body = await sentFor([
      { role: 'system', content: 'S1' },
      { role: 'system', content: 'S2' },
      { role: 'user', content: 'u1' },
      called([], 'a1'),
      { role: 'system', content: 'From now on be brief.' },
      { role: 'user', content: 'u2' },
    ]);
    expect(body.messages).toEqual([
      { role: 'system', content: 'S1' },
      { role: 'system', content: 'S2' },
      { role: 'system', content: 'From now on be brief.' },
      { role: 'user', content: 'u1' },
      { role: 'assistant', content: 'a1' },
      { role: 'user', content: 'u2' },
    ]);
  });

  it('C068 a short assistant message stands between a result and a user message', async () => {
    const body = await sentFor([
      { role: 'user', content: 'a' },
      called([['abc123XYZ', 'echo', '{}']]),
      result('abc123XYZ', 'echo', 'x'),
      { role: 'user', content: 'b' },
    ]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(body.messages[2]).toMatchObject({ content: 'x' });
    expect(body.messages[3]?.['content']).toMatch(/\w/);
    expect(body.messages[4]).toEqual({ role: 'user', content: 'b' });
  });

  it('C068 a system or blank assistant message in between changes nothing of that', async () => {
    const body = await sentFor([
      { role: 'user', content: 'a' },
      called([['abc123XYZ', 'echo', '{}']]),
      result('abc123XYZ', 'echo', 'x'),
      { role: 'system', content: 'Be brief.' },
      called([], ' '),
      { role: 'user', content: 'b' },
    ]);
    expect(rolesOf(body)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('C072 an assistant message at the end is a prefix', async () => {
    const body = await sentFor([{ role: 'user', content: 'a' }, called([], 'partial')]);
    expect(body.messages[1]).toEqual({ role: 'assistant', content: 'partial', prefix: true });
  });

  it('C072 no other message is a prefix', async () => {
    const body = await sentFor([user, called([], 'a'), user, called([], ' ')]);
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(body)).not.toContain('prefix');
  });

  it('C019 empty and blank parts are not sent', async () => {
    const body = await sentFor([
      { role: 'system', content: '' },
      { role: 'system', content: '  \n' },
      { role: 'system', content: 'Use metric units.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'hi' },
        ],
      },
    ]);
    expect(body.messages).toEqual([
      { role: 'system', content: 'Use metric units.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ]);
  });
});

describe('calls and results', () => {
  it('C066 foreign ids become nine letters or digits, the same in call, result and every later request', async () => {
    const history = [
      user,
      called([['call_9f8e7d6c5b4a', 'echo', '{}']]),
      result('call_9f8e7d6c5b4a', 'echo', 'x'),
    ];
    const { adapter, body } = await scripted([ok, ok]);
    await adapter.chat(asking({ messages: history }));
    await adapter.chat(asking({ messages: [...history, called([], 'a'), user] }));
    const [id] = callsIn(body(0).messages[1]).map((call) => call.id);
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(body(0).messages[2]?.['tool_call_id']).toBe(id);
    expect(callsIn(body(1).messages[1])[0]?.id).toBe(id);
    expect(body(1).messages[2]?.['tool_call_id']).toBe(id);
  });

  it('C066 different ids never become the same, and a fitting id stays as it is', async () => {
    const { adapter, body } = await scripted([ok, ok]);
    const ids = Array.from({ length: 300 }, (_, index) => `call_${index}`);
    const history = (list: readonly string[]) => [
      user,
      called(list.map((id) => [id, 'echo', '{}'])),
      ...list.map((id) => result(id, 'echo', id)),
    ];
    await adapter.chat(asking({ messages: history(ids) }));
    const sent = callsIn(body().messages[1]).map(({ id }) => id);
    expect(new Set(sent).size).toBe(ids.length);
    // The nine letters that another id was given to are taken.
    const taken = sent[0] ?? '';
    await adapter.chat(asking({ messages: history(['call_0', taken, 'abc123XYZ']) }));
    const again = callsIn(body(1).messages[1]).map(({ id }) => id);
    expect(again[0]).toBe(taken);
    expect(new Set(again).size).toBe(3);
    expect(again[2]).toBe('abc123XYZ');
    expect(
      body(1)
        .messages.slice(2)
        .map((message: Body) => message['tool_call_id']),
    ).toEqual(again);
  });

  it('C067 there are as many results as calls, each with id and name, failed ones too', async () => {
    const { messages } = await sentFor([
      user,
      called([
        ['abc123XYZ', 'a', '{}'],
        ['abc123XYA', 'b', '{}'],
      ]),
      result('abc123XYZ', 'a', '1'),
      result('abc123XYA', 'b', 'The tool failed.', true),
    ]);
    expect(messages.slice(2)).toEqual([
      { role: 'tool', content: '1', tool_call_id: 'abc123XYZ', name: 'a' },
      { role: 'tool', content: 'The tool failed.', tool_call_id: 'abc123XYA', name: 'b' },
    ]);
  });

  it.each([
    ['an object', { a: 1 }],
    ['text', '{"a":1}'],
  ])('C071 arguments that came as %s are encoded once', async (_, given) => {
    const calls = [{ id: 'abc123XYZ', function: { name: 'echo', arguments: given } }];
    const { adapter, body } = await scripted([json(answer({ tool_calls: calls })), ok]);
    const { message } = await adapter.chat(asking({ tools: [tool('echo')] }));
    expect(JSON.parse(message.toolCalls[0]?.argumentsJson ?? '')).toEqual({ a: 1 });
    await adapter.chat(asking({ messages: [user, message, result('abc123XYZ', 'echo', 'x')] }));
    expect(callsIn(body(1).messages[1])[0]?.function.arguments).toBe('{"a":1}');
  });

  it.each(modes)('C002, C003 no arguments are {} both ways (%s)', async (_, onDelta) => {
    const forms = ['', '  ', null, undefined, 'null', {}];
    const calls = forms.map((value, index) => ({
      index,
      id: `abc12300${index}`,
      function: { name: 'now', arguments: value },
    }));
    const { adapter, body } = await scripted([
      onDelta ? sse(piece({ tool_calls: calls }, 'tool_calls')) : json(answer({ tool_calls: calls })),
      ok,
    ]);
    const { message } = await adapter.chat(asking({ tools: [tool('now')], ...(onDelta ? { onDelta } : {}) }));
    expect(message.toolCalls.map(({ argumentsJson }) => argumentsJson)).toEqual([
      '{}',
      '{}',
      '{}',
      '{}',
      'null',
      '{}',
    ]);
    const results = message.toolCalls.map(({ id }) => result(id, 'now', '12:00'));
    await adapter.chat(asking({ messages: [user, message, ...results] }));
    expect(callsIn(body(1).messages[1]).map((call) => call.function.arguments)).toEqual(
      forms.map(() => '{}'),
    );
  });

  it('C001 a call with broken arguments goes back as {}', async () => {
    const { messages } = await sentFor([
      user,
      called([
        ['abc123XYZ', 'add', '{"x": 1, "y": '],
        ['abc123XYA', 'echo', '{"t":"hi"}'],
      ]),
      result('abc123XYZ', 'add', 'The arguments were not valid JSON.', true),
      result('abc123XYA', 'echo', 'hi'),
    ]);
    expect(callsIn(messages[1]).map((call) => call.function.arguments)).toEqual(['{}', '{"t":"hi"}']);
  });

  it('C123 control characters travel as legal JSON', async () => {
    const { messages } = await sentFor([
      user,
      called([['abc123XYZ', 'a', '{"s":"a\\u0000b"}']]),
      result('abc123XYZ', 'a', 'x\u0000y\u001b[31m'),
    ]);
    expect(JSON.parse(callsIn(messages[1])[0]?.function.arguments ?? '')).toEqual({ s: 'a\u0000b' });
    expect(messages[2]?.['content']).toBe('x\u0000y\u001b[31m');
  });

  it('images are sent by URL or as data', async () => {
    const image = { type: 'image', mediaType: 'image/png' } as const;
    const content = [
      { type: 'text', text: 'what?' },
      { ...image, data: 'https://x.example/a.png' },
      { ...image, data: 'aGk=' },
    ] as const;
    const { messages } = await sentFor([{ role: 'user', content }]);
    expect(messages[0]?.['content']).toEqual([
      { type: 'text', text: 'what?' },
      { type: 'image_url', image_url: 'https://x.example/a.png' },
      { type: 'image_url', image_url: 'data:image/png;base64,aGk=' },
    ]);
  });
});

describe('options', () => {
  it.each(modes)(
    'are the same whole and streamed, and reach the wire as they are (%s)',
    async (_, onDelta) => {
      const { adapter, simulator, body } = await scripted([
        onDelta ? sse(piece({ content: 'ok' }, 'stop')) : ok,
      ]);
      const request = asking({
        options: {
          temperature: 0,
          topP: 0.5,
          maxTokens: 7,
          stop: ['END'],
          thinking: true,
          providerOptions: { mistral: { random_seed: 7, not_known_yet: { deep: [1] } }, openai: { seed: 1 } },
        },
        ...(onDelta ? { onDelta } : {}),
      });
      await adapter.chat(request);
      expect(body()).toEqual({
        model: 'mistral-small-latest',
        messages: [{ role: 'user', content: 'hi' }],
        temperature: 0,
        top_p: 0.5,
        max_tokens: 7,
        stop: ['END'],
        reasoning_effort: 'high',
        random_seed: 7,
        not_known_yet: { deep: [1] },
        stream: onDelta !== undefined,
      });
      expect(simulator.exchanges[0]?.request.bodyText).toBe(JSON.stringify(adapter.preview?.(request).body));
    },
  );

  it('a temperature above what Mistral takes is lowered, with a warning', async () => {
    const { adapter, body } = await scripted([ok]);
    const { warnings } = await adapter.chat(asking({ options: { temperature: 2 } }));
    expect(body()['temperature']).toBe(1.5);
    expect(warnings).toEqual(['temperature 2 was sent as 1.5, the highest that Mistral takes.']);
  });

  describeToolsInRequests(scripted, ok);

  it.each([
    ['required', 'required'],
    ['none', 'none'],
    ['auto', 'auto'],
    [{ tool: 'echo' }, { type: 'function', function: { name: 'echo' } }],
  ] as const)('C011, C087 toolChoice %j', async (toolChoice, sent) => {
    const body = await sentFor([user], {
      tools: [tool('echo')],
      options: { toolChoice, parallelToolCalls: false },
    });
    expect(body['tool_choice']).toEqual(sent);
    expect(body['parallel_tool_calls']).toBe(false);
  });

  it('C012 frozen input is not touched, and the same request gives the same bytes', async () => {
    const request = frozen<ModelRequest>({
      messages: [{ role: 'system', content: 'S' }, user, called([], 'partial')],
      tools: [tool('echo')],
      options: { temperature: 1, stop: ['x'], providerOptions: { mistral: { metadata: { a: 1 } } } },
    });
    const { adapter, simulator } = await scripted([ok, ok]);
    await adapter.chat(request);
    await adapter.chat(request);
    const [first, second] = simulator.exchanges.map((exchange) => exchange.request);
    expect(second?.bodyText).toBe(first?.bodyText);
    expect(second?.rawHeaders).toEqual(first?.rawHeaders);
  });

  it('the base URL may end in /v1, and headers cannot replace the key', async () => {
    const { simulator } = await scripted([]);
    const { mistral } = await import('../src/index.ts');
    const settings = { model: 'm', apiKey: 'test-key', headers: { Authorization: 'other', 'X-Mine': '1' } };
    simulator.script(ok, ok);
    for (const end of ['', '/v1/']) {
      await mistral({ ...settings, baseURL: simulator.origin + end }).chat(asking());
    }
    for (const { request } of simulator.exchanges) {
      const headers = new Headers(request.rawHeaders as [string, string][]);
      expect(headers.get('authorization')).toBe('Bearer test-key');
      expect(headers.get('x-mine')).toBe('1');
      expect(headers.get('user-agent')).toMatch(/^mistral-client-typescript\/\d/);
      expect(request.path).toBe('/v1/chat/completions');
    }
  });
});
