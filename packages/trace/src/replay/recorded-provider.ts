import type { ErrorStep, ResponseStep } from '@glassloop/core';
import { type Difference, differencesBetween } from '../diff/difference.ts';

type Outcome = ResponseStep | ErrorStep;

/** Serves recorded bodies in place of a provider, to whatever calls its `fetch`. */
export class RecordedProvider {
  #current: ServedExchange | undefined;

  /** What the next call is answered with. */
  serve(outcome: Outcome): ServedExchange {
    this.#current = new ServedExchange(outcome);
    return this.#current;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    if (this.#current === undefined)
      throw new TypeError('fetch failed: nothing was recorded for this request');
    return this.#current.answer(input, init);
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export class ServedExchange {
  readonly #outcome: Outcome;
  #sent: Sent | undefined;

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
  }

  async answer(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const request = input instanceof Request ? input : undefined;
    const body = typeof init?.body === 'string' ? init.body : await request?.clone().text();
    this.#sent = sentAs(init?.method ?? request?.method ?? 'GET', request?.url ?? String(input), body ?? '');
    return recordedResponse(this.#outcome);
  }

  /** What was sent now and what was sent then; the host and the headers do not count. */
  differences(): readonly Difference[] {
    const wire = this.#outcome.metadata?.['_wire'] as Record<string, unknown> | undefined;
    if (this.#sent === undefined || typeof wire !== 'object' || wire === null) return [];
    const recorded = sentAs(String(wire['method']), String(wire['url']), String(wire['body']));
    return differencesBetween(recorded, this.#sent);
  }
}

function sentAs(method: string, url: string, body: string): Sent {
  let path = url;
  try {
    const { pathname, searchParams } = new URL(url);
    for (const name of [...searchParams.keys()])
      if (/key|token|secret|auth|sig/i.test(name)) searchParams.delete(name);
    path = searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
  } catch {
    // Compared as it is.
  }
  try {
    return { method, path, body: JSON.parse(body) };
  } catch {
    return { method, path, body };
  }
}

/** The recorded body as a provider would send it: whole as JSON, a list of events as the stream it was decoded from. */
function recordedResponse(outcome: Outcome): Response {
  const { raw } = outcome;
  const status = outcome.kind === 'error' ? (outcome.status ?? 200) : 200;
  const headers = new Headers();
  if (outcome.kind === 'error') {
    // What was tried again then may be tried again now, at once.
    if (outcome.retryInMs !== undefined) headers.set('retry-after-ms', '0');
    if (outcome.requestId !== undefined) {
      headers.set('x-request-id', outcome.requestId);
      headers.set('request-id', outcome.requestId);
    }
  }
  if (!Array.isArray(raw)) {
    headers.set('content-type', typeof raw === 'string' ? 'text/plain' : 'application/json');
    return new Response(typeof raw === 'string' ? raw : JSON.stringify(raw), { status, headers });
  }
  const isLines = raw.some((event) => isOllamaEvent(event));
  headers.set('content-type', isLines ? 'application/x-ndjson' : 'text/event-stream');
  const isBroken = outcome.kind === 'error' && outcome.code === 'network';
  const pieces = raw.map((event) => (isLines ? `${textOf(event)}\n` : eventText(event)));
  if (!isLines && !isBroken && raw.some(isChatCompletionsEvent)) pieces.push('data: [DONE]\n\n');
  return new Response(streamOf(pieces, isBroken), { status: status >= 400 ? 200 : status, headers });
}

/** Pieces as bytes; broken off at the end if the recorded connection was. */
function streamOf(pieces: readonly string[], isBroken: boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      if (next < pieces.length) controller.enqueue(encoder.encode(pieces[next++]));
      else if (isBroken) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
}

function textOf(event: unknown): string {
  return typeof event === 'string' ? event : JSON.stringify(event);
}

function eventText(event: unknown): string {
  const type = (event as { type?: unknown } | null)?.type;
  const name = typeof type === 'string' ? `event: ${type}\n` : '';
  return `${name}data: ${textOf(event).replaceAll('\n', '\ndata: ')}\n\n`;
}

/** Only Ollama streams lines of JSON, and only its pieces say whether they are the last. */
function isOllamaEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'done' in event && !('choices' in event);
}

function isChatCompletionsEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'choices' in event;
}
