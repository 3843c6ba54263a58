import type { RecordedExchange, RecordedProvider } from './exchange.ts';

/** The part of HAR 1.2 that is read: what browsers and proxies export. */
export interface Har {
  readonly log: { readonly entries: readonly HarEntry[] };
}

export interface HarEntry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers?: readonly HarPair[];
    readonly postData?: { readonly text?: string; readonly encoding?: string };
  };
  readonly response: {
    readonly status: number;
    readonly headers?: readonly HarPair[];
    readonly content: { readonly text?: string; readonly encoding?: string; readonly mimeType?: string };
  };
}

interface HarPair {
  readonly name: string;
  readonly value: string;
}

/**
 * Exchanges out of a HAR export: the POST requests to the provider's chat endpoints, in order. `expected` is null, as
 * nobody has said what is right; raw capture and errors can be checked all the same.
 *
 * Secrets stay out: of the headers only rate limits and retry times are kept, key parameters are dropped from the
 * query, and in bodies every key that was seen in a header or the query, and whatever has the shape of a key, becomes
 * `[redacted]`. Look at the result before you share it: what people wrote in prompts is still there.
 */
export function exchangesFromHar(
  har: Har,
  { provider }: { readonly provider: RecordedProvider },
): RecordedExchange[] {
  const entries = har?.log?.entries;
  if (!Array.isArray(entries)) {
    throw new TypeError('exchangesFromHar: expected the JSON of a HAR file, with log.entries.');
  }
  return (entries as readonly HarEntry[])
    .filter(({ request }) => request.method === 'POST' && isChat(new URL(request.url).pathname))
    .map((entry, index) => exchangeOf(entry, provider, index + 1));
}

function exchangeOf(
  { request, response }: HarEntry,
  provider: RecordedProvider,
  number: number,
): RecordedExchange {
  const url = new URL(request.url);
  const secrets = secretsIn(request.headers ?? [], url);
  const bodyText = scrubbed(decodedText(response.content), secrets);
  const requestText = scrubbed(decodedText(request.postData ?? {}), secrets);
  const contentType =
    headerIn(response.headers ?? [], 'content-type') ?? (response.content.mimeType || undefined) ?? null;
  const framing = framingOf(contentType, bodyText, url.pathname);
  const query = Object.fromEntries([...url.searchParams].filter(([name]) => !SECRET_NAME.test(name)));
  const headers = Object.fromEntries(
    (response.headers ?? [])
      .filter(({ name }) => KEPT_HEADER.test(name))
      .map(({ name, value }) => [name.toLowerCase(), value]),
  );
  return {
    id: `${provider}-har-${number}`,
    provider,
    kind: [
      ...(framing === 'json' || framing === 'text' ? [] : ['stream']),
      ...(response.status >= 400 ? ['error', `error_${response.status}`] : []),
    ],
    conversation: null,
    request: {
      method: request.method,
      path: url.pathname,
      ...(Object.keys(query).length > 0 && { query }),
      body: parsed(requestText) ?? null,
    },
    response: {
      status: response.status,
      contentType,
      ...(Object.keys(headers).length > 0 && { headers }),
      framing,
      fidelity: 'exact',
      bodyText,
    },
    expected: null,
  };
}

function isChat(path: string): boolean {
  return /\/(chat\/completions|messages|api\/chat)$|:(generateContent|streamGenerateContent)$/.test(path);
}

function framingOf(
  contentType: string | null,
  bodyText: string,
  path: string,
): RecordedExchange['response']['framing'] {
  if (contentType?.includes('text/event-stream')) return 'sse';
  if (contentType?.includes('ndjson')) return 'ndjson';
  if (parsed(bodyText) === undefined) return 'text';
  return path.endsWith(':streamGenerateContent') && bodyText.trimStart().startsWith('[')
    ? 'json-array'
    : 'json';
}

function decodedText({
  text = '',
  encoding,
}: {
  readonly text?: string;
  readonly encoding?: string;
}): string {
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}

function headerIn(headers: readonly HarPair[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const KEPT_HEADER = /^(x-ratelimit-|anthropic-ratelimit-|ratelimit-|retry-after|x-should-retry)/i;
const SECRET_NAME = /key|token|secret|auth|sig|cookie|session/i;

/** Keys as the providers and their neighbours print them, and signed tokens. */
const KEY_SHAPE =
  /\b(?:sk-(?:ant-|or-|proj-)?[\w-]{16,}|gsk_\w{16,}|xai-\w{16,}|hf_\w{16,}|AIza[\w-]{30,}|AQ\.[\w-]{20,}|ya29\.[\w-]{20,}|gh[pousr]_\w{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})|(?<=Bearer\s)[\w.~+/-]{16,}/g;

function secretsIn(headers: readonly HarPair[], url: URL): string[] {
  const values = [
    ...headers.filter(({ name }) => SECRET_NAME.test(name)).map(({ value }) => value),
    ...[...url.searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value),
    url.password,
  ];
  // A cookie header holds several values; an authorization header has a word before its own.
  return values
    .flatMap((value) => [value, ...value.split(/[;\s]+/).map((part) => part.slice(part.indexOf('=') + 1))])
    .filter((value) => value.length >= 8)
    .sort((a, b) => b.length - a.length);
}

function scrubbed(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, '[redacted]');
  return clean.replace(KEY_SHAPE, '[redacted]');
}
