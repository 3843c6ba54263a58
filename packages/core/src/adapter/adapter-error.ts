import { defined } from '../check.ts';
import type { Usage } from '../usage.ts';
import type { Metadata } from './adapter.ts';

/**
 * What went wrong with a call. Codes are the contract, messages are prose.
 *
 * - `auth`: key missing, wrong or without rights · `billing`: no credit or quota left
 * - `invalid_request`: the provider refuses what was asked · `not_found`: no such model or address
 * - `rate_limited`: too much at once, later again · `context_exceeded`: the conversation is too long
 * - `content_filter`: the provider's policy stopped the prompt
 * - `timeout`: no answer in time · `network`: no connection, or it broke · `unavailable`: the provider is down or overloaded
 * - `bad_response`: the answer could not be read · `unsupported`: the adapter cannot send what was asked
 */
export type AdapterErrorCode =
  | 'auth'
  | 'billing'
  | 'invalid_request'
  | 'not_found'
  | 'rate_limited'
  | 'context_exceeded'
  | 'content_filter'
  | 'timeout'
  | 'network'
  | 'unavailable'
  | 'bad_response'
  | 'unsupported';

export interface AdapterErrorFacts {
  /** One sentence that says what to do. Default: the general advice for the code. */
  readonly hint?: string | undefined;
  /** HTTP status, or the status a provider names inside a body. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Text received before a stream failed. */
  readonly partial?: string | undefined;
  /** What the failed answer cost all the same, where the provider says so. */
  readonly usage?: Usage | undefined;
  /** `_raw` and `_wire` of the failed exchange, only when raw capture was asked for. */
  readonly metadata?: Metadata | undefined;
}

const BRAND = Symbol.for('glassloop.AdapterError');

const RETRYABLE: ReadonlySet<AdapterErrorCode> = new Set([
  'rate_limited',
  'unavailable',
  'network',
  'bad_response',
]);

const ADVICE: { readonly [code in AdapterErrorCode]: string } = {
  auth: 'Check the API key: is it set, valid, and allowed to use this model?',
  billing: 'Add credit, raise the quota, or ask for fewer output tokens.',
  invalid_request: "Read the provider's message, and look at the request in a trace.",
  not_found: 'Check the model id and the base URL.',
  rate_limited: 'Wait, or send fewer requests at once.',
  context_exceeded: 'Shorten the conversation or the tool results, or use a model with a larger window.',
  content_filter: 'Change the prompt, or the policy settings.',
  timeout: 'Raise timeoutMs, ask for a shorter answer, or stream.',
  network: 'Check the connection and the base URL.',
  unavailable: 'Try again later.',
  bad_response: 'Check the base URL, or try again.',
  unsupported: 'Leave the option out, or choose another model or adapter.',
};

