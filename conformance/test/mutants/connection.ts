import { AdapterError, callWithin } from '@glassloop/core/adapter';
import { failure, reference } from '../reference-adapter.ts';
import { fold } from '../reference-stream.ts';
import { calls, fetches, type Loose, type Mutant, mutant, parts, settingsOf } from './mutant.ts';

/** Calls `recover` for what the adapter throws. */
const rescues = (recover: (error: Loose, again: () => Promise<Loose>, request: Loose) => Loose) =>
  calls(async (inner, request) => {
    try {
      return await inner.chat(request);
    } catch (error) {
      return recover(error, () => inner.chat(request), request);
    }
  });

const EMPTY = { message: { role: 'assistant', content: '', toolCalls: [] }, finishReason: 'stop', usage: {} };

/** Mutants that get failures, abort and streams wrong. */
export const connectionMutants: readonly Mutant[] = [
  mutant(
    'errors.status',
    "takes every refusal for 'invalid_request'",
    rescues((error) => {
      if (error.status === 402) throw new AdapterError('invalid_request', error.message, { status: 402 });
      throw error;
    }),
  ),
  mutant(
    'errors.request-id',
    'loses the request id',
    rescues((error) => {
      if (error.requestId === undefined) throw error;
      throw new AdapterError(error.code, error.message, { ...error, requestId: undefined });
    }),
  ),
  mutant(
    'errors.context-window',
    'looks at the status only',
    rescues((error) => {
      throw error.status === 400 ? new AdapterError('invalid_request', error.message, { ...error }) : error;
    }),
  ),
  mutant(
    'errors.no-retries',
    'tries again by itself',
    rescues((error, again) => {
      if (error.retryable) return again();
      throw error;
    }),
    {
      also: [
        'errors.request-id',
        'errors.status',
        'errors.retry-after',
        'errors.not-json',
        'errors.inside-200',
        'errors.refused',
        'errors.mid-body',
        'errors.mid-stream',
        'errors.broken-stream',
      ],
    },
  ),
  mutant(
    'errors.retry-after',
    'takes the seconds of Retry-After for milliseconds',
    rescues((error) => {
      if (error.retryAfterMs === 7_000)
        throw new AdapterError(error.code, error.message, { ...error, retryAfterMs: 7 });
      throw error;
    }),
  ),
  mutant(
    'errors.not-json',
    'puts a whole page into its message',
    fetches((base) => async (input, init) => {
      const response = await base(input, init);
      if (!response.headers.get('content-type')?.includes('html')) return response;
      throw new AdapterError('bad_response', await response.text());
    }),
  ),
  mutant(
    'errors.inside-200',
    'takes an error under status 200 for an empty answer',
    rescues((error) => {
      if (error.status === undefined && error.code !== 'network' && error.message.includes('no such luck'))
        return EMPTY;
      throw error;
    }),
    { also: ['errors.mid-stream'] },
  ),
  mutant(
    'errors.refused',
    "calls a refused connection 'bad_response'",
    rescues((error) => {
      if (/REFUSED/.test(error.message)) throw new AdapterError('bad_response', error.message);
      throw error;
    }),
  ),
  mutant(
    'errors.mid-body',
    'takes a broken body for a short answer',
    rescues((error) => {
      if (
        error.code === 'network' &&
        /connection failed$|SOCKET/.test(error.message) &&
        error.partial === undefined
      )
        return EMPTY;
      throw error;
    }),
    { also: ['errors.no-retries', 'errors.refused'] },
  ),
  mutant('errors.no-key', 'names no variable when the key is missing', (settings) => {
    if (settings.apiKey === '')
      throw new AdapterError('auth', 'reference: no key', { hint: 'Something is missing.' });
    return reference(settingsOf(settings));
  }),
  mutant(
    'errors.mid-stream',
    'ends a stream quietly at an error event',
    parts({
      fold: (events, piece) => fold(upToError(events), piece),
    }),
  ),
  mutant(
    'errors.broken-stream',
    'loses the text received before a failure',
    parts({
      failure: (error, name, secrets, { metadata }) =>
        failure(error, name, secrets, { partial: undefined, metadata }),
    }),
    { also: ['errors.mid-stream'] },
  ),
  mutant(
    'abort.before',
    'sends although the signal is aborted',
    calls(async (inner, request) => {
      const { signal, ...unaborted } = request;
      if (signal?.aborted) await inner.chat(unaborted).catch(() => {});
      return inner.chat(request);
    }),
  ),
  mutant(
    'abort.waiting',
    'swallows the reason of an abort',
    rescues((error, _, request) => {
      throw request.signal?.aborted && error instanceof Error && !(error instanceof DOMException)
        ? new Error('aborted')
        : error;
    }),
    { also: ['abort.before', 'abort.mid-stream'] },
  ),
  mutant(
    'abort.waiting',
    'does not let the abort reach the connection',
    parts({
      callWithin: (limits, call) => callWithin(limits, () => call(new AbortController().signal)),
    }),
    { also: ['abort.timeout', 'abort.timeout-midway', 'abort.mid-stream'] },
  ),
  mutant(
    'abort.any-reason',
    'wraps a reason that is no error',
    rescues((error) => {
      throw error instanceof Error ? error : new Error(String(error));
    }),
  ),
  mutant(
    'abort.timeout',
    'reports a timeout as an abort',
    rescues((error) => {
      throw error.code === 'timeout' ? new DOMException('aborted', 'AbortError') : error;
    }),
    { also: ['abort.timeout-midway'] },
  ),
  mutant('abort.timeout-midway', 'stops the clock at the first byte', (settings) => {
    const { timeoutMs, fetch: base = fetch } = settings;
    if (timeoutMs === undefined) return reference(settingsOf(settings));
    const hasty: typeof fetch = async (input, init) => {
      const controller = new AbortController();
      const late = () => controller.abort(new AdapterError('timeout', 'no first byte in time'));
      const timer = setTimeout(late, timeoutMs);
      init?.signal?.addEventListener('abort', () => controller.abort(init.signal?.reason));
      try {
        return await base(input, { ...init, signal: controller.signal });
      } finally {
        clearTimeout(timer);
      }
    };
    return reference({ ...settingsOf(settings), timeoutMs: 60_000, fetch: hasty });
  }),
  mutant(
    'abort.listeners',
    'leaves a listener on the signal',
    calls((inner, request) => {
      request.signal?.addEventListener('abort', () => {});
      return inner.chat(request);
    }),
  ),
  mutant(
    'abort.unrelated',
    'shares one controller between all calls',
    (settings) => {
      const inner = reference(settingsOf(settings));
      const shared = new AbortController();
      return {
        ...inner,
        chat: (request) => {
          request.signal?.addEventListener('abort', () => shared.abort(request.signal?.reason));
          return inner.chat(request.signal?.aborted ? request : { ...request, signal: shared.signal });
        },
      };
    },
    { also: ['abort.listeners'] },
  ),
  mutant(
    'abort.mid-stream',
    'goes on reporting pieces after an abort',
    calls(async (inner, request) => {
      const { signal, onDelta } = request;
      signal?.addEventListener(
        'abort',
        () => setTimeout(() => onDelta?.({ kind: 'text', text: 'one more' }), 3),
        { once: true },
      );
      return inner.chat(request);
    }),
    { also: ['abort.listeners'] },
  ),
  mutant(
    'streaming.listener-throws',
    'lets a listener end the call',
    calls(async (inner, request) => {
      let thrown: unknown;
      const onDelta =
        request.onDelta &&
        ((delta: Loose) => {
          try {
            request.onDelta!(delta);
          } catch (error) {
            thrown ??= error;
          }
        });
      const response = await inner.chat({ ...request, ...(onDelta && { onDelta }) });
      if (thrown !== undefined) throw thrown;
      return response;
    }),
  ),
  mutant(
    'streaming.bytes',
    'decodes each piece of bytes by itself',
    pieces((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
    { also: ['streaming.every-split'] },
  ),
  mutant(
    'streaming.every-split',
    'forgets a piece that ends inside a line end',
    pieces((bytes) => (bytes.at(-1) === 13 ? bytes.subarray(0, 0) : bytes)),
  ),
  mutant(
    'streaming.framing',
    'knows no comments',
    pieces((bytes) => {
      const text = new TextDecoder().decode(bytes);
      if (/^: [a-z]/im.test(text)) throw new Error('stream: a line that is no field');
      return bytes;
    }),
  ),
  mutant(
    'security.key-in-errors',
    'shows the key in its message',
    parts({
      failure: (error, name, _, facts) => failure(error, name, [], facts),
    }),
  ),
  mutant(
    'security.key-in-errors',
    'hides the request, key and all, in the cause of an error',
    calls(async (inner, request, settings) => {
      try {
        return await inner.chat(request);
      } catch (error) {
        if (error instanceof AdapterError)
          (error as Loose).cause = new Error('request failed', {
            cause: { headers: { authorization: settings.apiKey } },
          });
        throw error;
      }
    }),
  ),
  mutant(
    'security.key-on-wire',
    'puts the key into the URL',
    fetches((base, settings) => (input, init) => base(`${input}?key=${settings.apiKey}`, init)),
  ),
  mutant(
    'security.headers',
    'forgets the headers of the settings',
    parts({
      headers: (key) => ({ 'content-type': 'application/json', authorization: `Bearer ${key}` }),
    }),
  ),
  mutant(
    'security.authorization',
    'lets a header of the settings replace the key',
    parts({
      headers: (key, custom) => ({
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...custom,
      }),
    }),
  ),
  mutant(
    'security.redirect',
    'sends the key in a header that follows redirects',
    parts({
      headers: (key, custom) => ({ ...custom, 'content-type': 'application/json', 'x-api-key': key }),
    }),
  ),
  mutant(
    'purity.same-request',
    'sends a random idempotency key',
    fetches(
      (base) => (input, init) =>
        base(input, {
          ...init,
          headers: { ...(init?.headers as object), 'idempotency-key': crypto.randomUUID() },
        }),
    ),
  ),
  mutant('purity.concurrent', 'keeps the message of the last call in the adapter', (settings) => {
    const inner = reference(settingsOf(settings));
    let last: Loose;
    return {
      ...inner,
      chat: async (request) => {
        last = request.messages;
        await Promise.resolve();
        return inner.chat({ ...request, messages: last });
      },
    };
  }),
];

function pieces(change: (bytes: Uint8Array) => Uint8Array): Mutant['create'] {
  return fetches((base) => async (input, init) => {
    const response = await base(input, init);
    if (!response.headers.get('content-type')?.includes('event-stream')) return response;
    const body = response.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({ transform: (bytes, out) => out.enqueue(change(bytes)) }),
    );
    return new Response(body, { status: response.status, headers: response.headers });
  });
}

async function* upToError(events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) {
    if ((event as Loose).error != null) return;
    yield event;
  }
}
