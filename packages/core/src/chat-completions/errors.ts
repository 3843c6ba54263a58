import {
  AdapterError,
  type AdapterErrorFacts,
  adapterErrorFor,
  networkFailure,
  type ProviderFailure,
} from '../adapter/adapter-error.ts';
import { isPlainObject } from '../check.ts';
import type { Wire } from './dialect.ts';
import { contentText, firstChoice } from './from-response.ts';

/** What a host said of a failure. */
export type Failure = Omit<ProviderFailure, 'provider' | 'secrets'>;

/**
 * The chat completion in what an SDK returned for a status 200. Throws an AdapterError for an error in the body or in
 * its first choice, and for everything that is no chat completion: SDKs hand out pages, null and errors alike.
 */
export function completionIn(provider: string, returned: unknown, secrets: readonly string[]): Wire {
  const body = typeof returned === 'string' ? parsed(returned) : returned;
  const choice = isPlainObject(body) ? firstChoice(body) : {};
  const message = isPlainObject(choice['message']) ? choice['message'] : undefined;
  const failure = failureIn(body, choice, message);
  if (failure === undefined) return body as Wire;
  const partial = contentText(message?.['content']);
  throw adapterErrorFor({ provider, secrets, ...failure }, partial === '' ? {} : { partial });
}

/** The value of JSON text; other text as it is. SDKs return text for JSON that came under another content type. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function failureIn(body: unknown, choice: Wire, message: Wire | undefined): Failure | undefined {
  const error = isPlainObject(body) ? (body['error'] ?? choice['error']) : undefined;
  if (error !== undefined && error !== null) return failureOf(error);
  if (choice['finish_reason'] === 'error') {
    return { message: 'the host ended its answer with an error', words: ['server_error'] };
  }
  if (message !== undefined) return undefined;
  const text = typeof body === 'string' ? body.trim() : body === undefined ? '' : JSON.stringify(body);
  return { message: text === '' ? 'the answer is empty' : `the answer is no chat completion: ${text}` };
}

/** An error object of a body (`{ message, code, type }`, also wrapped in `{ error }`), or a text. */
export function failureOf(error: unknown, status?: number, headers?: Headers): Failure {
  if (!isPlainObject(error))
    return { status, message: typeof error === 'string' ? error : undefined, headers };
  if (error['message'] === undefined && error['error'] !== undefined) {
    return failureOf(error['error'], status, headers);
  }
  const { code, type } = error;
  const metadata = isPlainObject(error['metadata']) ? error['metadata'] : {};
  const upstream = upstreamFailure(metadata['raw']);
  const words = [code, type, metadata['error_type'], ...(upstream?.words ?? [])];
  // A router's moderation says why it stopped a prompt, but has no code of its own for it.
  if (Array.isArray(metadata['reasons'])) words.push('moderation');
  const message = [
    textOf(error['message']),
    // A router's own sentence says little; who failed behind it, and with what words, says more.
    typeof metadata['provider_name'] === 'string' ? `(provider ${metadata['provider_name']})` : undefined,
    upstream?.message,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
  // Said with status 400 and no code that tells it from any other wrong request.
  if (/\b(invalid|not a valid) model id\b/i.test(message)) words.push('model_not_found');
  return { status: status ?? statusOf(code), message, words, headers };
}

/** What a router passes on of the host behind it: mostly that one's body, as text. */
function upstreamFailure(raw: unknown): Failure | undefined {
  if (typeof raw !== 'string' || raw.trim() === '') return undefined;
  const body = parsed(raw);
  const failure = isPlainObject(body) ? failureOf(body) : undefined;
  return { ...failure, message: failure?.message || raw };
}

function textOf(message: unknown): string | undefined {
  return message === undefined || typeof message === 'string' ? message : JSON.stringify(message);
}

/** A code that is an HTTP status, as a number or as text. */
function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

/**
 * What an SDK of the OpenAI family threw → a fresh AdapterError. Works on the shape of those errors (`status`,
 * `headers`, `error`), so it needs no SDK and any version will do. An AdapterError keeps what it says and gets `facts`.
 */
export function toAdapterError(
  provider: string,
  thrown: unknown,
  secrets: readonly string[],
  facts: AdapterErrorFacts = {},
): AdapterError {
  if (thrown instanceof AdapterError) return thrown.with(facts);
  const error: Wire = typeof thrown === 'object' && thrown !== null ? (thrown as Wire) : {};
  const { status, error: detail } = error;
  const headers = error['headers'] instanceof Headers ? error['headers'] : undefined;
  const said = typeof error['message'] === 'string' ? error['message'] : undefined;
  if (typeof status === 'number') {
    // Without an error object the SDK's message is the body, after the status.
    const failure = failureOf(
      detail ?? said?.replace(/^\d{3} (status code \(no body\))?/, ''),
      status,
      headers,
    );
    return adapterErrorFor({ provider, secrets, ...failure }, facts);
  }
  if (detail !== undefined && detail !== null) {
    return adapterErrorFor({ provider, secrets, ...failureOf(detail, undefined, headers) }, facts);
  }
  if (thrown instanceof SyntaxError) {
    return new AdapterError('bad_response', `${provider}: the answer is not valid JSON`, facts);
  }
  // The SDK replaces a timeout of the HTTP stack by an error of its own, without the cause.
  if (/^Request timed out/.test(said ?? '')) {
    return networkFailure(provider, { code: 'UND_ERR_HEADERS_TIMEOUT' }, secrets)!.with(facts);
  }
  const network = networkFailure(provider, thrown, secrets);
  if (network !== undefined) return network.with(facts);
  return adapterErrorFor({ provider, secrets, message: said }, facts);
}
