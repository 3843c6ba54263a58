import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { anthropic } from '../src/index.ts';
import { answer, asking, type Body, failureOf, json, KEY, mode, modes, scripted } from './helpers.ts';

const failed = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
});

describe.each(modes)('a failed call, %s', (_, onDelta) => {
  const ask = () => asking(mode(onDelta));

  async function failure(turn: Parameters<typeof scripted>[0][number], settings = {}) {
    const { adapter } = await scripted([turn], settings);
    return failureOf(adapter.chat(ask()));
  }

  it.each([
    [400, 'invalid_request_error', 'tools.0: bad', 'invalid_request'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_exceeded'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 1 + 2 > 2',
      'context_exceeded',
    ],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'billing'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content_filter'],
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [402, 'billing_error', 'pay', 'billing'],
    [403, 'permission_error', 'no', 'auth'],
    [404, 'not_found_error', 'model: nope', 'not_found'],
    [413, 'request_too_large', 'big', 'context_exceeded'],
    [429, 'rate_limit_error', 'slow down', 'rate_limited'],
    [500, 'api_error', 'Internal server error', 'unavailable'],
    [504, 'timeout_error', 'slow', 'timeout'],
    [529, 'overloaded_error', 'Overloaded', 'unavailable'],
  ])('C102 C106 status %i %s "%s" is %s', async (status, type, message, code) => {
    const error = await failure(json(failed(type, message), status, { 'request-id': 'req_9' }));
    expect(error).toMatchObject({ name: 'AdapterError', code, status, requestId: 'req_9' });
    expect(error.message).toContain(message);
    if (status === 401) expect(error.hint).toContain('ANTHROPIC_API_KEY');
  });

  it('C101 Retry-After is given in milliseconds', async () => {
    const body = failed('rate_limit_error', 'slow');
    expect((await failure(json(body, 429, { 'retry-after': '30' }))).retryAfterMs).toBe(30_000);
    expect((await failure(json(body, 429, { 'retry-after-ms': '1500' }))).retryAfterMs).toBe(1500);
  });

  it('C108 sends one request, whatever the status', async () => {
    for (const status of [408, 409, 429, 500, 503, 529]) {
      const { adapter, simulator } = await scripted([json(failed('api_error', 'x'), status)]);
      await failureOf(adapter.chat(ask()));
      expect(simulator.exchanges).toHaveLength(1);
    }
  });

  it('C105 a page instead of an answer is a bad response with a short excerpt', async () => {
    const page = `<html><body>Bad gateway ${'x'.repeat(9000)}</body></html>`;
    const error = await failure({ reply: { headers: { 'content-type': 'text/html' }, chunks: [page] } });
    expect(error).toMatchObject({ code: 'bad_response', retryable: true });
    expect(error.message).toContain('Bad gateway');
    expect(error.message.length).toBeLessThan(700);
    const refused = await failure({
      reply: { status: 502, headers: { 'content-type': 'text/html' }, chunks: [page] },
    });
    expect(refused).toMatchObject({ code: 'unavailable', status: 502 });
    expect(refused.message.length).toBeLessThan(700);
  });

  it.each(['', 'null', '[]', '{}', '"text"', '{"type":"message","content":"x"}', '{"content":['])(
    'C105 the JSON body %j is a bad response',
    async (body) => {
      expect((await failure(json(body))).code).toBe('bad_response');
    },
  );

  it('C099 an error inside a 200 answer is an error', async () => {
    expect(await failure(json(failed('overloaded_error', 'Overloaded')))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Overloaded'),
    });
  });

  it('C103 an abort rejects with its reason and reaches the provider', async () => {
    const { adapter, simulator } = await scripted([{ say: 'never', hang: 'before' }]);
    const reason = new Error('enough');
    const controller = new AbortController();
    const call = adapter.chat({ ...ask(), signal: controller.signal });
    call.catch(() => {});
    await vi.waitFor(() => expect(simulator.exchanges).toHaveLength(1));
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
    await expect(adapter.chat({ ...ask(), signal: controller.signal })).rejects.toBe(reason);
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('C103 silence is a timeout that names its limit', async () => {
    for (const hang of ['before', 'midway'] as const) {
      const { adapter, simulator } = await scripted([{ say: 'never', hang }], { timeoutMs: 300 });
      const error = await failureOf(adapter.chat(ask()));
      expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('300 ms') });
      expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
    }
  });

  it('C104 the HTTP stack’s own limit is a timeout with a hint', async () => {
    const slow = async () => {
      const cause = Object.assign(new Error('Headers Timeout Error'), {
        name: 'HeadersTimeoutError',
        code: 'UND_ERR_HEADERS_TIMEOUT',
      });
      throw new TypeError('fetch failed', { cause });
    };
    const adapter = anthropic({ model: 'm', apiKey: KEY, fetch: slow });
    const error = await failureOf(adapter.chat(ask()));
    expect(error.code).toBe('timeout');
    expect(error.hint).toMatch(/300 seconds.*stream/);
  });

  it('a refused connection is a network error', async () => {
    const adapter = anthropic({ model: 'm', apiKey: KEY, baseURL: 'http://127.0.0.1:1' });
    expect(await failureOf(adapter.chat(ask()))).toMatchObject({ code: 'network', retryable: true });
  });

  it('a request that cannot be written is the caller’s fault', async () => {
    const { adapter } = await scripted([]);
    const options = { providerOptions: { anthropic: { metadata: { user_id: 1n } } } };
    expect((await failureOf(adapter.chat({ ...ask(), options }))).code).toBe('invalid_request');
  });

  it('C117 the key is nowhere in an error', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
    const options = { _capture_raw: true } as const;
    const echoed = failed('authentication_error', `invalid x-api-key ${KEY}`);
    for (const turn of [
      json(echoed, 401),
      json(echoed, 429),
      json(`<p>${KEY}</p>`, 500, { 'content-type': 'text/html' }),
      json(echoed),
      { say: 'x', cutOff: 'before' as const },
      { say: 'x', hang: 'before' as const },
    ]) {
      const { adapter } = await scripted([turn], { timeoutMs: 500 });
      const error: Body = await failureOf(adapter.chat({ ...ask(), options }));
      expect(error.cause).toBeUndefined();
      for (const text of [
        error.message,
        error.stack,
        JSON.stringify(error),
        inspect(error, { depth: 10, showHidden: true }),
      ]) {
        expect(text).not.toContain(KEY);
      }
    }
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    expect(inspect(anthropic({ model: 'm', apiKey: KEY }), { depth: 10, showHidden: true })).not.toContain(
      KEY,
    );
  });

  it('C125 leaves no listener on the caller’s signal', async () => {
    const { signal } = new AbortController();
    const { adapter } = await scripted(Array.from({ length: 30 }, () => ({ say: 'x' })));
    for (let call = 0; call < 30; call++) await adapter.chat({ ...ask(), signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

it('needs a key, and says which', () => {
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  expect(() => anthropic({ model: 'm' })).toThrow(
    expect.objectContaining({ code: 'auth', hint: expect.stringContaining('ANTHROPIC_API_KEY') }),
  );
  vi.stubEnv('ANTHROPIC_API_KEY', 'from-env');
  expect(anthropic({ model: 'm' }).name).toBe('anthropic');
  vi.unstubAllEnvs();
});

it('an answer under another content type is still read', async () => {
  const { adapter } = await scripted([
    json(answer([{ type: 'text', text: 'ok' }]), 200, { 'content-type': 'text/plain' }),
  ]);
  expect((await adapter.chat(asking())).message.content).toBe('ok');
});
