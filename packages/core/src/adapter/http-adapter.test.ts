import { describe, expect, it } from 'vitest';
import type { ModelRequest } from './adapter.ts';
import { AdapterError } from './adapter-error.ts';
import type { AnswerPart } from './answer-fold.ts';
import { httpAdapter } from './http-adapter.ts';
import { checkSettings } from './settings.ts';

const KEY = 'sk-acme-0123456789';
const EVENTS = 'text/event-stream';
const LINES = 'application/x-ndjson';
const WHOLE = 'application/json';

/** An adapter of an API whose answers are AnswerParts, against a `fetch` that gives one answer. */
function acme(answer: () => Response | Promise<Response>, timeoutMs = 1_000) {
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    sent.push({ url: String(url), init });
    return answer();
  };
  const given = { model: 'm', apiKey: KEY, headers: { 'X-Key': 'other', 'X-Own': 'yes' }, timeoutMs };
  const settings = checkSettings('acme', { ...given, fetch: fetch as typeof globalThis.fetch }, undefined);
  const adapter = httpAdapter({
    name: 'acme',
    settings,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: false,
      cost: true,
    },
    url: 'https://api.acme.example/answer',
    headers: { 'x-key': KEY },
    toBody: ({ onDelta }) => ({ body: { stream: onDelta !== undefined }, warnings: [] }),
    fromBody: (value, event) => (event === 'ping' ? {} : ((value ?? undefined) as AnswerPart | undefined)),
    finishReasons: { done: 'stop' },
    failureIn: (value, event) => {
      const { error } = (value ?? {}) as { error?: { message: string; status?: number } };
      return event === 'broken' ? { message: 'it broke', words: ['overloaded'] } : error;
    },
  });
  const ask = (more: Partial<ModelRequest> = {}) =>
    adapter.chat({ messages: [{ role: 'user', content: 'Hi' }], tools: [], options: {}, ...more });
  return { ask, sent, adapter };
}

function reply(body: BodyInit | null, type: string, more: ResponseInit = {}): () => Response {
  return () => new Response(body, { ...more, headers: { 'content-type': type, ...more.headers } });
}

async function failure(call: Promise<unknown>): Promise<AdapterError> {
  const error = await call.then(
    () => new Error('it answered'),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AdapterError);
  return error as AdapterError;
}

const STREAMS: readonly (readonly [string, string, string])[] = [
  [
    'events',
    EVENTS,
    ': hi\n\nevent: ping\ndata: 1\n\ndata: {"text":"No"}\n\ndata: {"text":"on.","finish":"done"}\n\n',
  ],
  ['events that end with [DONE]', EVENTS, 'data: {"text":"No"}\n\ndata: {"text":"on."}\n\ndata: [DONE]\n\n'],
  ['lines', LINES, '{"text":"No"}\n{"text":"on.","finish":"done"}'],
];

describe('an answer', () => {
  it.each([...STREAMS, ['one body', WHOLE, '{"text":"Noon."}'] as const])('in %s', async (_, type, body) => {
    const heard: string[] = [];
    const { ask } = acme(reply(body, type));
    const response = await ask({ onDelta: (delta) => heard.push('text' in delta ? delta.text : '') });
    expect(response).toMatchObject({ message: { content: 'Noon.' }, finishReason: 'stop' });
    expect(heard.join('')).toBe('Noon.');
    expect(response).not.toHaveProperty('metadata');
  });

  it('of a stream without its end is not finished', async () => {
    const { ask } = acme(reply('{"text":"No"}\n', LINES));
    expect((await ask()).finishReason).toBe('other');
  });

  it('is asked for with the key and the own headers, and previewed as it is sent', async () => {
    const { ask, sent, adapter } = acme(reply('{"text":""}', WHOLE));
    await ask();
    const { url, init } = sent[0]!;
    expect(url).toBe('https://api.acme.example/answer');
    const headers = Object.fromEntries(new Headers(init.headers));
    expect(headers).toEqual({ 'content-type': 'application/json', 'x-key': KEY, 'x-own': 'yes' });
    expect(init.body).toBe(JSON.stringify(adapter.preview!({ messages: [], tools: [], options: {} }).body));
  });

  it('is captured only when asked for', async () => {
    const { ask } = acme(reply(STREAMS[2]![2], LINES));
    expect((await ask({ options: { _capture_raw: true } })).metadata).toMatchObject({
      _raw: [{ text: 'No' }, { text: 'on.', finish: 'done' }],
      _wire: { method: 'POST', body: '{"stream":false}' },
    });
  });
});

