import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { google } from '../src/index.ts';
import {
  abortOnArrival,
  answer,
  asking,
  events,
  failure,
  json,
  KEY,
  scripted,
  sse,
  user,
  watching,
} from './helpers.ts';

const ok = json(answer([{ text: 'hi' }]));
const google400 = (message: string, details?: object[]) => ({
  error: { code: 400, message, status: 'INVALID_ARGUMENT', ...(details && { details }) },
});

async function failed(status: number, body: unknown, headers: Record<string, string> = {}, settings = {}) {
  const { adapter } = await scripted([json(body, status, headers), json(body, status, headers)], settings);
  const whole = await failure(adapter.chat(asking()));
  const streamed = await failure(adapter.chat(watching().request));
  for (const field of ['code', 'message', 'status', 'retryAfterMs', 'hint'])
    expect(streamed[field]).toEqual(whole[field]);
  expect(whole.name).toBe('AdapterError');
  return whole;
}

describe('failures', () => {
  it('C102 a wrong key is auth, though Google says 400', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    const error = await failed(400, google400('API key not valid.', details));
    expect(error).toMatchObject({
      code: 'auth',
      status: 400,
      retryable: false,
      message: 'google (HTTP 400): API key not valid.',
    });
    expect(error.hint).toMatch(/key/);
    expect((await failed(403, { error: { code: 403, message: 'No permission.' } })).code).toBe('auth');
  });

  it('C102 no key is found before anything is sent', () => {
    expect(() => google({ model: 'gemini-2.5-flash', apiKey: '' })).toThrow(
      expect.objectContaining({ code: 'auth', hint: expect.stringContaining('GEMINI_API_KEY') }),
    );
  });

  it('C106 a conversation that is too long, and another 400', async () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
    expect(await failed(400, google400(message))).toMatchObject({
      code: 'context_exceeded',
      retryable: false,
    });
    expect((await failed(400, google400('Unknown name "x".'))).code).toBe('invalid_request');
  });

  it('C107 an error whose message is JSON reads like any other', async () => {
    const inner = { error: { code: 404, message: 'models/foo is not found', status: 'NOT_FOUND' } };
    for (const message of [
      JSON.stringify(inner),
      JSON.stringify([inner]),
      JSON.stringify({ error: { message: JSON.stringify(inner) } }),
    ]) {
      const error = await failed(404, { error: { code: 404, message, status: 'NOT_FOUND' } });
      expect(error).toMatchObject({
        code: 'not_found',
        status: 404,
        message: 'google (HTTP 404): models/foo is not found',
      });
      expect(error.hint).toMatch(/model id/);
    }
  });

  it('C101 the wait comes from RetryInfo', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'PerMinute' }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30s' },
    ];
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    const body = { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } };
    expect(await failed(429, body)).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 30_000,
    });
    details[1] = { ...details[1]!, retryDelay: '34.074824224s' } as never;
    expect((await failed(429, body)).retryAfterMs).toBe(34_075);
    const credits = { error: { code: 429, message: 'Your prepayment credits are depleted.' } };
    expect((await failed(429, credits)).code).not.toBe('auth');
  });

  it('C101 the wait comes from Retry-After too, where the call has a fetch of its own', async () => {
    const body = { error: { code: 429, message: 'slow down' } };
    const own: typeof fetch = (input, init) => fetch(input, init);
    expect((await failed(429, body, { 'retry-after': '30' }, { fetch: own })).retryAfterMs).toBe(30_000);
    expect((await failed(429, body, { 'retry-after-ms': '1500' }, { fetch: own })).retryAfterMs).toBe(1500);
    expect((await failed(429, body, { 'retry-after': '30' })).retryAfterMs).toBeUndefined();
  });

  it('C105 a page, nothing, or another shape in a 200', async () => {
    const page = `<html><body>${'Bad gateway '.repeat(200)}</body></html>`;
    const { adapter, simulator } = await scripted([]);
    for (const body of [page, '', 'null', '[]', '"text"', '42', '{}', '{"candidates":', '{"choices":[]}']) {
      simulator.script(json(body));
      const error = await failure(adapter.chat(asking()));
      expect(error, body).toMatchObject({ name: 'AdapterError', code: 'bad_response', retryable: true });
      expect(error.message.length).toBeLessThan(600);
    }
  });

  it('an error in a 200 is an error', async () => {
    for (const error of [google400('nope').error, { message: 'nope', code: 400 }, 'nope']) {
      const thrown = await failure((await scripted([json({ error })])).adapter.chat(asking()));
      expect(thrown.name).toBe('AdapterError');
      expect(thrown.message).toContain('nope');
    }
  });

  it('an error page, and an error without a sentence', async () => {
    expect((await failed(502, '<html>Bad gateway</html>')).code).toBe('unavailable');
    expect(await failed(500, {})).toMatchObject({ code: 'unavailable', status: 500 });
    expect(await failed(500, { error: {} })).toMatchObject({ code: 'unavailable', status: 500 });
    expect((await failed(500, { error: {} })).message).not.toMatch(/undefined|http:/);
  });

  it('C108 one request for one call, and the loop alone retries', async () => {
    const down = json({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }, 503);
    const { adapter, simulator } = await scripted([down, down, down, ok]);
    await failure(adapter.chat(asking()));
    expect(simulator.exchanges).toHaveLength(1);
    await failure(runLoop({ adapter, messages: [user], retry: { maxRetries: 0 } }));
    expect(simulator.exchanges).toHaveLength(2);
    const result = await runLoop({ adapter, messages: [user], retry: { maxRetries: 1, baseDelayMs: 1 } });
    expect(result.content).toBe('hi');
    expect(simulator.exchanges).toHaveLength(4);
  });

  for (const how of ['whole', 'streamed'] as const) {
    const asked = () => (how === 'whole' ? asking() : watching().request);

    it(`C081 an abort reaches the socket, ${how}`, async () => {
      const { adapter, simulator } = await scripted([{ ...ok, hang: 'before' }]);
      const controller = new AbortController();
      const reason = new Error('enough');
      const call = failure(adapter.chat({ ...asked(), signal: controller.signal }));
      await abortOnArrival(simulator, controller, reason);
      expect(await call).toBe(reason);
      expect(await simulator.exchanges[0]!.clientLeft).toBe(true);
    });

    it(`C081 an abort that came before sends nothing, ${how}`, async () => {
      const { adapter, simulator } = await scripted([]);
      const reason = new Error('enough');
      expect(await failure(adapter.chat({ ...asked(), signal: AbortSignal.abort(reason) }))).toBe(reason);
      // The SDK is still loading when this one fires.
      const controller = new AbortController();
      const call = failure(adapter.chat({ ...asked(), signal: controller.signal }));
      controller.abort(reason);
      expect(await call).toBe(reason);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(simulator.exchanges).toHaveLength(0);
    });

    it(`C103 a timeout is not an abort, ${how}`, async () => {
      const { adapter, simulator } = await scripted([{ ...ok, hang: 'before' }], { timeoutMs: 300 });
      const error = await failure(adapter.chat(asked()));
      expect(error).toMatchObject({ name: 'AdapterError', code: 'timeout' });
      expect(error.message).toContain('300');
      expect(await simulator.exchanges[0]!.clientLeft).toBe(true);
    });

    it(`C125 no listener stays on the caller's signal, ${how}`, async () => {
      const turn = how === 'whole' ? ok : sse(...events([{ text: 'hi' }]));
      const { adapter } = await scripted(Array.from({ length: 20 }, () => turn));
      const controller = new AbortController();
      const warnings: unknown[] = [];
      const note = (warning: unknown) => warnings.push(warning);
      process.on('warning', note);
      for (let n = 0; n < 20; n++) await adapter.chat({ ...asked(), signal: controller.signal });
      process.off('warning', note);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      expect(warnings).toEqual([]);
    });
  }

  it('C104 the header limit of the HTTP stack is a timeout, where the call has a fetch of its own', async () => {
    const own: typeof fetch = async () => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('Headers Timeout Error'), {
          name: 'HeadersTimeoutError',
          code: 'UND_ERR_HEADERS_TIMEOUT',
        }),
      });
    };
    const error = await failure((await scripted([], { fetch: own })).adapter.chat(asking()));
    expect(error.code).toBe('timeout');
    expect(error.hint).toContain('300');
  });

  it('nobody listening, and a connection that breaks', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const nobody = google({ model: 'gemini-2.5-flash', apiKey: KEY, baseURL: `http://127.0.0.1:${port}` });
    for (const request of [asking(), watching().request]) {
      expect(await failure(nobody.chat(request))).toMatchObject({ code: 'network', retryable: true });
    }
    const { adapter } = await scripted([
      { ...ok, cutOff: 'before' },
      {
        reply: {
          headers: { 'content-type': 'application/json', 'content-length': '999' },
          chunks: ['{"candi'],
        },
        cutOff: 1,
      },
    ]);
    for (let n = 0; n < 2; n++) expect((await failure(adapter.chat(asking()))).code).toBe('network');
  });

  it('C117 the key is nowhere to be seen', async () => {
    const echoed = (status: number) =>
      json({ error: { code: status, message: `key ${KEY} is bad`, details: [{ reason: KEY }] } }, status);
    const { adapter } = await scripted(
      [
        echoed(401),
        echoed(429),
        echoed(500),
        { ...ok, cutOff: 'before' },
        { ...ok, hang: 'before' },
        json(answer([{ text: 'ok' }], { key: KEY })),
      ],
      { timeoutMs: 600 },
    );
    for (let n = 0; n < 6; n++) {
      const trace = new RunTrace({ captureRaw: true });
      const outcome = await runLoop({ adapter, messages: [user], retry: { maxRetries: 0 } }, trace).catch(
        (error) => error,
      );
      const shown = [
        inspect(outcome, { depth: 20, showHidden: true }),
        JSON.stringify(outcome),
        String(outcome.stack),
        JSON.stringify(trace),
        inspect(trace.steps, { depth: 20 }),
      ].join();
      expect(shown).not.toContain(KEY);
    }
    expect(inspect(adapter, { depth: 20, showHidden: true })).not.toContain(KEY);
  });
});
