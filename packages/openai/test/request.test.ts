import type { Message, ToolSpec } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { openai } from '../src/index.ts';
import { asking, type Body, echo, modes, scripted, user } from './helpers.ts';

const said = { say: 'ok' };

describe('messages', () => {
  it('C018 both system texts go out, in order', async () => {
    const { adapter, body } = await scripted([said]);
    const messages: Message[] = [{ role: 'system', content: 'S1' }, { role: 'system', content: 'S2' }, user];
    await adapter.chat(asking({ messages }));
    expect(body(0).messages).toEqual(messages);
  });

  it('C019 blank parts are not sent', async () => {
    const { adapter, body } = await scripted([said]);
    const messages: Message[] = [
      { role: 'system', content: '' },
      { role: 'system', content: ' \n' },
      { role: 'system', content: 'Use metric units.' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: ' ', toolCalls: [] },
      { role: 'user', content: [{ type: 'text', text: ' ' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'go' },
        ],
      },
    ];
    await adapter.chat(asking({ messages }));
    expect(body(0).messages).toEqual([
      { role: 'system', content: 'Use metric units.' },
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'go' },
    ]);
  });

  it('C021 a system message in the middle stays where it is', async () => {
    const { adapter, body } = await scripted([said]);
    const messages: Message[] = [
      { role: 'user', content: 'u1' },
      { role: 'assistant', content: 'a1', toolCalls: [] },
      { role: 'system', content: 'From now on be brief.' },
      { role: 'user', content: 'u2' },
    ];
    await adapter.chat(asking({ messages }));
    expect(body(0).messages.map(({ role }: Body) => role)).toEqual(['user', 'assistant', 'system', 'user']);
    expect(body(0).messages[2]).toEqual(messages[2]);
  });

  it('C032 tool-only assistant turn is replayed with content null', async () => {
    const { adapter, body } = await scripted([said]);
    const toolCalls = [{ id: 'c1', name: 'echo', argumentsJson: '{}' }];
    const messages: Message[] = [
      user,
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', toolCallId: 'c1', toolName: 'echo', content: 'x', isError: false },
    ];
    await adapter.chat(asking({ messages, tools: [echo] }));
    expect(body(0).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'echo', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ]);
  });

  it('C032 ids, names and arguments of another provider are made acceptable, the same way in call and result', async () => {
    const { adapter, body } = await scripted([said]);
    const id = `tool_${'x'.repeat(60)}`;
    const messages: Message[] = [
      user,
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'fs.read', argumentsJson: '{"broken' }] },
      { role: 'tool', toolCallId: id, toolName: 'fs.read', content: 'no such tool', isError: true },
    ];
    await adapter.chat(asking({ messages }));
    const [, assistant, tool] = body(0).messages;
    const short = tool?.['tool_call_id'] as string;
    expect(short.length).toBeLessThanOrEqual(40);
    expect(assistant?.['tool_calls']).toEqual([
      { id: short, type: 'function', function: { name: 'fs_read', arguments: '{}' } },
    ]);
  });

  it('images go out as data URLs and as URLs', async () => {
    const { adapter, body } = await scripted([said]);
    const content = [
      { type: 'text', text: 'what?' },
      { type: 'image', data: 'AAAA', mediaType: 'image/png' },
      { type: 'image', data: 'https://example.com/a.png', mediaType: 'image/png' },
    ] as const;
    await adapter.chat(asking({ messages: [{ role: 'user', content }] }));
    expect(body(0).messages[0]?.['content']).toEqual([
      { type: 'text', text: 'what?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]);
  });
});

describe('tools and options', () => {
  it.each(modes)('C037 without tools there is no tool field at all (%s)', async (_, onDelta) => {
    const { adapter, body } = await scripted([said]);
    const options = { toolChoice: 'auto', parallelToolCalls: false } as const;
    await adapter.chat(asking({ options, ...(onDelta && { onDelta }) }));
    expect(Object.keys(body(0))).toEqual([
      'model',
      'messages',
      ...(onDelta ? ['stream', 'stream_options'] : []),
    ]);
  });

  it('C040 a parameterless tool has an object schema', async () => {
    const { adapter, body } = await scripted([said]);
    const now: ToolSpec = {
      name: 'now',
      description: 'time',
      parameters: { type: 'object', properties: {} },
    };
    await adapter.chat(asking({ tools: [now] }));
    expect(body(0)['tools']).toEqual([{ type: 'function', function: now }]);
  });

  it.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ tool: 'echo' }, { type: 'function', function: { name: 'echo' } }],
  ] as const)('C087 tool choice %j', async (toolChoice, wire) => {
    const { adapter, body } = await scripted([said]);
    await adapter.chat(asking({ tools: [echo], options: { toolChoice, parallelToolCalls: false } }));
    expect(body(0)['tool_choice']).toEqual(wire);
    expect(body(0)['parallel_tool_calls']).toBe(false);
  });

  it.each(modes)(
    'C035 reasoning models: limit under its new name, no sampling, a warning each (%s)',
    async (_, onDelta) => {
      const { adapter, body } = await scripted([said], { model: 'o4-mini' });
      const options = { maxTokens: 500, temperature: 0.2, topP: 0.9, stop: ['x'] };
      const { warnings } = await adapter.chat(asking({ options, ...(onDelta && { onDelta }) }));
      expect(body(0)).toMatchObject({ max_completion_tokens: 500 });
      for (const field of ['max_tokens', 'temperature', 'top_p', 'stop'])
        expect(body(0)).not.toHaveProperty(field);
      expect(warnings).toEqual([
        'openai: temperature is not sent, because o4-mini does not take it.',
        'openai: topP is not sent, because o4-mini does not take it.',
        'openai: stop is not sent, because o4-mini does not take it.',
      ]);
    },
  );

  it('C035 other models get the same options as given', async () => {
    const { adapter, body } = await scripted([said], { model: 'gpt-4o' });
    const options = { maxTokens: 500, temperature: 0.2, topP: 0.9, stop: ['x'] };
    const response = await adapter.chat(asking({ options }));
    expect(body(0)).toMatchObject({ max_tokens: 500, temperature: 0.2, top_p: 0.9, stop: ['x'] });
    expect(response).not.toHaveProperty('warnings');
  });

  it.each([
    ['gpt-4o', undefined, 'max_completion_tokens'],
    ['gpt-4o', 'http://localhost:1', 'max_tokens'],
    ['ft:o4-mini:acme::1', 'http://localhost:1', 'max_completion_tokens'],
    ['openai/gpt-5.2', 'http://localhost:1', 'max_completion_tokens'],
    ['llama3', 'http://localhost:1', 'max_tokens'],
  ])('C035 field for maxTokens of %s at %s', (model, baseURL, field) => {
    const adapter = openai({ model, apiKey: 'k', ...(baseURL === undefined ? {} : { baseURL }) });
    expect(adapter.preview?.(asking({ options: { maxTokens: 7 } })).body).toHaveProperty(field, 7);
  });

  it('C035 the field for maxTokens can be chosen', () => {
    const adapter = openai({
      model: 'm',
      baseURL: 'http://localhost:1',
      maxTokensField: 'max_completion_tokens',
    });
    expect(adapter.preview?.(asking({ options: { maxTokens: 7 } })).body).toHaveProperty(
      'max_completion_tokens',
      7,
    );
  });

  it('C035 and a wrong choice is an error', () => {
    expect(() => openai({ model: 'm', apiKey: 'k', maxTokensField: 'maxTokens' as never })).toThrow(
      TypeError,
    );
  });

  it.each([
    ['gpt-5-mini', false, 'minimal', 0],
    ['gpt-5.2', false, 'none', 0],
    ['gpt-5.2', true, 'medium', 1],
    ['o4-mini', false, 'low', 1],
    ['gpt-4o', true, undefined, 1],
    ['gpt-5-chat-latest', true, undefined, 1],
  ])('thinking for %s: %s is sent as effort %s', (model, thinking, effort, warnings) => {
    const preview = openai({ model, apiKey: 'k' }).preview?.(asking({ options: { thinking } }));
    expect((preview?.body as { reasoning_effort?: string } | undefined)?.reasoning_effort).toBe(effort);
    expect(preview?.warnings).toHaveLength(warnings);
  });

  it('providerOptions are merged in last, those of other adapters are not', async () => {
    const { adapter, body } = await scripted([said]);
    const providerOptions = { openai: { seed: 1, temperature: 0.5, stream: true }, groq: { seed: 2 } };
    const { warnings } = await adapter.chat(asking({ options: { temperature: 1, providerOptions } }));
    expect(body(0)).toMatchObject({ seed: 1, temperature: 0.5 });
    expect(body(0)).not.toHaveProperty('stream');
    expect(warnings).toHaveLength(1);
  });

  it('preview is what chat sends', async () => {
    const { adapter, body } = await scripted([said]);
    const request = asking({ tools: [echo], options: { toolChoice: 'required', maxTokens: 3 } });
    const preview = adapter.preview?.(request);
    await adapter.chat(request);
    expect(body(0)).toEqual(preview?.body);
  });
});

