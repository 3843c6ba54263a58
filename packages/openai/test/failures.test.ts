import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import type { AdapterError } from '@glassloop/core/adapter';
import type { ScriptedTurn } from '@glassloop/simulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openai } from '../src/index.ts';
import { abortOnArrival, asking, completion, failureOf, json, modes, scripted } from './helpers.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function failure(turn: ScriptedTurn, request = asking()): Promise<AdapterError> {
  const { adapter } = await scripted([turn]);
  return failureOf(adapter.chat(request));
}

describe.each(modes)('failures (%s)', (_, onDelta) => {
  const ask = asking(onDelta ? { onDelta } : {});

  it.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after-ms': '1500' }, 1500],
  ])('C101 429 with %j', async (headers, retryAfterMs) => {
    expect(await failure({ fail: { status: 429, headers } }, ask)).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs,
      retryable: true,
      requestId: 'req_simulated',
    });
  });

  it.each([
    [401, 'invalid_api_key', 'Incorrect API key provided', 'auth', false],
    [400, 'context_length_exceeded', 'maximum context length is 8192 tokens', 'context_exceeded', false],
    [400, 'content_filter', 'filtered', 'content_filter', false],
    [400, 'invalid_value', 'Invalid parameter', 'invalid_request', false],
    [404, 'model_not_found', 'The model does not exist', 'not_found', false],
    [429, 'insufficient_quota', 'You exceeded your current quota', 'billing', false],
    [503, undefined, 'overloaded', 'unavailable', true],
  ] as const)('C102 C106 C039 status %i, code %s', async (status, code, message, expected, retryable) => {
    const fail = { status, message, ...(code === undefined ? {} : { code }) };
    const error = await failure({ fail }, ask);
    expect(error).toMatchObject({ code: expected, status, retryable });
    expect(error.message).toContain(message);
    expect(error.hint).not.toBe('');
  });

  it('C105 a page instead of JSON', async () => {
    const page = `<html><body>Bad gateway${' and more'.repeat(500)}</body></html>`;
    const turn = { reply: { headers: { 'content-type': 'text/html' }, chunks: [page] } };
    const error = await failure(turn, ask);
    expect(error).toMatchObject({ name: 'AdapterError', code: 'bad_response', retryable: true });
    expect(error.message).toContain('Bad gateway');
    expect(error.message.length).toBeLessThan(700);
  });

  it.each([
    ['null', 'null'],
    ['an empty list', '[]'],
    ['no choices', '{"choices":[]}'],
    ['a choice without message', '{"choices":[{}]}'],
    ['half a body', '{"choices":[{"message":'],
    ['nothing', ''],
  ])('C105 %s', async (_name, body) => {
    const turn = { reply: { headers: { 'content-type': 'application/json' }, chunks: [body] } };
    expect(await failure(turn, ask)).toMatchObject({ name: 'AdapterError', code: 'bad_response' });
  });

  it('C108 one request per call, whatever the status', async () => {
    const { adapter, simulator } = await scripted([{ fail: { status: 503 } }]);
    await expect(adapter.chat(ask)).rejects.toThrow();
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('C103 the adapter gives up after timeoutMs, and says so', async () => {
    const { adapter, simulator } = await scripted([{ say: 'x', hang: 'midway' }], { timeoutMs: 300 });
    await expect(adapter.chat(ask)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('300 ms'),
    });
    expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
  });

  it('C103 C125 an abort rejects with its reason, closes the connection, leaves no listener', async () => {
    const { adapter, simulator } = await scripted([{ say: 'x', hang: 'midway' }, { say: 'y' }]);
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const call = failureOf(adapter.chat({ ...ask, signal }));
    await abortOnArrival(simulator, controller, reason);
    expect(await call).toBe(reason);
    expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
    const other = new AbortController().signal;
    await adapter.chat({ ...ask, signal: other });
    expect(getEventListeners(signal, 'abort').length + getEventListeners(other, 'abort').length).toBe(0);
  });

  it('C103 an aborted signal sends nothing', async () => {
    const { adapter, simulator } = await scripted([]);
    await expect(adapter.chat({ ...ask, signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(simulator.exchanges).toHaveLength(0);
  });

  const KEY = 'KEY-SENTINEL-7f3a';
  it.each<[string, ScriptedTurn]>([
    ['401', { fail: { status: 401, message: `Incorrect API key provided: ${KEY}` } }],
    ['429', { fail: { status: 429 } }],
    ['500', { fail: { status: 500, message: `header was Bearer ${KEY}` } }],
    ['a lost connection', { say: 'x', cutOff: 'before' }],
    ['a timeout', { say: 'x', hang: 'before' }],
    ['an answer with the key', json(completion({ content: 'x' }, { echoed: KEY }))],
  ])('C117 the key does not appear: %s', async (_name, turn) => {
    const { adapter } = await scripted([turn], {
      apiKey: KEY,
      timeoutMs: 150,
      headers: { 'x-other-key': `${KEY}-2` },
    });
    const options = { _capture_raw: true } as const;
    const outcome: unknown = await adapter.chat({ ...ask, options }).catch((error) => error);
    const shown = [inspect(outcome, { depth: 20, showHidden: true }), JSON.stringify(outcome)];
    if (outcome instanceof Error) shown.push(String(outcome.stack), String(outcome.cause));
    expect(shown.join('\n')).not.toContain(KEY);
    expect(inspect(adapter, { depth: 20, showHidden: true })).not.toContain(KEY);
  });
});

it('C104 the headers timeout of the HTTP stack is a timeout', async () => {
  const cause = Object.assign(new Error('Headers Timeout Error'), {
    name: 'HeadersTimeoutError',
    code: 'UND_ERR_HEADERS_TIMEOUT',
  });
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const { adapter } = await scripted([], { fetch });
  const error = await failureOf(adapter.chat(asking()));
  expect(error).toMatchObject({ code: 'timeout', hint: expect.stringContaining('300 seconds') });
});

it('C105 JSON under another content type is read', async () => {
  const chunks = [JSON.stringify(completion({ content: 'fine' }))];
  const { adapter } = await scripted([{ reply: { headers: { 'content-type': 'text/plain' }, chunks } }]);
  expect((await adapter.chat(asking())).message.content).toBe('fine');
});

describe('keys and environment', () => {
  it('C102 no key for its own host is an error that names the variable', () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    expect(() => openai({ model: 'm' })).toThrow(
      expect.objectContaining({ code: 'auth', hint: expect.stringContaining('OPENAI_API_KEY') }),
    );
  });

  it('C117 nothing of the environment goes to another host', async () => {
    for (const [name, value] of Object.entries({
      OPENAI_API_KEY: 'env-key-of-openai',
      OPENAI_ADMIN_KEY: 'env-admin-key',
      OPENAI_ORG_ID: 'env-org',
      OPENAI_PROJECT_ID: 'env-project',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
      OPENAI_CUSTOM_HEADERS: 'X-Env-Header: env-secret\nX-Kept: env-other',
    })) {
      vi.stubEnv(name, value);
    }
    const { adapter, simulator } = await scripted([{ say: 'x' }, { say: 'x' }], {
      apiKey: '',
      headers: { 'x-kept': 'mine', Authorization: 'Bearer replaced' },
    });
    await adapter.chat(asking());
    await adapter.chat(asking({ onDelta: () => {} }));
    for (const { request } of simulator.exchanges) {
      const headers = request.rawHeaders.map(([name, value]) => `${name}: ${value}`).join('\n');
      expect(headers).not.toMatch(/env-|openai-organization|openai-project|authorization/i);
      expect(headers).toContain('x-kept: mine');
    }
  });

  it('settings name organization and project', async () => {
    const { adapter, simulator } = await scripted([{ say: 'x' }], { organization: 'o1', project: 'p1' });
    await adapter.chat(asking());
    const headers = Object.fromEntries(simulator.exchanges[0]!.request.rawHeaders);
    expect(headers).toMatchObject({
      'openai-organization': 'o1',
      'openai-project': 'p1',
      authorization: 'Bearer key-of-a-test',
    });
  });
});
