import {
  AdapterError,
  type AdapterErrorFacts,
  adapterErrorFor,
  excerpt,
  type Metadata,
  networkFailure,
} from '@glassloop/core/adapter';
import { isObject, type Part } from './parts.ts';

/** What else is known of the failed call. */
export interface FailureFacts {
  readonly secrets: readonly string[];
  /** Response headers, known only when the call had a fetch of its own. */
  readonly headers?: Headers | undefined;
  /** What that fetch threw; the SDK keeps only its message. */
  readonly cause?: unknown;
  /** Text received before a stream failed. */
  readonly partial?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** Whatever a call threw → a fresh AdapterError. */
export function toAdapterError(error: unknown, facts: FailureFacts): AdapterError {
  const { secrets, partial, metadata } = facts;
  if (error instanceof AdapterError) return error.with({ partial: error.partial ?? partial, metadata });
  const { status, errorDetails } = isObject(error) ? error : {};
  if (typeof status === 'number') {
    const message = providerText(error as Part);
    return providerError({ code: status, message, details: errorDetails }, facts);
  }
  const said = error instanceof Error ? error.message : '';
  if (error instanceof SyntaxError || /Failed to parse stream|Error parsing JSON response/.test(said)) {
    return badResponse('the answer was not what generateContent sends', facts);
  }
  if (/^\[GoogleGenerativeAI Error\]: Error fetching from /.test(said)) {
    const failure = networkFailure('google', facts.cause ?? error, secrets);
    return (failure ?? new AdapterError('network', 'google: the connection failed')).with({
      partial,
      metadata,
    });
  }
  const broken = networkFailure('google', error, secrets);
  return broken === undefined
    ? badResponse('the answer could not be read', facts)
    : broken.with({ partial, metadata });
}

/** An `error` object as Google sends it, by HTTP status, in a body or in the middle of a stream. */
export function providerError(error: unknown, facts: FailureFacts): AdapterError {
  const { code, message, status, details } = unwrapped(isObject(error) ? error : { message: error });
  const httpStatus = typeof code === 'number' && code >= 100 ? code : undefined;
  const list = Array.isArray(details) ? details.filter(isObject) : [];
  const words = [status, code, ...list.map((detail) => detail['reason'])];
  const said = typeof message === 'string' ? message : undefined;
  // The SDK drops the status word, and Google words a limit per minute like a missing payment.
  if (httpStatus === 429 && !/credit|prepa(id|y)/i.test(said ?? '')) words.push('RESOURCE_EXHAUSTED');
  return adapterErrorFor(
    {
      provider: 'google',
      status: httpStatus,
      message: said,
      words,
      headers: facts.headers,
      secrets: facts.secrets,
    },
    { retryAfterMs: retryDelayMs(list), partial: facts.partial, metadata: facts.metadata },
  );
}

export function badResponse(what: string, { partial, usage, metadata }: AdapterErrorFacts): AdapterError {
  return new AdapterError('bad_response', `google: ${excerpt(what)}`, { partial, usage, metadata });
}

/** The provider's sentence out of the SDK's: "[…]: Error fetching from URL: [400 Bad Request] sentence [details]". */
function providerText({ message, statusText, status, errorDetails }: Part): string {
  if (typeof message !== 'string') return '';
  const head = `: [${status} ${statusText}] `;
  const start = message.indexOf(head);
  const text = start === -1 ? message : message.slice(start + head.length);
  const tail = errorDetails === undefined ? '' : ` ${JSON.stringify(errorDetails)}`;
  const said = text.endsWith(tail) ? text.slice(0, text.length - tail.length) : text;
  // What the SDK prints when the body had no message.
  return said === 'undefined' ? '' : said;
}

/** Some gateways put the whole error body, as JSON, into `message`, even twice. */
function unwrapped(error: Part): Part {
  let inner = error;
  for (let depth = 0; depth < 3; depth++) {
    const { message } = inner;
    if (typeof message !== 'string' || !/^\s*[[{]/.test(message)) break;
    let value: unknown;
    try {
      value = JSON.parse(message);
    } catch {
      break;
    }
    const body: unknown = Array.isArray(value) ? value[0] : value;
    const next = isObject(body) ? (body['error'] ?? body) : undefined;
    if (!isObject(next) || next['message'] === undefined) break;
    inner = { ...inner, ...next };
  }
  return inner;
}

/** Google has no Retry-After header; it says the wait in a RetryInfo detail, like `"retryDelay": "30s"`. */
function retryDelayMs(details: readonly Part[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined;
    if (seconds !== undefined) return Math.min(Math.round(Number(seconds) * 1000), 86_400_000);
  }
  return undefined;
}