describe('a frozen message is mapped once', () => {
  it('and the next request is the same as without the cache', async () => {
    const { adapter, body } = await scripted([said, said]);
    const toolCalls = Object.freeze([Object.freeze({ id: 'c1', name: 'echo', argumentsJson: '{"t":1}' })]);
    const messages: Message[] = [
      user,
      Object.freeze({ role: 'assistant', content: '', toolCalls }),
      { role: 'tool', toolCallId: 'c1', toolName: 'echo', content: 'x', isError: false },
    ];
    const tools = [Object.freeze({ ...echo })];
    await adapter.chat(asking({ messages, tools }));
    await adapter.chat(asking({ messages, tools }));
    expect(body(1)).toEqual(body(0));
  });

  it('while one that is not frozen may change between calls', async () => {
    const { adapter, body } = await scripted([said, said]);
    const toolCalls = [{ id: 'c1', name: 'echo', argumentsJson: '{"t":1}' }];
    const result: Message = {
      role: 'tool',
      toolCallId: 'c1',
      toolName: 'echo',
      content: 'x',
      isError: false,
    };
    const messages: Message[] = [user, Object.freeze({ role: 'assistant', content: '', toolCalls }), result];
    await adapter.chat(asking({ messages }));
    toolCalls[0]!.argumentsJson = '{"t":2}';
    await adapter.chat(asking({ messages }));
    expect(body(1).messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"t":2}' } }] });
  });
});
