import { inspect } from 'node:util';
import type { Message, ToolSpec } from '@glassloop/core/adapter';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { groq } from '../src/index.ts';
import { asking, type Body, events, json, modes, scripted, user } from './helpers.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const echo: ToolSpec = { name: 'echo', description: '', parameters: { type: 'object', properties: {} } };

describe.each(modes)('groq (%s)', (_, onDelta) => {
  const ask = asking(onDelta ? { onDelta } : {});

  it('C084 reasoning is thinking, and is not sent back', async () => {
    const { adapter, body } = await scripted([
      { think: 'plan', callTools: [{ id: 'g1', name: 'echo', arguments: {} }] },
      { say: 'done' },
    ]);
    const { message, thinking } = await adapter.chat({ ...ask, tools: [echo] });
    expect(thinking).toBe('plan');
    expect(message).not.toHaveProperty('providerState');
    const result: Message = {
      role: 'tool',
      toolCallId: 'g1',
      toolName: 'echo',
      content: '1',
      isError: false,
    };
    await adapter.chat({ ...ask, messages: [user, message, result] });
    expect(Object.keys(body(1).messages[1] ?? {})).toEqual(['role', 'content', 'tool_calls']);
  });

  it('C085 content of an assistant turn is text or null', async () => {
    const { adapter, body } = await scripted([{ say: 'x' }]);
    const toolCalls = [{ id: 'c1', name: 'echo', argumentsJson: '' }];
    await adapter.chat({
      ...ask,
      messages: [
        user,
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', toolCallId: 'c1', toolName: 'echo', content: '', isError: false },
        { role: 'assistant', content: 'text', toolCalls: [] },
        user,
      ],
    });
    const contents = body(0)
      .messages.filter(({ role }: Body) => role === 'assistant')
      .map(({ content }: Body) => content);
    expect(contents).toEqual([null, 'text']);
  });

  it('C086 cached and reasoning tokens', async () => {
    const usage = {
      queue_time: 0.02,
      prompt_tokens: 2000,
      prompt_tokens_details: { cached_tokens: 1500 },
      completion_tokens: 90,
      completion_tokens_details: { reasoning_tokens: 60 },
      total_tokens: 2090,
      total_time: 0.4,
    };
    const choice = (rest: object) => ({
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', ...rest }],
    });
    const turn = onDelta
      ? events([{ ...choice({ delta: { content: 'x' } }), x_groq: { id: 'r', usage } }])
      : json({ ...choice({ message: { content: 'x' } }), usage, x_groq: { id: 'r' } });
    const { adapter } = await scripted([turn]);
    expect((await adapter.chat(ask)).usage).toEqual({
      promptTokens: 2000,
      completionTokens: 90,
      totalTokens: 2090,
      cacheReadTokens: 1500,
      reasoningTokens: 60,
    });
  });

  it.each([
    ['required', 'required'],
    ['none', 'none'],
    [{ tool: 'echo' }, { type: 'function', function: { name: 'echo' } }],
  ] as const)('C087 forced tool call %j', async (toolChoice, wire) => {
    const { adapter, body } = await scripted([{ say: 'x' }]);
    await adapter.chat({ ...ask, tools: [echo], options: { toolChoice } });
    expect(body(0)['tool_choice']).toEqual(wire);
  });

  it('C099 an error event in the middle of a stream, C102 an error under its status', async () => {
    const error = { message: 'boom', type: 'internal_server_error', code: 'server_error' };
    const event = { choices: [{ index: 0, delta: { content: 'Hi' } }] };
    const turn = onDelta ? events([event, { error }]) : json({ error }, 500);
    const { adapter } = await scripted([turn]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('boom'),
      ...(onDelta && { partial: 'Hi' }),
    });
  });

  it('C106 a request that is too large for the model', async () => {
    const message = 'Request too large for model `m` in organization: Limit 6000, Requested 9000';
    const { adapter } = await scripted([json({ error: { message, code: 'rate_limit_exceeded' } }, 413)]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({ code: 'context_exceeded', retryable: false });
  });

  it('C117 the key does not appear, and C028 no body stays', async () => {
    const KEY = 'KEY-SENTINEL-7f3a';
    const error = { message: `Invalid API Key ${KEY}`, code: 'invalid_api_key' };
    const { adapter } = await scripted([json({ error, x: 'MARK' }, 401)], { apiKey: KEY });
    const thrown = await adapter.chat(ask).catch((reason) => reason);
    expect(thrown.code).toBe('auth');
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toMatch(/KEY-SENTINEL|MARK/);
  });

  it('C031 capture changes no byte of the request', async () => {
    const { adapter, simulator } = await scripted([{ say: 'x' }, { say: 'x' }]);
    const plain = await adapter.chat(ask);
    const { metadata, ...captured } = await adapter.chat({ ...ask, options: { _capture_raw: true } });
    const [off, on] = simulator.exchanges.map(({ request }) => request);
    expect([on?.bodyText, on?.rawHeaders]).toEqual([off?.bodyText, off?.rawHeaders]);
    expect(JSON.stringify(captured)).toBe(JSON.stringify(plain));
    expect(metadata?.['_raw']).toEqual(simulator.exchanges[1]?.reply?.body);
  });
});

describe('settings and options', () => {
  it.each([
    ['openai/gpt-oss-20b', true, { include_reasoning: true }, 0],
    ['openai/gpt-oss-20b', false, { include_reasoning: false, reasoning_effort: 'low' }, 1],
    ['qwen/qwen3-32b', true, { reasoning_format: 'parsed' }, 0],
    ['qwen/qwen3-32b', false, { reasoning_effort: 'none' }, 0],
    ['llama-3.3-70b-versatile', true, {}, 1],
  ])('thinking for %s: %s', (model, thinking, fields, warnings) => {
    const preview = groq({ model, apiKey: 'k' }).preview?.(asking({ options: { thinking } }));
    expect(preview?.body).toEqual({ model, messages: [user], ...fields });
    expect(preview?.warnings).toHaveLength(warnings);
  });

  it('C102 no key is an error that names the variable', () => {
    vi.stubEnv('GROQ_API_KEY', '');
    expect(() => groq({ model: 'm' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('GROQ_API_KEY') }),
    );
  });

  it('C117 nothing but the key comes from the environment; the base URL may have the path or not', async () => {
    vi.stubEnv('GROQ_BASE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('GROQ_CUSTOM_HEADERS', 'X-Env: env-secret');
    const { adapter, simulator } = await scripted([{ say: 'x' }, { say: 'y' }]);
    await adapter.chat(asking());
    const other = groq({ model: 'm', apiKey: 'k', baseURL: `${simulator.origin}/openai/v1` });
    await other.chat(asking());
    expect(simulator.exchanges).toHaveLength(2);
    expect(JSON.stringify(simulator.exchanges[0]?.request.rawHeaders)).not.toContain('env-secret');
  });
});
