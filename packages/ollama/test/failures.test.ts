import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ollama } from '../src/index.ts';
import { answer, asking, failureOf, json, lines, modes, scripted, tool } from './helpers.ts';

const KEY = 'KEY-SENTINEL-7f3a';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What went to the console; nothing should. */
function consoleOutput(): unknown[] {
  const output: unknown[] = [];
  for (const method of ['log', 'warn', 'error', 'info', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values) => void output.push(values));
  }
  return output;
}

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

describe('the connection', () => {
  it('C104 the header limit of the HTTP stack is a timeout with a hint', async () => {
    const fetch = async () => {
      const cause = Object.assign(new Error('Headers Timeout Error'), {
        name: 'HeadersTimeoutError',
        code: 'UND_ERR_HEADERS_TIMEOUT',
      });
      throw new TypeError('fetch failed', { cause });
    };
    const error = await failureOf(ollama({ model: 'm', fetch }).chat(asking()));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.hint).toContain('300 seconds');
    expect(error.hint).toContain('stream');
  });

  it('a server that is not there says how to start it', async () => {
    const { adapter, simulator } = await scripted([]);
    await simulator.close();
    const error = await failureOf(adapter.chat(asking()));
    expect(error).toMatchObject({ code: 'network', retryable: true });
    expect(error.hint).toContain('ollama serve');
  });

  it('a connection that dies in a stream keeps the text so far', async () => {
    const { adapter } = await scripted([
      { ...lines(answer({ content: 'Hi' }, { done: false }), answer({ content: 'there' })), cutOff: 1 },
    ]);
    expect(await failureOf(adapter.chat(asking({ onDelta: () => {} })))).toMatchObject({
      code: 'network',
      partial: 'Hi',
    });
  });

  it.each([
    ['before the answer, whole', 'before', undefined],
    ['before the answer, streamed', 'before', () => {}],
    ['in the middle of a stream', 'midway', () => {}],
  ] as const)('C010, C081 an abort %s closes the connection at once', async (_, hang, onDelta) => {
    const { adapter, simulator } = await scripted([
      { ...lines(answer({ content: 'Hi' }, { done: false }), answer({})), hang },
    ]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const began = Date.now();
    setTimeout(() => controller.abort(reason), 50);
    const error = await failureOf(
      adapter.chat(asking({ signal: controller.signal, ...(onDelta ? { onDelta } : {}) })),
    );
    expect(error).toBe(reason);
    expect(Date.now() - began).toBeLessThan(1000);
    expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
  });

  it('a signal that is aborted already sends nothing', async () => {
    const { adapter, simulator } = await scripted([]);
    const reason = new Error('never');
    expect(await failureOf(adapter.chat(asking({ signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(simulator.exchanges).toHaveLength(0);
  });

  it.each(modes)('C103 a timeout is not an abort, and reaches the server (%s)', async (_, onDelta) => {
    const { adapter, simulator } = await scripted([{ say: 'late', hang: 'before' }], { timeoutMs: 60 });
    const error = await failureOf(adapter.chat(asking(onDelta ? { onDelta } : {})));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('60 ms');
    expect(await simulator.exchanges[0]?.clientLeft).toBe(true);
  });

  it('C125 no abort listener stays behind', async () => {
    const { signal } = new AbortController();
    const { adapter } = await scripted(
      Array.from({ length: 24 }, (_, index) =>
        index % 2 === 0 ? json(answer({ content: 'x' })) : lines(answer({ content: 'x' })),
      ),
    );
    for (let index = 0; index < 24; index++) {
      await adapter.chat(asking({ signal, ...(index % 2 === 0 ? {} : { onDelta: () => {} }) }));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
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
    const shown = [
      error.message,
      error.stack,
      JSON.stringify(error),
      inspect(error, { depth: 10, showHidden: true }),
    ];
    expect(shown.join('\n')).not.toContain(KEY);
    expect(error.metadata?.['_raw']).toBeDefined();
    expect(output).toEqual([]);
  });

  it('C117 is nowhere in a network error or a timeout', async () => {
    const settings = { model: 'm', apiKey: KEY };
    const refused = await failureOf(ollama({ ...settings, baseURL: 'http://127.0.0.1:1' }).chat(asking()));
    expect(inspect(refused, { depth: 10, showHidden: true })).not.toContain(KEY);
  });
});
