import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeConnection, shownOf } from '../../../scripts/testing/connection.ts';
import { ollama } from '../src/index.ts';
import { answer, asking, consoleOutput, failureOf, json, lines, modes, scripted, tool } from './helpers.ts';

const KEY = 'KEY-SENTINEL-7f3a';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function failing(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json; charset=utf-8';
  return { reply: { status, headers: { 'content-type': type, ...headers }, chunks: [text] } };
}

describe('errors of the server', () => {
  it.each(modes)('C079 a model without tools says so, with what to do (%s)', async (_, onDelta) => {
    const { adapter, simulator } = await scripted([
      failing(400, { error: 'registry.ollama.ai/library/gemma3:4b does not support tools' }),
    ]);
    const error = await failureOf(
      adapter.chat(asking({ tools: [tool('a')], ...(onDelta ? { onDelta } : {}) })),
    );
    expect(error).toMatchObject({ code: 'unsupported', status: 400, retryable: false });
    expect(error.hint).toContain('qwen3:8b');
    expect(error.hint).toContain('without tools');
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('a model that cannot think says so', async () => {
    const { adapter } = await scripted([failing(400, { error: '"gemma3:1b" does not support thinking' })]);
    const error = await failureOf(adapter.chat(asking({ options: { thinking: true } })));
    expect(error).toMatchObject({ code: 'unsupported' });
    expect(error.hint).toContain('thinking option');
  });

  it('a model that is not there says how to get it', async () => {
    const { adapter } = await scripted([failing(404, { error: "model 'qwen3:8b' not found" })]);
    const error = await failureOf(adapter.chat(asking()));
    expect(error).toMatchObject({ code: 'not_found', status: 404 });
    expect(error.hint).toContain('ollama pull qwen3:8b');
  });

  it.each([
    [401, 'auth'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('C102, C108 status %i is %s, after one request', async (status, code) => {
    const { adapter, simulator } = await scripted([failing(status, { error: 'no' })]);
    expect(await failureOf(adapter.chat(asking()))).toMatchObject({ code, status });
    expect(simulator.exchanges).toHaveLength(1);
  });

  it.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after-ms': '1500' }, 1500],
  ])('C101 the wait a server asks for is kept: %j', async (headers, retryAfterMs) => {
    const { adapter } = await scripted([failing(429, { error: 'slow down' }, headers)]);
    expect(await failureOf(adapter.chat(asking()))).toMatchObject({ code: 'rate_limited', retryAfterMs });
  });

  it.each(modes)(
    'C105 a page instead of JSON is a bad response, and nothing is printed (%s)',
    async (_, onDelta) => {
      const output = consoleOutput();
      const page = `<html><body>Bad gateway${'.'.repeat(5000)}</body></html>`;
      const { adapter } = await scripted([failing(200, page), failing(502, page)]);
      const request = asking(onDelta === undefined ? {} : { onDelta });
      const inside = await failureOf(adapter.chat(request));
      expect(inside).toMatchObject({ name: 'AdapterError', code: 'bad_response' });
      expect(inside.message.length).toBeLessThan(700);
      const outside = await failureOf(adapter.chat(request));
      expect(outside).toMatchObject({ code: 'unavailable', status: 502 });
      expect(outside.message.length).toBeLessThan(700);
      expect(output).toEqual([]);
    },
  );

  it.each([[''], ['null'], ['[]'], ['{}'], ['{"model":"x"'], ['"text"']])(
    'an answer that is %j is a bad response',
    async (text) => {
      const { adapter } = await scripted([
        { reply: { headers: { 'content-type': 'application/json' }, chunks: [text] } },
      ]);
      expect(await failureOf(adapter.chat(asking()))).toMatchObject({
        name: 'AdapterError',
        code: 'bad_response',
      });
    },
  );

  it('an error inside a whole answer with status 200 is an error', async () => {
    const { adapter } = await scripted([json({ error: 'out of memory' })]);
    const error = await failureOf(adapter.chat(asking()));
    expect(error).toMatchObject({ name: 'AdapterError' });
    expect(error.message).toContain('out of memory');
  });

  it('a line that is no JSON is a bad response, and is not printed', async () => {
    const output = consoleOutput();
    const { adapter } = await scripted([
      lines(answer({ content: 'Hi' }, { done: false }), 'oops', answer({})),
    ]);
    const error = await failureOf(adapter.chat(asking({ onDelta: () => {} })));
    expect(error).toMatchObject({ code: 'bad_response', partial: 'Hi' });
    expect(output).toEqual([]);
  });
});

describeConnection(
  scripted,
  (content, onDelta) => (onDelta ? lines : json)(answer({ content })),
  lines(answer({ content: 'Hi' }, { done: false }), answer({ content: 'there' })),
);

it('a server that is not there says how to start it', async () => {
  const { adapter, simulator } = await scripted([]);
  await simulator.close();
  const error = await failureOf(adapter.chat(asking()));
  expect(error).toMatchObject({ code: 'network', retryable: true });
  expect(error.hint).toContain('ollama serve');
});

describe('the key', () => {
  it('is sent only where it was given', async () => {
    vi.stubEnv('OLLAMA_API_KEY', KEY);
    const { adapter, simulator } = await scripted([json(answer({ content: 'x' }))]);
    await adapter.chat(asking());
    expect(JSON.stringify(simulator.exchanges[0]?.request.rawHeaders)).not.toContain(KEY);

    const other = await scripted([json(answer({ content: 'x' }))], {
      apiKey: 'given-key',
      headers: { Authorization: 'Basic other' },
    });
    await other.adapter.chat(asking());
    expect(other.simulator.exchanges[0]?.seen?.apiKey).toBe('given-key');
  });

  it('is asked for at ollama.com, before anything is sent', () => {
    vi.stubEnv('OLLAMA_API_KEY', undefined);
    expect(() => ollama({ model: 'm', baseURL: 'https://ollama.com' })).toThrow(/no API key/);
  });

  it.each([[401], [429], [500], [200]])('C117 is nowhere in what comes of status %i', async (status) => {
    const output = consoleOutput();
    const { adapter } = await scripted([failing(status, { error: `key ${KEY} is bad` })], { apiKey: KEY });
    const error = await failureOf(adapter.chat(asking({ options: { _capture_raw: true } })));
    expect(shownOf(error)).not.toContain(KEY);
    expect(error.metadata?.['_raw']).toBeDefined();
    expect(output).toEqual([]);
  });

  it('C117 is nowhere in a network error or a timeout', async () => {
    const settings = { model: 'm', apiKey: KEY };
    const refused = await failureOf(ollama({ ...settings, baseURL: 'http://127.0.0.1:1' }).chat(asking()));
    expect(inspect(refused, { depth: 10, showHidden: true })).not.toContain(KEY);
  });
});
