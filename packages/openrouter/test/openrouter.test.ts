import { inspect } from 'node:util';
import { runLoop } from '@glassloop/core';
import type { Message, ToolSpec } from '@glassloop/core/adapter';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openrouter } from '../src/index.ts';
import { asking, events, json, modes, scripted, user } from './helpers.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const echo: ToolSpec = { name: 'echo', description: '', parameters: { type: 'object', properties: {} } };
const result: Message = {
  role: 'tool',
  toolCallId: 'tool_1',
  toolName: 'echo',
  content: 'x',
  isError: false,
};
const call = { id: 'tool_1', type: 'function', function: { name: 'echo', arguments: '{}' } };

describe.each(modes)('openrouter (%s)', (_, onDelta) => {
  const ask = asking(onDelta ? { onDelta } : {});
  const failing = (error: object, message: object = {}) =>
    onDelta
      ? events([{ choices: [{ index: 0, delta: message, finish_reason: null }] }, { choices: [], error }])
      : json({ error, user_id: 'u' });

  it.each([
    [502, 'unavailable', true],
    [401, 'auth', false],
    [402, 'billing', false],
    [429, 'rate_limited', true],
    ['400', 'invalid_request', false],
  ])('C088 an error with code %s under status 200', async (code, expected, retryable) => {
    const error = { message: 'Provider returned error', code, metadata: { provider_name: 'X' } };
    const { adapter } = await scripted([failing(error)]);
    const thrown = await adapter.chat(ask).catch((reason) => reason);
    expect(thrown).toMatchObject({ code: expected, retryable, status: Number(code) });
    expect(thrown.message).toContain('Provider returned error (provider X)');
  });

  it('C089 an error inside a choice: the text is kept, the calls are not run', async () => {
    const error = { code: 503, message: 'upstream gone' };
    const choice = { index: 0, finish_reason: 'error', native_finish_reason: 'error', error };
    const message = { content: 'Half of', tool_calls: [{ index: 0, ...call }] };
    const turn = onDelta
      ? events([
          { choices: [{ index: 0, delta: message }] },
          { choices: [{ ...choice, delta: { content: '' } }] },
        ])
      : json({ choices: [{ ...choice, message }] });
    const { adapter } = await scripted([turn]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('upstream gone'),
      partial: 'Half of',
    });
  });

  it('C089 finish reason error without any error is one too', async () => {
    const choice = { index: 0, finish_reason: 'error' };
    const message = { content: 'Half of' };
    const turn = onDelta
      ? events([{ choices: [{ ...choice, delta: message }] }])
      : json({ choices: [{ ...choice, message }] });
    const { adapter } = await scripted([turn]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({ code: 'unavailable', partial: 'Half of' });
  });

  const details = [
    { type: 'reasoning.text', text: 'plan', index: 0, signature: 'SIG', format: 'anthropic-claude-v1' },
    { type: 'reasoning.summary', summary: 'short', index: 1 },
    { type: 'reasoning.encrypted', data: 'ENC', id: 'tool_1', index: 2 },
    { type: 'reasoning.encrypted', data: 'ENC2', id: 'tool_2', index: 2 },
  ];

  async function thought(...later: Parameters<typeof scripted>[0]) {
    const delta = (piece: object, finish: string | null = null) => ({
      choices: [{ index: 0, delta: { role: 'assistant', content: '', ...piece }, finish_reason: finish }],
    });
    const turn = onDelta
      ? events([
          delta({ reasoning: 'pl', reasoning_details: [{ ...details[0], text: 'pl', signature: null }] }),
          delta({ reasoning: 'an', reasoning_details: [{ type: 'reasoning.text', text: 'an', index: 0 }] }),
          delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'SIG', index: 0 }] }),
          delta({ reasoning_details: [{ ...details[1], summary: 'sh' }] }),
          delta({ reasoning_details: [{ ...details[1], summary: 'ort' }, details[2]] }),
          delta({ reasoning_details: [details[3]] }),
          delta({ tool_calls: [{ index: 0, ...call }] }, 'tool_calls'),
        ])
      : json({
          choices: [
            {
              message: { content: null, reasoning: 'plan', reasoning_details: details, tool_calls: [call] },
              finish_reason: 'tool_calls',
            },
          ],
        });
    const provider = await scripted([turn, ...later]);
    return { ...provider, response: await provider.adapter.chat({ ...ask, tools: [echo] }) };
  }

  it('C090 reasoning_details go back as they came', async () => {
    const { adapter, response, body } = await thought({ say: 'done' });
    expect(response.thinking).toBe('plan');
    expect(response.message.content).toBe('');
    const message = JSON.parse(JSON.stringify(response.message));
    await adapter.chat({ ...ask, messages: [user, message, result] });
    expect(body(1).messages[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [call],
      reasoning_details: details,
    });
  });

  it('C090 but not with calls that are no longer the ones they belong to', async () => {
    const { adapter, response, body } = await thought({ say: 'done' });
    const message = { ...response.message, toolCalls: [{ ...response.message.toolCalls[0]!, id: 'other' }] };
    await adapter.chat({ ...ask, messages: [user, message, { ...result, toolCallId: 'other' }] });
    expect(body(1).messages[1]).not.toHaveProperty('reasoning_details');
  });

  it('C090 nor the state of another adapter', async () => {
    const { adapter, body } = await scripted([{ say: 'x' }]);
    const message: Message = {
      role: 'assistant',
      content: 'a',
      toolCalls: [],
      providerState: { anthropic: { fields: { reasoning_details: [1] }, callIds: [] } },
    };
    await adapter.chat({ ...ask, messages: [user, message, user] });
    expect(body(0).messages[1]).toEqual({ role: 'assistant', content: 'a' });
  });

  it('C091 402 is a billing problem, asked once', async () => {
    const message = 'This request requires more credits, or fewer max_tokens.';
    const { adapter, simulator } = await scripted([json({ error: { code: 402, message } }, 402)]);
    const run = runLoop({ adapter, messages: [user], ...(onDelta && { onDelta }) });
    await expect(run).rejects.toMatchObject({ code: 'billing', hint: expect.stringContaining('credit') });
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('C092 null where the schema promises values', async () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: null } }],
    };
    const choice = { index: 0, native_finish_reason: null, finish_reason: 'tool_calls' };
    const body = { id: 'x', created: null, model: 'm', system_fingerprint: null, usage: null };
    const turn = onDelta
      ? events([{ ...body, choices: [{ ...choice, delta: message }] }])
      : json({ ...body, choices: [{ ...choice, message }] });
    const { adapter } = await scripted([turn]);
    const response = await adapter.chat(ask);
    expect(response.message.toolCalls).toEqual([{ id: 'c1', name: 'now', argumentsJson: '{}' }]);
    expect(response.usage).toEqual({});
  });

  it.each([0.00042, 0])(
    'C093 the reported cost %d is the cost; provider and model are in metadata',
    async (cost) => {
      const usage = {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        cost,
        cost_details: { upstream_inference_cost: null },
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
      };
      const body = { provider: 'DeepInfra', model: 'a/b' };
      const choice = { index: 0, finish_reason: 'stop' };
      const turn = onDelta
        ? events([
            { ...body, choices: [{ ...choice, delta: { content: 'x' } }] },
            { ...body, choices: [{ index: 0, delta: {}, finish_reason: null }], usage },
          ])
        : json({ ...body, choices: [{ ...choice, message: { content: 'x' } }], usage });
      const { adapter } = await scripted([turn]);
      const prices = { fresh: 1000, output: 1000 };
      const response = await adapter.chat(ask);
      expect(response.usage).toEqual({
        promptTokens: 10,
        completionTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 4,
        cacheWriteTokens: 3,
        estimatedCost: cost,
      });
      expect(response.metadata).toEqual({ provider: 'DeepInfra', model: 'a/b' });
      const again = await scripted([turn]);
      const run = await runLoop({
        adapter: again.adapter,
        messages: [user],
        prices,
        ...(onDelta && { onDelta }),
      });
      expect(run.usage.estimatedCost).toBe(cost);
    },
  );

  it('C029 raw capture stands beside the facts and is the body as it came, behind its padding', async () => {
    const { adapter, simulator } = await scripted([
      { say: 'x', extra: { x_unknown: { k: 1 } } },
      { say: 'x' },
    ]);
    const { metadata } = await adapter.chat({ ...ask, options: { _capture_raw: true } });
    expect(Object.keys(metadata ?? {})).toEqual(['provider', 'model', '_raw', '_wire']);
    expect(metadata?.['_raw']).toEqual(simulator.exchanges[0]?.reply?.body);
    await adapter.chat(ask);
    const [on, off] = simulator.exchanges.map(({ request }) => request);
    expect([on?.bodyText, on?.rawHeaders]).toEqual([off?.bodyText, off?.rawHeaders]);
  });

  it('C102 moderation is a content filter, and the words of the host behind the router count', async () => {
    const flagged = { code: 403, message: 'Input flagged', metadata: { reasons: ['violence'] } };
    const raw = JSON.stringify({ error: { message: 'prompt too long', code: 'context_length_exceeded' } });
    const upstream = { code: 400, message: 'Provider returned error', metadata: { raw, provider_name: 'X' } };
    const { adapter } = await scripted([json({ error: flagged }, 403), json({ error: upstream }, 400)]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({ code: 'content_filter', status: 403 });
    await expect(adapter.chat(ask)).rejects.toMatchObject({
      code: 'context_exceeded',
      message: expect.stringContaining('(provider X) prompt too long'),
    });
  });

  it('C117 the key does not appear', async () => {
    const KEY = 'KEY-SENTINEL-7f3a';
    const { adapter } = await scripted([failing({ code: 401, message: `No ${KEY}` })], { apiKey: KEY });
    const thrown = await adapter.chat({ ...ask, options: { _capture_raw: true } }).catch((reason) => reason);
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain(KEY);
  });
});

