import type { CallOptions } from '../options.ts';
import type { Metadata } from './adapter.ts';
import { blackOut } from './adapter-error.ts';

/**
 * Returns `existing` unless capture was asked for; then a copy with `_raw` (the decoded body) added.
 * The one place that reads the directive; only `true` itself turns it on.
 */
export function rawResponseMetadata(
  options: CallOptions,
  body: unknown,
  existing?: Metadata,
): Metadata | undefined {
  return options._capture_raw === true ? { ...existing, _raw: body } : existing;
}

/** What went over the wire in one call, filled by `tapFetch`. */
export interface Exchange {
  request?: WireRequest;
  status?: number;
  contentType?: string;
  /** The body as text, as far as it was read. */
  text?: string;
}

/** A request as it was sent: only harmless headers, no secret in the URL. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body text, as sent. */
  readonly body: string;
}

/** An empty exchange when capture was asked for, else undefined: then nothing is wrapped and nothing kept. */
export function exchangeFor(options: CallOptions): Exchange | undefined {
  return options._capture_raw === true ? {} : undefined;
}

/**
 * A fetch that keeps what is sent and what the SDK reads, in `exchange`. For the one call that captures; a call that
 * does not must not be given it. Adds no request bytes and reads nothing the SDK does not read.
 */
export function tapFetch(base: typeof fetch, exchange: Exchange): typeof fetch {
  return async (input, init) => {
    exchange.request = await sentRequest(input, init);
    const response = await base(input, init);
    exchange.status = response.status;
    const contentType = response.headers.get('content-type');
    if (contentType !== null) exchange.contentType = contentType;
    const text = response.text.bind(response);
    const body = response.body;
    let tapped: ReadableStream<Uint8Array> | null | undefined;
    const kept = async () => {
      // An SDK that has looked at `body` holds our stream, which has taken the body's only reader.
      exchange.text = await (tapped ? new Response(tapped).text() : text());
      return exchange.text;
    };
    Object.defineProperties(response, {
      // Configurable, so that a fetch that wraps this one can do the same again.
      text: { configurable: true, value: kept },
      json: { configurable: true, value: async () => JSON.parse(await kept()) },
      body: {
        configurable: true,
        get: () => {
          if (tapped === undefined) tapped = body === null ? null : tappedBody(body, exchange);
          return tapped;
        },
      },
    });
    return response;
  };
}

/** Hands the bytes on and adds their text to the exchange. */
function tappedBody(body: ReadableStream<Uint8Array>, exchange: Exchange): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  exchange.text = '';
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        exchange.text += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
      flush() {
        exchange.text += decoder.decode();
      },
    }),
  );
}

const SHOWN_HEADERS =
  /^(content-type|accept|user-agent|anthropic-version|anthropic-beta|http-referer|x-title|x-goog-api-client)$/;

async function sentRequest(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<WireRequest> {
  const request = input instanceof Request ? input : undefined;
  const headers: Record<string, string> = {};
  new Headers(init?.headers ?? request?.headers).forEach((value, name) => {
    if (SHOWN_HEADERS.test(name)) headers[name] = value;
  });
  const body =
    typeof init?.body === 'string' ? init.body : request === undefined ? '' : await request.clone().text();
  return {
    method: init?.method ?? request?.method ?? 'GET',
    url: urlWithoutSecrets(request?.url ?? String(input)),
    headers,
    body,
  };
}

function urlWithoutSecrets(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.username = '';
    parsed.password = '';
    for (const name of [...parsed.searchParams.keys()]) {
      if (/key|token|secret|auth|sig/i.test(name)) parsed.searchParams.set(name, '[redacted]');
    }
    return parsed.toString();
  } catch {
    return '[unreadable URL]';
  }
}

/**
 * What a captured exchange adds to `metadata`: `_raw`, the decoded body (for a stream the list of its decoded
 * events), and `_wire`, the request. Nothing when `exchange` is undefined, that is when capture is off.
 */
export function exchangeMetadata(
  options: CallOptions,
  exchange: Exchange | undefined,
  secrets: readonly string[],
  existing?: Metadata,
): Metadata | undefined {
  if (exchange === undefined) return existing;
  const metadata =
    exchange.text === undefined
      ? existing
      : rawResponseMetadata(options, decodedBody(exchange, secrets), existing);
  if (exchange.request === undefined) return metadata;
  const { url, body } = exchange.request;
  return {
    ...metadata,
    _wire: { ...exchange.request, url: blackOut(url, secrets), body: blackOut(body, secrets) },
  };
}

/** JSON as parsed; a stream as the list of its decoded events; anything else as text. */
function decodedBody(exchange: Exchange, secrets: readonly string[]): unknown {
  const text = blackOut(exchange.text ?? '', secrets);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A stream may consist of one line, which is then no body of its own; a failure is.
  if (exchange.contentType?.includes('ndjson') && (exchange.status ?? 200) < 400) return lines.map(decoded);
  // An error may come as plain JSON under the content type of the stream that was asked for.
  const whole = decoded(text);
  if (whole !== text) return whole;
  if (exchange.contentType?.includes('text/event-stream')) return serverSentData(text).map(decoded);
  if (text.trim() === '') return text;
  return lines.length > 1 && lines.some((line) => line.startsWith('data:'))
    ? serverSentData(text).map(decoded)
    : lines.every((line) => decoded(line) !== line)
      ? lines.map(decoded)
      : text;
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The data of each server-sent event, `[DONE]` and comments left out. */
function serverSentData(text: string): string[] {
  const events: string[] = [];
  for (const block of text.replace(/^\uFEFF/, '').split(/\r\n\r\n|\n\n|\r\r/)) {
    const data = block
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => (line[5] === ' ' ? line.slice(6) : line.slice(5)))
      .join('\n');
    if (data !== '' && data !== '[DONE]') events.push(data);
  }
  return events;
}
