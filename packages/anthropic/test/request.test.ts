import type { Message } from '@glassloop/core/adapter';
import { describe, expect, it, vi } from 'vitest';
import {
  answer,
  asking,
  type Body,
  called,
  failureOf,
  frozen,
  json,
  KEY,
  MODEL,
  mode,
  modes,
  preview,
  result,
  said,
  scripted,
  system,
  tool,
  user,
} from './helpers.ts';
import { anyAnthropic } from './wire.ts';

describe('the request', () => {
  it.each(modes)('is what preview shows, byte for byte, and nothing else (%s)', async (_, onDelta) => {
    const { adapter, simulator } = await scripted([{ say: 'ok' }]);
    const request = asking({
      messages: [system('S'), user],
      tools: [tool('echo')],
      options: { maxTokens: 50, stop: ['END'], toolChoice: 'auto', parallelToolCalls: false },
      ...mode(onDelta),
    });
    await adapter.chat(request);
    expect(simulator.exchanges[0]?.request.bodyText).toBe(JSON.stringify(adapter.preview?.(request).body));
    expect(simulator.exchanges[0]?.request.body).toEqual({
      model: MODEL,
      max_tokens: 50,
      system: 'S',
      messages: [{ role: 'user', content: 'hi' }],
      tools: [
        { name: 'echo', description: 'The tool echo.', input_schema: { type: 'object', properties: {} } },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      ...(onDelta && { stream: true }),
    });
  });

  it('carries the key in one header, and nothing from variables of the SDK', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'other-token');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'X-Leak: 1\nAuthorization: Bearer leaked');
    try {
      const headers = { 'X-Team': 'blue', Authorization: 'Bearer mine' };
      const { adapter, simulator, header } = await scripted([{ say: 'ok' }], { headers });
      await adapter.chat(asking());
      const sent = simulator.exchanges[0]?.request.rawHeaders ?? [];
      expect(sent.filter(([, value]) => value.includes(KEY))).toEqual([['authorization', `Bearer ${KEY}`]]);
      expect(header('x-team')).toBe('blue');
      expect(header('x-leak')).toBeUndefined();
      expect(JSON.stringify(sent)).not.toMatch(/leaked|other-token|mine|traceparent/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('names the API version it is written for, the older one where sampling is asked for, or the caller’s', async () => {
    const turns = [{ say: 'a' }, { say: 'b' }];
    const { adapter, header } = await scripted(turns);
    await adapter.chat(asking());
    await adapter.chat(asking({ options: { temperature: 0.2 } }));
    expect([header('anthropic-version', 0), header('anthropic-version', 1)]).toEqual([
      '2026-10-21',
      '2023-06-01',
    ]);

    const pinned = await scripted([{ say: 'c' }], { headers: { 'Anthropic-Version': '2025-01-01' } });
    await pinned.adapter.chat(asking({ options: { providerOptions: { anthropic: { top_k: 5 } } } }));
    expect(pinned.header('anthropic-version')).toBe('2025-01-01');
  });

  it('prints nothing, also for models the SDK warns about', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
    for (const model of ['claude-opus-4-5', 'claude-mythos-preview', 'claude-opus-4-6']) {
      const { adapter } = await scripted([{ say: 'ok' }], { model });
      await adapter.chat(asking({ options: { thinking: true } }));
    }
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it('C042 system text goes to the top-level field', () => {
    expect(preview({ messages: [system('S1'), system('S2'), user] }).body).toMatchObject({
      system: [
        { type: 'text', text: 'S1' },
        { type: 'text', text: 'S2' },
      ],
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(preview({}).body).not.toHaveProperty('system');
  });

  it('C018 C021 all system texts are kept, in order, wherever they stand', () => {
    const { body } = preview({
      messages: [system('S1'), user, said('a1'), system('S2'), { role: 'user', content: 'u2' }],
    });
    expect(body.system.map(({ text }: Body) => text)).toEqual(['S1', 'S2']);
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'a1' },
      { role: 'user', content: 'u2' },
    ]);
  });

  it('C019 empty and whitespace-only parts are not sent', () => {
    const blank = [
      system(' \n'),
      said('  '),
      { role: 'user', content: [{ type: 'text', text: ' ' }] },
    ] as Message[];
    const { body } = preview({
      messages: [...blank, { role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
    expect(body).not.toHaveProperty('system');
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]);
  });

  it('refuses a conversation without any content before it is sent', async () => {
    const { adapter } = await scripted([]);
    const error = await failureOf(adapter.chat(asking({ messages: [system('S'), said('')] })));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('no message') });
  });

  it('C043 parallel tool results are one user message, in call order', () => {
    const { body } = preview({
      messages: [user, called('tu_1', 'tu_2'), result('tu_1', 'r1'), result('tu_2', 'r2', true)],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'tu_1', name: 'echo', input: { a: 1 } },
          { type: 'tool_use', id: 'tu_2', name: 'echo', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'tu_1', content: 'r1' },
          { type: 'tool_result', tool_use_id: 'tu_2', content: 'r2', is_error: true },
        ],
      },
    ]);
  });

  it('C044 tool results come before the user text they are merged with', () => {
    const { body } = preview({
      messages: [user, called('tu_1'), result('tu_1', 'r'), { role: 'user', content: 'and now?' }],
    });
    expect(body.messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'tu_1', content: 'r' },
        { type: 'text', text: 'and now?' },
      ],
    });
  });

  it('C045 an empty assistant turn is left out', () => {
    const { body } = preview({ messages: [user, said(''), { role: 'user', content: 'again' }] });
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'again' },
    ]);
  });

  it('gives an empty result no text, and an empty error one', () => {
    const { body } = preview({ messages: [user, called('a', 'b'), result('a', ''), result('b', ' ', true)] });
    expect(body.messages[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a' },
      { type: 'tool_result', tool_use_id: 'b', content: '(no message)', is_error: true },
    ]);
  });

  it('C051 arguments go back as an object whatever they were', () => {
    const call = (id: string, argumentsJson: string) => ({ id, name: 'echo', argumentsJson });
    const toolCalls = [
      call('1', '{}'),
      call('2', 'not json'),
      call('3', ''),
      call('4', '[1]'),
      call('5', 'null'),
    ];
    const { body } = preview({ messages: [user, { role: 'assistant', content: '', toolCalls }] });
    expect(body.messages[1].content.map(({ input }: Body) => input)).toEqual([{}, {}, {}, {}, {}]);
  });

  it('takes over a conversation that another provider began, strange ids included', () => {
    const foreign: Message = {
      role: 'assistant',
      content: 'x',
      toolCalls: [{ id: 'functions.echo:0', name: 'echo', argumentsJson: '{}' }],
      providerState: { google: { parts: [] } },
    };
    const [, assistant, answered] = preview({ messages: [user, foreign, result('functions.echo:0', 'r')] })
      .body.messages;
    const { id } = assistant.content[1];
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(answered.content[0].tool_use_id).toBe(id);
  });

  it('sends images as base64 or by URL, and refuses other types before sending', async () => {
    const image = (data: string, mediaType: string): Message => ({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', data, mediaType },
      ],
    });
    expect(preview({ messages: [image('aGk=', 'image/jpg')] }).body.messages[0].content[1]).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' },
    });
    expect(
      preview({ messages: [image('https://x.example/a.png', 'image/png')] }).body.messages[0].content[1],
    ).toEqual({
      type: 'image',
      source: { type: 'url', url: 'https://x.example/a.png' },
    });
    const { adapter } = await scripted([]);
    const error = await failureOf(adapter.chat(asking({ messages: [image('aGk=', 'image/tiff')] })));
    expect(error.code).toBe('unsupported');
  });

  it('C012 leaves deep-frozen input alone and sends the same bytes twice', async () => {
    const { adapter, simulator } = await scripted([{ say: 'a' }, { say: 'b' }]);
    const request = frozen(
      asking({ messages: [system('S'), user], tools: [tool('echo')], options: { stop: ['x'] } }),
    );
    await adapter.chat(request);
    await adapter.chat(request);
    const [first, second] = simulator.exchanges.map((exchange) => exchange.request.bodyText);
    expect(second).toBe(first);
  });
});