it('C094 keep-alive comments, before the first data line and between two', async () => {
  const event = JSON.stringify({ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] });
  const comment = ': OPENROUTER PROCESSING\n\n';
  const chunks = [comment, comment, `data: ${event}\n\n`, comment, 'data: [DONE]\n\n'];
  const { adapter } = await scripted([
    { reply: { headers: { 'content-type': 'text/event-stream' }, chunks } },
  ]);
  const { message, finishReason } = await adapter.chat(asking({ onDelta: () => {} }));
  expect([message.content, finishReason]).toEqual(['ok', 'stop']);
});

describe('settings and options', () => {
  it('thinking is one switch', () => {
    const adapter = openrouter({ model: 'm', apiKey: 'k' });
    for (const thinking of [true, false]) {
      const preview = adapter.preview?.(asking({ options: { thinking, maxTokens: 5 } }));
      expect(preview?.body).toMatchObject({ reasoning: { enabled: thinking }, max_tokens: 5 });
    }
  });

  it('C102 no key is an error that names the variable, also when there is one of OpenAI', () => {
    vi.stubEnv('OPENROUTER_API_KEY', '');
    vi.stubEnv('OPENAI_API_KEY', 'key-of-openai');
    expect(() => openrouter({ model: 'm' })).toThrow(
      expect.objectContaining({ code: 'auth', hint: expect.stringContaining('OPENROUTER_API_KEY') }),
    );
  });

  it('C117 nothing of OpenAI goes to OpenRouter; the names of the app do', async () => {
    for (const [name, value] of Object.entries({
      OPENAI_API_KEY: 'env-key-of-openai',
      OPENAI_ADMIN_KEY: 'env-admin-key',
      OPENAI_ORG_ID: 'env-org',
      OPENAI_PROJECT_ID: 'env-project',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
      OPENAI_CUSTOM_HEADERS: 'X-Env: env-secret',
    })) {
      vi.stubEnv(name, value);
    }
    const headers = { 'HTTP-Referer': 'https://example.com', 'X-Title': 'App' };
    const { adapter, simulator } = await scripted([{ say: 'x' }], { headers });
    await adapter.chat(asking());
    const sent = simulator.exchanges[0]!.request.rawHeaders.map(
      ([name, value]) => `${name.toLowerCase()}: ${value}`,
    );
    expect(sent.join('\n')).not.toMatch(/env-|openai-organization|openai-project/);
    expect(sent).toEqual(
      expect.arrayContaining([
        'http-referer: https://example.com',
        'x-title: App',
        'authorization: Bearer key-of-a-test',
      ]),
    );
  });
});