/**
 * Every failure of an adapter's call. Made from named fields only: an SDK's error is never its `cause`, because
 * those hold keys and whole bodies. `instanceof` also holds for an error from another copy of core.
 */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly code: AdapterErrorCode;
  readonly hint: string;
  // `declare`: without it, unknown facts would be keys with the value undefined.
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly retryAfterMs?: number;
  declare readonly partial?: string;
  declare readonly usage?: Usage;
  declare readonly metadata?: Metadata;

  constructor(code: AdapterErrorCode, message: string, facts: AdapterErrorFacts = {}) {
    super(message);
    Object.assign(this, defined(facts));
    // Last, so that facts spread from another error do not bring its code along.
    this.code = code;
    this.hint = facts.hint ?? ADVICE[code];
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether the same request may succeed later. A timeout is not: it has already cost all the time there was. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }

  /** The same failure with more facts; what it already says stays. */
  with(facts: AdapterErrorFacts): AdapterError {
    const { name, code, ...own } = this;
    return new AdapterError(code, this.message, { ...facts, ...own });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** What a provider said of a failure, read out of its body or SDK error by the adapter. */
export interface ProviderFailure {
  /** The adapter's name, for the message. */
  readonly provider: string;
  readonly status?: number | undefined;
  /** The provider's own sentence. */
  readonly message?: string | undefined;
  /** The provider's own code, type or status word, as many as it has; they are matched as text. */
  readonly words?: readonly unknown[] | undefined;
  /** Response headers, for Retry-After and the request id. */
  readonly headers?: Headers | undefined;
  /** Texts to black out wherever they occur: the key. */
  readonly secrets: readonly string[];
}

/** One table from status, provider code and message to an AdapterError, the same for all providers. */
export function adapterErrorFor(failure: ProviderFailure, facts: AdapterErrorFacts = {}): AdapterError {
  const code = codeFor(failure);
  const said = failure.message?.trim();
  const status = failure.status === undefined ? '' : ` (HTTP ${failure.status})`;
  const message = `${failure.provider}${status}: ${said === undefined || said === '' ? 'the provider gave no reason' : excerpt(said)}`;
  return new AdapterError(code, blackOut(message, failure.secrets), {
    status: failure.status,
    retryAfterMs: failure.headers === undefined ? undefined : retryAfterMs(failure.headers),
    requestId: requestId(failure.headers),
    ...defined(facts),
  });
}

function codeFor({ status, message = '', words = [] }: ProviderFailure): AdapterErrorCode {
  const codes = words
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase();
  const said = message.toLowerCase();
  if (/content_?filter|content_policy|responsible_?ai|moderation/.test(codes)) return 'content_filter';
  if (/context_length|context_window|model_max_prompt|prompt_too_long/.test(codes) || CONTEXT.test(said)) {
    return 'context_exceeded';
  }
  if (/insufficient_(quota|funds|credits?)|billing|payment/.test(codes)) return 'billing';
  if (/invalid_api_key|api_key_invalid|authentication|unauthenticated|permission/.test(codes)) return 'auth';
  if (/rate_?limit|resource_exhausted|too_many/.test(codes)) return 'rate_limited';
  if (/overloaded|unavailable/.test(codes)) return 'unavailable';
  if (/not_found|(invalid|unknown)_model/.test(codes)) return 'not_found';
  switch (status) {
    case 401:
    case 403:
      return /credit|billing|quota/.test(said) && status === 403 ? 'billing' : 'auth';
    case 402:
      return 'billing';
    case 404:
      return 'not_found';
    case 408:
    case 504:
      return 'timeout';
    case 413:
      return 'context_exceeded';
    case 429:
      return /insufficient[_ ]quota|exceeded your current quota|billing/.test(said)
        ? 'billing'
        : 'rate_limited';
    case 409:
    case 425:
      return 'unavailable';
  }
  if (/api[_ ]key (not |is not |is in)valid|invalid[_ ](x-)?api[_ -]?key|incorrect api key/.test(said))
    return 'auth';
  if (status !== undefined && status >= 500) return 'unavailable';
  if (status !== undefined && status >= 400) return 'invalid_request';
  if (status !== undefined && status >= 300) return 'network';
  if (/server_?error|internal|upstream/.test(codes)) return 'unavailable';
  if (/invalid_request|invalid_argument|bad_request|validation/.test(codes)) return 'invalid_request';
  return 'bad_response';
}

const CONTEXT =
  /(maximum|max) (context|prompt|input) (length|size)|context (length|window|size)[^.]{0,40}(exceed|too|larger|limit)|exceed[^.]{0,60}(context|maximum number of (input )?tokens|token limit)|prompt is too long|input (token count[^.]*exceed|is too long)|too many (input )?tokens|too large for model/;

/** The longest wait that is taken seriously: a day. */
const LONGEST_WAIT_MS = 86_400_000;

/** The wait a provider asks for, from `retry-after-ms` or `retry-after` (seconds or a date), in milliseconds. */
export function retryAfterMs(headers: Headers): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (exact >= 0) return Math.min(exact, LONGEST_WAIT_MS);
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, LONGEST_WAIT_MS);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - Date.now()), LONGEST_WAIT_MS);
}

function requestId(headers: Headers | undefined): string | undefined {
  return headers?.get('x-request-id') ?? headers?.get('request-id') ?? undefined;
}

/** What a thrown value says of a broken connection: the codes and names along its chain of causes. */
export function networkFailure(
  provider: string,
  error: unknown,
  secrets: readonly string[],
): AdapterError | undefined {
  const words: string[] = [];
  let link: unknown = error;
  for (let depth = 0; depth < 6 && typeof link === 'object' && link !== null; depth++) {
    const { name, code, message, cause } = link as {
      name?: unknown;
      code?: unknown;
      message?: unknown;
      cause?: unknown;
    };
    for (const word of [name, code, message]) if (typeof word === 'string') words.push(word.slice(0, 300));
    link = cause;
  }
  const chain = words.join(' ');
  if (/HeadersTimeout|UND_ERR_HEADERS_TIMEOUT|BodyTimeout|UND_ERR_BODY_TIMEOUT/.test(chain)) {
    return new AdapterError('timeout', `${provider}: the HTTP stack gave up waiting for the answer`, {
      hint: 'Node waits at most 300 seconds for the first byte of an answer: stream (onDelta), or pass a fetch with a dispatcher that waits longer.',
    });
  }
  if (/ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|ConnectTimeout/.test(chain)) {
    return new AdapterError('network', `${provider}: no connection in time`);
  }
  const code =
    /E(CONN(REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)|UND_ERR_SOCKET|CERT_[A-Z_]+|[A-Z_]*SELF_SIGNED[A-Z_]*/.exec(
      chain,
    )?.[0];
  if (code === undefined && !/fetch failed|terminated|Connection error|network|socket|stream/i.test(chain))
    return undefined;
  return new AdapterError(
    'network',
    blackOut(
      `${provider}: ${code === undefined ? 'the connection failed' : `the connection failed (${code})`}`,
      secrets,
    ),
  );
}

const EXCERPT_LENGTH = 500;

/** At most 500 characters, copied so that the long original can be collected. */
export function excerpt(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  // A slice of a long string keeps the whole string alive in V8; going through bytes makes a real copy.
  const head = new TextDecoder().decode(new TextEncoder().encode(text.slice(0, EXCERPT_LENGTH)));
  return `${head}… (${text.length} characters)`;
}

/** Replaces every occurrence of each secret. */
export function blackOut(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  return clean;
}
