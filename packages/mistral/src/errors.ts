import { AdapterError, adapterErrorFor, blackOut, excerpt, networkFailure } from '@glassloop/core/adapter';
import { contentText, firstChoice } from './from-response.ts';
import { asObject, parsed } from './json.ts';

type Wire = Readonly<Record<string, unknown>>;

/** An answer with an error status. The API has three shapes of body for it; a proxy in between sends any text. */
export function statusFailure(
  status: number,
  headers: Headers,
  text: string,
  secrets: readonly string[],
): AdapterError {
  const body = asObject(parsed(text));
  const detail = failureIn(body) ?? { message: undefined, words: [] };
  return adapterErrorFor({
    provider: 'mistral',
    status,
    message: detail.message ?? text,
    words: detail.words,
    headers: correlated(headers),
    secrets,
  });
}

/**
 * The chat completion in a decoded body, or in one event of a stream. Throws for an error in it, and for everything
 * that is no chat completion.
 */
export function completionIn(value: unknown, text: string, secrets: readonly string[]): Wire {
  const body = asObject(value);
  const choices = body?.['choices'];
  const detail = Array.isArray(choices) ? failureOf(body?.['error']) : failureIn(body);
  if (detail !== undefined) {
    throw adapterErrorFor({ provider: 'mistral', status: statusOf(detail.words), ...detail, secrets });
  }
  if (body === undefined || !Array.isArray(choices)) {
    const said =
      text.trim() === '' ? 'the answer is empty' : `the answer is no chat completion: ${excerpt(text)}`;
    throw new AdapterError('bad_response', blackOut(`mistral: ${said}`, secrets));
  }
  const choice = firstChoice(body);
  if (choice?.['finish_reason'] === 'error') {
    const partial = contentText(asObject(choice['message'])?.['content']);
    throw new AdapterError('unavailable', 'mistral: the model stopped with an error', {
      ...(partial === '' ? {} : { partial }),
    });
  }
  return body;
}

/** A whole answer, which unlike an event of a stream has to hold a message. */
export function wholeCompletion(text: string, secrets: readonly string[]): Wire {
  const body = completionIn(parsed(text), text, secrets);
  if (asObject(firstChoice(body)?.['message']) !== undefined) return body;
  throw new AdapterError(
    'bad_response',
    blackOut(`mistral: an answer without a message: ${excerpt(text)}`, secrets),
  );
}

/** Whatever the SDK or the connection threw, as an AdapterError of our own. */
export function toAdapterError(error: unknown, secrets: readonly string[]): AdapterError {
  if (error instanceof AdapterError) return error;
  const network = networkFailure('mistral', error, secrets);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : String(error);
  const said = blackOut(excerpt(message.replace(/\/\/[^/@\s]*@/g, '//')), secrets);
  return new AdapterError('network', `mistral: the call failed: ${said}`);
}

interface Detail {
  readonly message: string | undefined;
  readonly words: readonly unknown[];
}

function failureIn(body: Wire | undefined): Detail | undefined {
  return (
    failureOf(body?.['error']) ??
    failureOf(body?.['detail']) ??
    (isFailure(body) ? failureOf(body) : undefined)
  );
}

function isFailure(body: Wire | undefined): boolean {
  return (
    body?.['object'] === 'error' || (typeof body?.['message'] === 'string' && body['choices'] === undefined)
  );
}

/** `{ message, type, code }`, a text, or the list of what is wrong with each field of the request. */
function failureOf(value: unknown): Detail | undefined {
  if (typeof value === 'string') return { message: value, words: [] };
  if (Array.isArray(value)) {
    const faults = value.map(asObject).map((fault) => {
      const path = Array.isArray(fault?.['loc']) ? `${fault['loc'].join('.')}: ` : '';
      return `${path}${String(fault?.['msg'] ?? 'not valid')}`;
    });
    return { message: faults.join('; '), words: [] };
  }
  const error = asObject(value);
  if (error === undefined) return undefined;
  const message = error['message'];
  const nested = asObject(message) ?? (Array.isArray(message) ? { detail: message } : undefined);
  return {
    message:
      typeof message === 'string'
        ? message
        : (failureOf(nested?.['detail'])?.message ?? JSON.stringify(error)),
    words: [error['type'], error['code']],
  };
}

/** A code that is an HTTP status; other codes of this API have four digits. */
function statusOf(words: readonly unknown[]): number | undefined {
  return words.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
}

/** The headers with the request id under the name that all providers share. */
function correlated(headers: Headers): Headers {
  const id = headers.get('mistral-correlation-id');
  if (id === null || headers.has('x-request-id')) return headers;
  const named = new Headers(headers);
  named.set('x-request-id', id);
  return named;
}
