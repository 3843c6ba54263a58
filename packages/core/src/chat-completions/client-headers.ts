import type { CheckedSettings } from '../adapter/settings.ts';

/**
 * `defaultHeaders` for an SDK of the OpenAI family: the caller's headers, without authorization. A null removes a
 * header: those that the SDK would add from an environment variable, meant for another host, and the authorization
 * when there is no key.
 */
export function clientHeaders(
  { apiKey, headers }: Pick<CheckedSettings, 'apiKey' | 'headers'>,
  /** Where the SDK looks for further headers, one `name: value` per line. */
  environmentVariable: string,
): Record<string, string | null> {
  const result: Record<string, string | null> = {};
  for (const line of environment(environmentVariable).split('\n')) {
    const name = line.slice(0, Math.max(0, line.indexOf(':'))).trim();
    if (name !== '') result[name] = null;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'authorization') result[name] = value;
  }
  if (apiKey === '') result['authorization'] = null;
  return result;
}

function environment(name: string): string {
  return (
    (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] ?? ''
  );
}