describe('a failure', () => {
  const limited = { status: 429, headers: { 'retry-after': '2', 'x-request-id': 'r1' } };
  it.each<[string, () => Response, Partial<AdapterError>]>([
    [
      'with a status',
      reply(`{"error":{"message":"slow down, ${KEY}"}}`, WHOLE, limited),
      { code: 'rate_limited', status: 429, retryAfterMs: 2_000, requestId: 'r1' },
    ],
    ['that is a page', reply('<html>busy</html>', 'text/html', { status: 503 }), { code: 'unavailable' }],
    [
      'inside status 200',
      reply('{"error":{"message":"no","status":401}}', WHOLE),
      { code: 'auth', status: 401 },
    ],
    [
      'in the middle of a stream',
      reply('data: {"text":"No"}\n\nevent: broken\ndata: {}\n\n', EVENTS),
      { code: 'unavailable', partial: 'No' },
    ],
    ['that is no JSON', reply(`<html>${KEY}</html>`, 'text/html'), { code: 'bad_response' }],
    [
      'that is no JSON in a stream',
      reply('{"text":"No"}\n{"te', LINES),
      { code: 'bad_response', partial: 'No' },
    ],
    ['that is empty', reply('', WHOLE), { code: 'bad_response' }],
    ['that is no answer', reply('null', WHOLE), { code: 'bad_response' }],
    ['of a shape that the mapping cannot read', reply('{"calls":7}', WHOLE), { code: 'bad_response' }],
    ['of a stream without events', reply('\n\n', EVENTS), { code: 'bad_response' }],
    ['of a stream that only ends', reply('data: [DONE]\n\n', EVENTS), { code: 'bad_response' }],
    ['of a stream without a body', reply(null, LINES), { code: 'bad_response' }],
    [
      'that redirects',
      reply(null, WHOLE, { status: 307, headers: { location: `https://else.example/?key=${KEY}` } }),
      { code: 'network', status: 307, hint: 'Set baseURL to where it leads.' },
    ],
    [
      'of the connection',
      () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
      },
      { code: 'network' },
    ],
  ])('%s', async (_, answer, facts) => {
    const error = await failure(acme(answer).ask());
    expect(error).toMatchObject(facts);
    expect(error.message).toMatch(/^acme/);
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(KEY);
    expect(error.cause).toBeUndefined();
  });

  it('shows what was captured', async () => {
    const { ask } = acme(reply('{"error":{"message":"no","status":400}}', WHOLE));
    const error = await failure(ask({ options: { _capture_raw: true } }));
    expect(error.metadata).toMatchObject({ _raw: { error: { message: 'no', status: 400 } } });
  });
});

describe('a call is ended', () => {
  /** A stream that says one thing and then nothing. */
  function stalled() {
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"text":"No"}\n')),
      cancel: (reason) => {
        cancelled = reason ?? 'cancelled';
      },
    });
    return { answer: reply(body, LINES), wasCancelled: () => cancelled !== undefined };
  }

  it('by its signal, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const { answer } = stalled();
    const call = acme(answer).ask({ signal: controller.signal, onDelta: () => controller.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  it('by its timeout, with what had come', async () => {
    const { answer } = stalled();
    expect(await failure(acme(answer, 20).ask())).toMatchObject({ code: 'timeout', partial: 'No' });
  });

  it('by a failure, and the rest of the stream is not read', async () => {
    const { answer, wasCancelled } = stalled();
    const { ask } = acme(() => {
      const response = answer();
      const { body } = response;
      const broken = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, out) => {
          out.enqueue(chunk);
          out.enqueue(new TextEncoder().encode('no JSON\n'));
        },
      });
      return new Response(body!.pipeThrough(broken), response);
    });
    expect((await failure(ask())).code).toBe('bad_response');
    await new Promise((resolve) => setTimeout(resolve));
    expect(wasCancelled()).toBe(true);
  });
});
