import type { ErrorStep, ResponseStep } from '@glassloop/core';
import { type Difference, differencesBetween } from '../diff/difference.ts';
import { recordedBody } from '../recorded-body.ts';

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

class ServedExchange {
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
  const { contentType, pieces } = recordedBody(raw);
  headers.set('content-type', contentType);
  if (!Array.isArray(raw)) return new Response(pieces[0], { status, headers });
  const isBroken = outcome.kind === 'error' && outcome.code === 'network';
  const sent = isBroken ? pieces.filter((piece) => piece !== 'data: [DONE]\n\n') : pieces;
  return new Response(streamOf(sent, isBroken), { status: status >= 400 ? 200 : status, headers });
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
