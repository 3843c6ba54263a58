import {
  AdapterError,
  type AdapterErrorFacts,
  adapterErrorFor,
  blackOut,
  excerpt,
  networkFailure,
} from '@glassloop/core/adapter';
import { isObject } from './content.ts';

const PROVIDER = 'anthropic';

/** What the call knows of its own failure, whatever failed. */
export interface FailureFacts {
  readonly secrets: readonly string[];
  readonly partial?: string | undefined;
  readonly metadata?: AdapterErrorFacts['metadata'];
}

/** Anything thrown in a call → a fresh AdapterError; the thrown value itself is not kept. */
export function toAdapterError(error: unknown, { secrets, ...facts }: FailureFacts): AdapterError {
  if (error instanceof AdapterError) return error.with(facts);
  if (!isObject(error)) return unreadable(String(error), secrets, facts);
  const name = error['name'];
  // The SDK keeps no cause of this one; it stands for Node's own limit on waiting for the first byte.
  const failed = name === 'APIConnectionTimeoutError' ? { code: 'UND_ERR_HEADERS_TIMEOUT' } : error;
  if (typeof error['status'] === 'number' || isObject(error['error']))
    return fromStatus(error, secrets, facts);
  if (name === 'SyntaxError') return unreadable('the answer is not the JSON it should be', secrets, facts);
  const network = networkFailure(PROVIDER, failed, secrets);
  if (network !== undefined) return network.with(facts);
  if (name === 'TypeError') {
    return new AdapterError('invalid_request', said(String(error['message']), secrets), {
      hint: 'The request could not be written as JSON; check providerOptions and headers.',
      ...facts,
    });
  }
  return unreadable(`the call failed: ${String(error['message'] ?? name)}`, secrets, facts);
}

/** The error a body or an event carries in place of an answer; undefined if it carries none. */
export function errorInBody(
  body: unknown,
  secrets: readonly string[],
  headers?: Headers,
): AdapterError | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (body['type'] !== 'error' && (error === undefined || error === null || Array.isArray(body['content'])))
    return undefined;
  return adapterErrorFor({ provider: PROVIDER, ...reasonIn(body), headers, secrets });
}

/** A 200 answer that is none: a page, a list, nothing. */
export function notAnAnswer(body: unknown, secrets: readonly string[]): AdapterError {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return unreadable(
    text.trim() === '' ? 'the answer is empty' : `the answer is not a message: ${text.trim()}`,
    secrets,
    {},
  );
}

function fromStatus(
  error: Record<string, unknown>,
  secrets: readonly string[],
  facts: AdapterErrorFacts,
): AdapterError {
  const { status, error: body, headers } = error;
  const reason = isObject(body) ? reasonIn(body) : { message: messageWithoutStatus(error), words: [] };
  return adapterErrorFor(
    {
      provider: PROVIDER,
      status: typeof status === 'number' ? status : undefined,
      ...reason,
      headers: headers instanceof Headers ? headers : undefined,
      secrets,
    },
    { ...facts, hint: status === 401 ? KEY_HINT : undefined },
  );
}

const KEY_HINT = 'Check the API key: ANTHROPIC_API_KEY in the environment, or the apiKey setting.';

function reasonIn(body: Record<string, unknown>): { message: string | undefined; words: readonly unknown[] } {
  const inner = body['error'];
  if (!isObject(inner))
    return { message: typeof inner === 'string' ? inner : textOf(body['message']), words: [] };
  const message = textOf(inner['message']);
  const type = inner['type'];
  return { message, words: [type, inner['code'], ...impliedWords(type, message)] };
}

/** Words of the shared table for what this provider says in prose, or by a type that a stream sends without a status. */
function impliedWords(type: unknown, message = ''): readonly string[] {
  if (type === 'api_error' || type === 'timeout_error') return ['server_error'];
  if (/credit balance/i.test(message)) return ['billing'];
  if (/content filter/i.test(message)) return ['content_filter'];
  return [];
}

/** The SDK puts the status before a body that is not JSON. */
function messageWithoutStatus({ message }: Record<string, unknown>): string | undefined {
  return textOf(message)?.replace(/^\d{3} (status code \(no body\)$)?/, '');
}

function unreadable(what: string, secrets: readonly string[], facts: AdapterErrorFacts): AdapterError {
  return new AdapterError('bad_response', said(what, secrets), facts);
}

function said(what: string, secrets: readonly string[]): string {
  return blackOut(`${PROVIDER}: ${excerpt(what)}`, secrets);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
