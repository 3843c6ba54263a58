import type { Message, ModelRequest } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { describeToolsInRequests } from '../../../scripts/testing/requests.ts';
import { ollama } from '../src/index.ts';
import {
  answer,
  asking,
  type Body,
  called,
  failureOf,
  frozen,
  json,
  lines,
  modes,
  result,
  scripted,
  tool,
  user,
} from './helpers.ts';

type SentCall = { readonly function: { readonly name: string; readonly arguments: Record<string, unknown> } };

function callsIn(message: { readonly [field: string]: unknown } | undefined): readonly SentCall[] {
  return message?.['tool_calls'] as readonly SentCall[];
}

const ok = json(answer({ content: 'ok' }));

async function sentFor(messages: readonly Message[], more: Parameters<typeof asking>[0] = {}) {
  const { adapter, body } = await scripted([ok]);
  await adapter.chat(asking({ messages, ...more }));
  return body();
}

describe('messages', () => {
  it('C017, C018 all system texts are sent in order, in place', async () => {
    const { messages } = await sentFor([
      { role: 'system', content: 'S1' },
      { role: 'system', content: 'S2' },
      user,
    ]);
    expect(messages).toEqual([
      { role: 'system', content: 'S1' },
      { role: 'system', content: 'S2' },
      { role: 'user', content: 'hi' },
    ]);
  });

  it('C021 a system message in the middle stays where it is', async () => {
    const { messages } = await sentFor([
      user,
      called([], 'a1'),
      { role: 'system', content: 'From now on be brief.' },
      { role: 'user', content: 'u2' },
    ]);
    expect(messages.map(({ role }: Body) => role)).toEqual(['user', 'assistant', 'system', 'user']);
    expect(messages[2]).toEqual({ role: 'system', content: 'From now on be brief.' });
  });

  it('C019 empty and blank parts are not sent', async () => {
    const { messages } = await sentFor([
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
      called([], ' \n'),
      user,
    ]);
    expect(messages).toEqual([
      { role: 'system', content: 'Use metric units.' },
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'hi' },
    ]);
  });

  it.each([
    ['as an object', { x: 1 }],
    ['as text', '{"x":1}'],
  ])('C073 arguments that came %s are replayed as an object', async (_, given) => {
    const { adapter, body } = await scripted([
      json(answer({ tool_calls: [{ function: { name: 'add', arguments: given } }] })),
      ok,
    ]);
    const first = await adapter.chat(asking({ tools: [tool('add')] }));
    const [call] = first.message.toolCalls;
    expect(JSON.parse(call!.argumentsJson)).toEqual({ x: 1 });
    await adapter.chat(
      asking({ messages: [user, first.message, result(call!.id, 'add', '1')], tools: [tool('add')] }),
    );
    expect(callsIn(body(1).messages[1])[0]?.function).toEqual({
      name: 'add',
      arguments: { x: 1 },
    });
  });

  it.each(modes)('C002, C003, C074 no arguments are {} both ways (%s)', async (_, onDelta) => {
    const forms = [{}, null, undefined, '', '  ', 'null'];
    const message = { tool_calls: forms.map((value) => ({ function: { name: 'now', arguments: value } })) };
    const { adapter, simulator, body } = await scripted([
      onDelta === undefined ? json(answer(message)) : lines(answer(message)),
      onDelta === undefined ? ok : lines(answer({ content: 'ok' })),
    ]);
    const request = asking({ tools: [tool('now')], ...(onDelta === undefined ? {} : { onDelta }) });
    const { message: assistant } = await adapter.chat(request);
    expect(assistant.toolCalls.map(({ argumentsJson }) => argumentsJson)).toEqual([
      '{}',
      '{}',
      '{}',
      '{}',
      '{}',
      'null',
    ]);
    await adapter.chat({
      ...request,
      messages: [user, assistant, ...assistant.toolCalls.map(({ id }) => result(id, 'now', '12:00'))],
    });
    const calls = callsIn(body(1).messages[1]);
    expect(calls.map((call) => call.function.arguments)).toEqual(forms.map(() => ({})));
    expect(simulator.exchanges[1]?.request.bodyText).toContain('"properties":{}');
    expect(simulator.exchanges[1]?.request.bodyText).not.toContain('"arguments":[]');
  });

  it('C001 a call with broken arguments goes back as {}, with all results in the order of the calls', async () => {
    const { messages } = await sentFor(
      [
        user,
        called([
          ['a1', 'add', '{"x": 1, "y": '],
          ['a2', 'echo', '{"t":"hi"}'],
        ]),
        result('a1', 'add', 'The arguments were not valid JSON.', true),
        result('a2', 'echo', 'hi'),
      ],
      { tools: [tool('add'), tool('echo')] },
    );
    expect(messages[1]?.['tool_calls']).toEqual([
      { id: 'a1', function: { name: 'add', arguments: {} } },
      { id: 'a2', function: { name: 'echo', arguments: { t: 'hi' } } },
    ]);
    expect(messages.slice(2).map(({ content }: Body) => content)).toEqual([
      'The arguments were not valid JSON.',
      'hi',
    ]);
  });

  it('C116 a __proto__ key in replayed arguments pollutes nothing', async () => {
    const { messages } = await sentFor([
      user,
      called([['p1', 'echo', '{"__proto__":{"isAdmin":true},"a":1}']]),
      result('p1', 'echo', 'x'),
    ]);
    expect(callsIn(messages[1])[0]?.function.arguments).toEqual({ a: 1 });
    expect('isAdmin' in {}).toBe(false);
  });

  it('C076 each result carries the name of its tool', async () => {
    const { messages } = await sentFor([
      user,
      called([
        ['x1', 'a', '{}'],
        ['x2', 'b', '{}'],
      ]),
      result('x1', 'a', '1'),
      result('x2', 'b', '2'),
    ]);
    expect(messages.slice(2)).toEqual([
      { role: 'tool', content: '1', tool_name: 'a', tool_call_id: 'x1' },
      { role: 'tool', content: '2', tool_name: 'b', tool_call_id: 'x2' },
    ]);
  });

  it('C068 no bridge is put between a result and the next user message', async () => {
    const { messages } = await sentFor([user, called([['x1', 'a', '{}']]), result('x1', 'a', '1'), user]);
    expect(messages.map(({ role }: Body) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('C123 control characters travel as legal JSON', async () => {
    const { messages } = await sentFor([
      user,
      called([['x1', 'a', '{"s":"a\\u0000b"}']]),
      result('x1', 'a', 'x\u0000y\u001b[31m'),
    ]);
    expect(callsIn(messages[1])[0]?.function.arguments['s']).toBe('a\u0000b');
    expect(messages[2]?.['content']).toBe('x\u0000y\u001b[31m');
  });

  it('sends images as base64, and refuses one given by its URL before anything is sent', async () => {
    const image = { type: 'image', data: 'aGk=', mediaType: 'image/png' } as const;
    const { messages } = await sentFor([{ role: 'user', content: [{ type: 'text', text: 'what?' }, image] }]);
    expect(messages[0]).toEqual({ role: 'user', content: 'what?', images: ['aGk='] });

    const { adapter, simulator } = await scripted([]);
    const request = asking({
      messages: [{ role: 'user', content: [{ ...image, data: 'https://x.example/a.png' }] }],
    });
    expect(await failureOf(adapter.chat(request))).toMatchObject({ code: 'unsupported' });
    expect(simulator.exchanges).toHaveLength(0);
  });

  it('never reads a local file named as an image', async () => {
    const data = new URL(import.meta.url).pathname;
    let sent = '';
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent = String(init?.body);
      return Response.json(answer({ content: 'ok' }));
    };
    const content = [{ type: 'image', data, mediaType: 'image/png' } as const];
    await ollama({ model: 'm', fetch }).chat(asking({ messages: [{ role: 'user', content }] }));
    expect(JSON.parse(sent).messages[0].images).toEqual([data]);
  });
});

describe('options', () => {
  it('are sent where Ollama wants them, the same whole and streamed', async () => {
    const options = { temperature: 0, topP: 0.5, maxTokens: 7, stop: ['END'], thinking: false };
    const { adapter, body } = await scripted([ok, lines(answer({ content: 'ok' }))]);
    await adapter.chat(asking({ options }));
    await adapter.chat(asking({ options, onDelta: () => {} }));
    const expected = {
      model: 'qwen3:8b',
      messages: [{ role: 'user', content: 'hi' }],
      think: false,
      options: { temperature: 0, top_p: 0.5, num_predict: 7, stop: ['END'] },
    };
    expect(body(0)).toEqual({ ...expected, stream: false });
    expect(body(1)).toEqual({ ...expected, stream: true });
  });

  it('C080 num_ctx is merged into the other sampling options', async () => {
    const options = {
      temperature: 0.5,
      providerOptions: { ollama: { keep_alive: '5m', options: { num_ctx: 16384 } }, openai: { seed: 1 } },
    };
    const body = await sentFor([user], { options });
    expect(body['options']).toEqual({ temperature: 0.5, num_ctx: 16384 });
    expect(body['keep_alive']).toBe('5m');
    expect(body).not.toHaveProperty('seed');
  });

  describeToolsInRequests(scripted, ok);

  it.each([
    ['required', 1, true],
    [{ tool: 'echo' }, 1, true],
    ['none', 1, false],
    ['auto', 0, true],
  ] as const)(
    'C011, C087 toolChoice %j becomes a warning, never a field',
    async (toolChoice, warnings, offered) => {
      const { adapter, body } = await scripted([ok]);
      const response = await adapter.chat(asking({ tools: [tool('echo')], options: { toolChoice } }));
      expect(response.warnings ?? []).toHaveLength(warnings);
      expect(body()).not.toHaveProperty('tool_choice');
      expect('tools' in body()).toBe(offered);
    },
  );

  it('parallelToolCalls: false becomes a warning', async () => {
    const { adapter } = await scripted([ok]);
    const response = await adapter.chat(
      asking({ tools: [tool('echo')], options: { parallelToolCalls: false } }),
    );
    expect(response.warnings?.[0]).toContain('parallelToolCalls');
  });

  it('C012 frozen input is not touched, and the same request gives the same bytes', async () => {
    const image = { type: 'image', data: 'aGk=', mediaType: 'image/png' } as const;
    const request = frozen<ModelRequest>({
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }, image] },
      ],
      tools: [tool('echo')],
      options: { temperature: 1, stop: ['x'], providerOptions: { ollama: { options: { num_ctx: 10 } } } },
    });
    const { adapter, simulator } = await scripted([ok, ok]);
    await adapter.chat(request);
    await adapter.chat(request);
    const [first, second] = simulator.exchanges.map((exchange) => exchange.request);
    expect(second?.bodyText).toBe(first?.bodyText);
    expect(second?.rawHeaders).toEqual(first?.rawHeaders);
  });

  it.each(modes)('C020 a preview is exactly what is sent (%s)', async (_, onDelta) => {
    const { adapter, simulator } = await scripted([
      onDelta === undefined ? ok : lines(answer({ content: 'ok' })),
    ]);
    const request = asking({
      tools: [tool('echo')],
      options: { temperature: 1, toolChoice: 'required' },
      ...(onDelta === undefined ? {} : { onDelta }),
    });
    const preview = adapter.preview!(request);
    expect(simulator.exchanges).toHaveLength(0);
    const response = await adapter.chat(request);
    expect(simulator.exchanges[0]?.request.bodyText).toBe(JSON.stringify(preview.body));
    expect(response.warnings).toEqual(preview.warnings);
  });
});
