import {
  AdapterError,
  adapterErrorFor,
  blackOut,
  excerpt,
  networkFailure,
  type ProviderFailure,
} from './adapter-error.ts';
import { readEvents, readLines } from './read-stream.ts';

/** What a body says of a failure: the provider's sentence, its own codes or type words, and a status if it names one. */
export type FailureInBody = Pick<ProviderFailure, 'status' | 'message' | 'words'>;

export interface JsonPost {
  /** The adapter's name, for messages. */
  readonly provider: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly fetch: typeof fetch;
  /** Ends the request and the reading; what is thrown then is its reason. */
  readonly signal: AbortSignal;
  /** Texts to black out of messages: the key. */
  readonly secrets: readonly string[];
  /** The failure in a body or an event, whatever the status; undefined when it tells of none. */
  readonly failureIn: (value: unknown, event: string | undefined) => FailureInBody | undefined;
}

/** A value that came back. */
export interface Received {
  readonly value: unknown;
  /** The name of a server-sent event that has one. */
  readonly event?: string;
  /** The answer is complete with it: it came whole, or it is the `[DONE]` of a stream, whose value is undefined. */
  readonly last: boolean;
}

/**
 * Posts JSON and gives what comes back: one value when the answer comes whole, else every event of a stream of
 * server-sent events or JSON lines, told by its content type. Always at least one value:
 * everything else, a redirect and a failure in a body included, is thrown as an AdapterError. Leaving early closes the
 * connection.
 */
export async function* postJson(post: JsonPost): AsyncGenerator<Received> {
  const { provider, url, headers, body, signal, secrets } = post;
  const unreadable = (what: string) =>
    new AdapterError('bad_response', blackOut(`${provider}: ${what}`, secrets));
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'manual' } as const;
    const response = await post.fetch(url, init);
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      response.body?.cancel().catch(() => {});
      throw new AdapterError(
        'network',
        `${provider}: the address redirects, and the key is not sent elsewhere`,
        {
          hint: 'Set baseURL to where it leads.',
          ...(response.status > 0 && { status: response.status }),
        },
      );
    }
    const type = response.headers.get('content-type') ?? '';
    const stream = response.ok ? response.body : null;
    let started = false;
    if (stream !== null && type.includes('event-stream')) {
      for await (const { event, data } of readEvents(stream)) {
        signal.throwIfAborted();
        const last = data === '[DONE]';
        const value = last ? undefined : decoded(data, response, post, event);
        started ||= !last;
        yield { value, ...(event !== undefined && { event }), last };
      }
    } else if (stream !== null && /ndjson|jsonl|json-?lines/.test(type)) {
      for await (const line of readLines(stream)) {
        signal.throwIfAborted();
        started = true;
        yield { value: decoded(line, response, post), last: false };
      }
    } else {
      started = true;
      yield { value: decoded(await response.text(), response, post), last: true };
    }
    if (!started) throw unreadable('the stream ended before it began');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AdapterError) throw error;
    throw networkFailure(provider, error, secrets) ?? unreadable('the answer could not be read');
  }
}

/** JSON text as its value. Throws for a failure in it, and for all that is no JSON. */
function decoded(text: string, response: Response, post: JsonPost, event?: string): unknown {
  const { provider, secrets } = post;
  let value: unknown;
  let isJson = true;
  try {
    value = JSON.parse(text);
  } catch {
    isJson = false;
  }
  const failure = isJson ? post.failureIn(value, event) : undefined;
  if (response.ok && failure === undefined) {
    if (isJson) return value;
    const what = text.trim() === '' ? 'it is empty' : `it is no JSON: ${excerpt(text)}`;
    throw new AdapterError(
      'bad_response',
      blackOut(`${provider}: the answer cannot be read, ${what}`, secrets),
    );
  }
  throw adapterErrorFor({
    provider,
    message: failure?.message ?? text,
    words: failure?.words,
    status: response.ok ? failure?.status : response.status,
    headers: response.headers,
    secrets,
  });
}
