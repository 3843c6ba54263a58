import type { RunStep } from '@glassloop/core';
import { visible } from './text.ts';

/** A request as it was sent, recorded with raw capture. */
interface Wire {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request behind an answer or a failure; undefined when it was not captured. */
export function wireOf(step: RunStep): Wire | undefined {
  if (step.kind !== 'response' && step.kind !== 'error') return undefined;
  const wire = step.metadata?.['_wire'] as Partial<Wire> | null | undefined;
  if (typeof wire !== 'object' || wire === null || typeof wire.url !== 'string') return undefined;
  const { method = 'POST', url, headers, body } = wire;
  return {
    method: String(method),
    url,
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)])),
    body: typeof body === 'string' ? body : '',
  };
}

/** Method, address, headers, and the body with a field on each line. */
export function wireLines({ method, url, headers, body }: Wire): string[] {
  return [
    `${visible(method)} ${visible(url)}`,
    ...Object.entries(headers).map(([name, value]) => `${visible(name)}: ${visible(value)}`),
    '',
    ...visible(indented(body)).split('\n'),
  ];
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** How each provider is shown the key; where none is named, as a bearer token. */
const KEY_HEADERS: { readonly [adapter: string]: string | undefined } = {
  anthropic: 'x-api-key: $KEY',
  google: 'x-goog-api-key: $KEY',
};

/**
 * A command for a POSIX shell that sends the same request; `$KEY` stands for the key. The body is as it was sent, byte
 * for byte: it is quoted, not formatted.
 */
export function curlCommand({ method, url, headers, body }: Wire, adapter: string | undefined): string {
  const key = KEY_HEADERS[adapter ?? ''] ?? 'authorization: Bearer $KEY';
  const streams = /"stream"\s*:\s*true/.test(body) || url.includes('alt=sse');
  const parts = [
    `curl${streams ? ' --no-buffer' : ''} --request ${quoted(method)} ${quoted(url)}`,
    // In double quotes, so that the shell puts the key in.
    `  --header "${key}"`,
    ...Object.entries(headers).map(([name, value]) => `  --header ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`  --data-raw ${quoted(body)}`]),
  ];
  return parts.join(' \\\n');
}

/** One word for a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
