import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ScriptedTurn } from '@glassloop/simulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeConnection, shownOf } from '../../../scripts/testing/connection.ts';
import { mistral } from '../src/index.ts';
import {
  answer,
  asking,
  consoleOutput,
  failureOf,
  json,
  modes,
  ok,
  piece,
  scripted,
  sse,
} from './helpers.ts';

const KEY = 'KEY-SENTINEL-7f3a';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function page(status: number) {
  const text = `<html><body>Bad gateway${'.'.repeat(5000)}</body></html>`;
  return { reply: { status, headers: { 'content-type': 'text/html' }, chunks: [text] } };
}

describe('errors of the provider', () => {
  it.each([
    [
      { object: 'error', message: 'Service unavailable.', type: 'internal_server_error', code: '1000' },
      'Service unavailable.',
    ],
    [{ detail: 'Unauthorized' }, 'Unauthorized'],
    [
      {
        detail: [{ type: 'missing', loc: ['body', 'tools', 0], msg: 'Field required', input: { long: 'x' } }],
      },
      'body.tools.0: Field required',
    ],
    [{ error: { message: 'nested', type: 'x' } }, 'nested'],
    [{ message: { detail: [{ loc: ['body'], msg: 'inner' }] }, object: 'error' }, 'body: inner'],
    ['<html>no</html>', '<html>no</html>'],
    ['', 'gave no reason'],
  ])('each shape of body is read: %j', async (body, said) => {
    const { adapter } = await scripted([json(body, 500)]);
    const error = await failureOf(adapter.chat(asking()));
    expect(error).toMatchObject({ code: 'unavailable', status: 500 });
    expect(error.message).toContain(said);
  });

  it.each([
    [400, { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' }, 'not_found'],
    [401, { detail: 'Unauthorized' }, 'auth'],
    [402, { message: 'no credit' }, 'billing'],
    [422, { detail: [{ loc: ['body'], msg: 'no' }] }, 'invalid_request'],
    [429, { message: 'Requests rate limit exceeded' }, 'rate_limited'],
    [503, { message: 'down' }, 'unavailable'],
    [
      400,
      {
        object: 'error',
        message: 'Prompt contains 40000 tokens: too large for model with 32768 maximum context length',
      },
      'context_exceeded',
    ],
  ])('C102, C108 status %i, %j is %s, after one request', async (status, body, code) => {
    const { adapter, simulator } = await scripted([json(body, status)]);
    expect(await failureOf(adapter.chat(asking()))).toMatchObject({ code, status });
    expect(simulator.exchanges).toHaveLength(1);
  });

  it.each([
    [{ 'retry-after': '30', 'mistral-correlation-id': 'c-1' }, 30_000],
    [{ 'retry-after-ms': '1500', 'mistral-correlation-id': 'c-1' }, 1500],
  ])('C101 the wait it asks for is kept: %j', async (headers, retryAfterMs) => {
    const { adapter } = await scripted([json({ message: 'slow down' }, 429, headers)]);
    const error = await failureOf(adapter.chat(asking()));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs, requestId: 'c-1' });
  });

  it.each(modes)('C105 a page instead of JSON is a bad response (%s)', async (_, onDelta) => {
    const { adapter } = await scripted([page(200), page(502)]);
    const request = asking(onDelta ? { onDelta } : {});
    const inside = await failureOf(adapter.chat(request));
    expect(inside).toMatchObject({ name: 'AdapterError', code: 'bad_response' });
    expect(inside.message).toContain('Bad gateway');
    expect(inside.message.length).toBeLessThan(700);
    expect(await failureOf(adapter.chat(request))).toMatchObject({ code: 'unavailable', status: 502 });
  });

  it.each(['', 'null', '[]', '{}', '{"choices":[', '{"choices":[]}', '{"choices":[{}]}', '"text"'])(
    'an answer that is %j is a bad response',
    async (text) => {
      const { adapter } = await scripted([json(text)]);
      expect(await failureOf(adapter.chat(asking()))).toMatchObject({
        name: 'AdapterError',
        code: 'bad_response',
      });
    },
  );

  it('an answer under a wrong content type is read all the same', async () => {
    const chunks = [JSON.stringify(answer({ content: 'x' }))];
    const { adapter } = await scripted([{ reply: { headers: { 'content-type': 'text/plain' }, chunks } }]);
    expect((await adapter.chat(asking())).message.content).toBe('x');
  });

  it.each(modes)('an error under status 200 is an error (%s)', async (_, onDelta) => {
    const { adapter } = await scripted([json({ error: { message: 'boom', code: 429 } })]);
    const error = await failureOf(adapter.chat(asking(onDelta ? { onDelta } : {})));
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect(error.message).toContain('boom');
  });
});

describeConnection(
  scripted,
  (content, onDelta) => (onDelta ? sse(piece({ content }, 'stop')) : json(answer({ content }))),
  sse(piece({ content: 'Hi' }), piece({}, 'stop')),
);

it('a server that is not there is a network error', async () => {
  const { adapter, simulator } = await scripted([]);
  await simulator.close();
  expect(await failureOf(adapter.chat(asking()))).toMatchObject({ code: 'network', retryable: true });
});

describe('the key', () => {
  it('is asked for before anything is sent', () => {
    vi.stubEnv('MISTRAL_API_KEY', undefined);
    expect(() => mistral({ model: 'm' })).toThrow(/no API key/);
  });

  it.each([
    [401, { detail: `key ${KEY} is bad` }],
    [422, { detail: [{ loc: ['body'], msg: `key ${KEY}` }] }],
    [429, { message: KEY }],
    [500, { message: KEY }],
    [200, { error: { message: KEY } }],
    [200, KEY],
  ])('C117 is nowhere in what comes of status %i, %j', async (status, body) => {
    vi.stubEnv('MISTRAL_DEBUG', 'true');
    const output = consoleOutput();
    const { adapter } = await scripted([json(body, status)], { apiKey: KEY });
    const error = await failureOf(adapter.chat(asking({ options: { _capture_raw: true } })));
    expect(shownOf(error)).not.toContain(KEY);
    expect(error.metadata?.['_raw']).toBeDefined();
    expect(output).toEqual([]);
  });

  it('C117 is nowhere in a network error, the adapter, or the console', async () => {
    vi.stubEnv('MISTRAL_DEBUG', 'true');
    const output = consoleOutput();
    const { adapter, simulator } = await scripted([ok], { apiKey: KEY });
    await adapter.chat(asking());
    await simulator.close();
    const refused = await failureOf(adapter.chat(asking()));
    for (const value of [refused, adapter]) {
      expect(inspect(value, { depth: 10, showHidden: true })).not.toContain(KEY);
    }
    expect(output).toEqual([]);
  });
});

describe('a call that ends before its answer', () => {
  it.each(['whole', 'streamed'])(
    'closes its connection, also after a garbage collection, %s',
    async (how) => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const half: ScriptedTurn = { say: 'Half of it. '.repeat(20), splitBytes: 50, hang: 'midway' };
      const { adapter, simulator } = await scripted([half]);
      const stopped = new AbortController();
      const streamed = how === 'streamed' ? { onDelta: () => {} } : {};
      const call = adapter
        .chat(asking({ ...streamed, signal: stopped.signal }))
        .catch((reason: unknown) => reason);
      for (let round = 0; round < 8; round++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        collect();
      }
      stopped.abort('enough');
      expect(await call).toBe('enough');
      expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
    },
  );
});