describe('replay', () => {
  /** What goes back when `content` was the answer and its calls have been answered. */
  async function replayOf(
    content: readonly object[],
    edit: (message: Body) => Message = (message) => message,
  ) {
    const { adapter, body } = await scripted(
      [json(answer(content, { stop_reason: 'tool_use' })), json(answer([]))],
      {},
      { wire: anyAnthropic },
    );
    const { message } = await adapter.chat(asking());
    const results = message.toolCalls.map(({ id }) => result(id, 'r'));
    await adapter.chat(
      asking({ messages: [user, edit(message), ...results, { role: 'user', content: 'go on' }] }),
    );
    return { message, replayed: body(1).messages.find(({ role }: Body) => role === 'assistant')?.content };
  }
  const use = { type: 'tool_use', id: 'tu_1', name: 'echo', input: {} };
  const thought = { type: 'thinking', thinking: 't', signature: 'sig==' };

  it('C045 drops empty text', async () => {
    expect((await replayOf([{ type: 'text', text: '' }, use])).replayed).toEqual([use]);
    expect((await replayOf([thought, { type: 'text', text: '\n\n' }, use])).replayed).toEqual([thought, use]);
    expect((await replayOf([])).replayed).toBeUndefined();
    expect((await replayOf([thought])).replayed).toBeUndefined();
  });

  it('C046 C047 sends thinking, redacted and unknown blocks back as they came', async () => {
    const content = [
      thought,
      { type: 'text', text: 'Looking.' },
      { type: 'redacted_thinking', data: 'ENC' },
      { type: 'zz_future', anything: { deep: [1] } },
      { type: 'server_tool_use', id: 'srv_1', name: 'web_fetch', input: { url: 'u' } },
      { type: 'web_fetch_tool_result', tool_use_id: 'srv_1', content: { x: 1 } },
      use,
    ];
    const { message, replayed } = await replayOf(content);
    expect(replayed).toEqual(content);
    expect(message.content).toBe('Looking.');
    expect(message.toolCalls).toEqual([{ id: 'tu_1', name: 'echo', argumentsJson: '{}' }]);
  });

  it('keeps no state where text and calls say it all', async () => {
    const direct = { ...use, caller: { type: 'direct' } };
    const { message, replayed } = await replayOf([{ type: 'text', text: 'a' }, direct]);
    expect(message).not.toHaveProperty('providerState');
    expect(replayed).toEqual([{ type: 'text', text: 'a' }, use]);
  });

  it('keeps citations', async () => {
    const cited = { type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'c' }] };
    expect((await replayOf([cited, use])).replayed).toEqual([cited, use]);
  });

  it('C051 mends input that is no object, and ids that are missing', async () => {
    const { replayed, message } = await replayOf([thought, { ...use, id: undefined, input: 'not json' }]);
    expect(message.toolCalls[0]?.argumentsJson).toBe('not json');
    expect(replayed[1]).toEqual({ ...use, id: message.toolCalls[0]?.id });
  });

  it('drops the state of an answer that was edited since', async () => {
    const { replayed } = await replayOf([thought, { type: 'text', text: 'a' }], (message) => ({
      ...message,
      content: 'b',
    }));
    expect(replayed).toBe('b');
  });
});
