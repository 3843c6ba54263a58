import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkSettings } from './settings.ts';

const KEY = 'KEY-SENTINEL-7f3a';
const check = (settings: object, variable: string | undefined = 'ACME_KEY') =>
  checkSettings('acme', { model: 'm', apiKey: KEY, ...settings } as never, variable);
const thrown = (settings: object) => {
  try {
    check(settings);
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

afterEach(() => vi.unstubAllEnvs());

describe('checkSettings', () => {
  it.each([
    [{ model: '' }, /acme\(\): model must be a model id; got ""/],
    [{ model: 7 }, /model must be a model id; got 7/],
    [{ baseURL: 'localhost:80' }, /baseURL must be an http\(s\) URL/],
    [{ baseURL: `http://me:${KEY}@host` }, /baseURL must hold no user and password/],
    [{ timeoutMs: 0 }, /timeoutMs must be a number of milliseconds/],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs/],
    [{ fetch: 'x' }, /fetch must be a function/],
    [{ headers: { 'a b': 'x' } }, /header name/],
    [
      { headers: { authorization: `Bearer ${KEY}\r\nx: y` } },
      /header "authorization" must be a text on one line/,
    ],
    [{ apiKey: `${KEY}\n${KEY}` }, /apiKey must be on one line/],
    [{ apiKey: { key: KEY } }, /apiKey must be a text/],
  ])('%j is refused, and shows no key', (settings, message) => {
    const error = thrown(settings);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
  });

  it('finds the key in its own variable only, and says which one is missing', () => {
    vi.stubEnv('ACME_KEY', ` ${KEY} `);
    vi.stubEnv('OTHER_KEY', 'other');
    expect(check({ apiKey: undefined }).apiKey).toBe(KEY);
    expect(check({ apiKey: 'given' }).apiKey).toBe('given');
    vi.stubEnv('ACME_KEY', '  ');
    expect(thrown({ apiKey: undefined })).toMatchObject({
      code: 'auth',
      hint: expect.stringContaining('ACME_KEY'),
    });
    expect(thrown({ apiKey: '' })).toMatchObject({ code: 'auth' });
  });

  it('lists what must never be shown: the key and credentials in headers', () => {
    const headers = { authorization: 'Bearer other-secret', 'x-api-key': 'third', 'x-team': 'blue' };
    expect(check({ headers }).secrets).toEqual([
      KEY,
      'Bearer other-secret',
      'other-secret',
      'third',
      'third',
    ]);
  });
});
