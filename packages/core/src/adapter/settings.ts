import { isPlainObject, shown } from '../check.ts';
import type { AdapterSettings } from './adapter.ts';
import { AdapterError } from './adapter-error.ts';
import { DEFAULT_TIMEOUT_MS } from './call-within.ts';

/** Settings after checking; what must never be shown is listed in `secrets`. */
export interface CheckedSettings {
  readonly model: string;
  /** '' for a provider without keys. */
  readonly apiKey: string;
  readonly baseURL: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch | undefined;
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
}

/**
 * Checks the settings of an adapter factory and finds the key: the given one, else the provider's own variable.
 * Throws TypeError for wrong settings, AdapterError "auth" for a missing key.
 */
export function checkSettings(
  provider: string,
  settings: AdapterSettings,
  /** The environment variable of the key; undefined for a provider that needs none. */
  keyVariable: string | undefined,
): CheckedSettings {
  const wrong = (what: string, value: unknown): never => {
    throw new TypeError(`${provider}(): ${what}; got ${shown(value)}.`);
  };
  if (!isPlainObject(settings)) wrong('expected settings, at least { model }', settings);
  const { model, baseURL, headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS } = settings;
  if (typeof model !== 'string' || model.trim() === '') wrong('model must be a model id', model);
  if (settings.apiKey !== undefined && typeof settings.apiKey !== 'string') {
    throw new TypeError(`${provider}(): apiKey must be a text.`);
  }
  if (baseURL !== undefined && !isHttpUrl(baseURL)) wrong('baseURL must be an http(s) URL', baseURL);
  if (baseURL !== undefined && hasCredentials(baseURL)) {
    // Not shown: fetch refuses such a URL, and quotes it.
    throw new TypeError(`${provider}(): baseURL must hold no user and password; pass apiKey, or a header.`);
  }
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    wrong(`timeoutMs must be a number of milliseconds from 1 to ${LONGEST_TIMER_MS}`, timeoutMs);
  }
  if (settings.fetch !== undefined && typeof settings.fetch !== 'function') {
    wrong('fetch must be a function', settings.fetch);
  }
  if (!isPlainObject(headers)) wrong('headers must be an object of texts', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/.test(name))
      wrong('a header name may hold no blanks or separators', name);
    if (typeof value !== 'string' || /[\r\n\0]/.test(value)) {
      // The value may be a secret, so it is not shown.
      throw new TypeError(`${provider}(): header "${name}" must be a text on one line.`);
    }
  }
  const apiKey = (
    settings.apiKey ??
    (keyVariable === undefined ? '' : environment(keyVariable)) ??
    ''
  ).trim();
  if (keyVariable !== undefined && apiKey === '') {
    throw new AdapterError('auth', `${provider}: no API key`, {
      hint: `Set ${keyVariable} in the environment, or pass apiKey.`,
    });
  }
  if (/[\r\n\0]/.test(apiKey)) throw new TypeError(`${provider}(): apiKey must be on one line.`);
  const secrets = [
    apiKey,
    ...Object.entries(headers).flatMap(([name, value]) =>
      SECRET_HEADER.test(name) ? [value, value.replace(/^\S+\s+/, '')] : [],
    ),
  ];
  return {
    model: model.trim(),
    apiKey,
    baseURL,
    headers,
    fetch: settings.fetch,
    timeoutMs,
    secrets: secrets.filter((secret) => secret !== ''),
  };
}

/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const SECRET_HEADER = /authorization|cookie|token|secret|key/i;

function isHttpUrl(value: unknown): boolean {
  try {
    return typeof value === 'string' && /^https?:$/.test(new URL(value).protocol);
  } catch {
    return false;
  }
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function environment(name: string): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
}
