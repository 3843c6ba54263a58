import { describe, expect, it } from 'vitest';
import { AdapterError } from '../adapter/adapter-error.ts';
import { completionIn, toAdapterError } from './errors.ts';

const thrownBy = (call: () => unknown): AdapterError => {
  try {
    call();
  } catch (error) {
    return error as AdapterError;
  }
  throw new Error('nothing was thrown');
};

describe('completionIn', () => {
  it('lets an answer through as it is, also when it comes as text', () => {
    const body = { choices: [{ message: { content: 'x' } }] };
    expect(completionIn('acme', body, [])).toBe(body);
    expect(completionIn('acme', JSON.stringify(body), [])).toEqual(body);
  });

  it.each([undefined, null, '', [], {}, 7, '<html>', { choices: [] }, { choices: [{}] }])(
    'refuses %j as no completion',
    (body) => {
      const error = thrownBy(() => completionIn('acme', body, []));
      expect(error).toMatchObject({ code: 'bad_response' });
      expect(error.message).toMatch(/^acme: /);
    },
  );

  it.each([
    [{ error: { code: 429, message: 'slow' } }, 'rate_limited', 'slow'],
    [{ error: 'a sentence' }, 'bad_response', 'a sentence'],
    [{ error: { error: { message: 'nested', type: 'server_error' } } }, 'unavailable', 'nested'],
    [{ error: { message: { detail: 'object' } } }, 'bad_response', '{"detail":"object"}'],
  ])('reads the error in %j', (body, code, text) => {
    const error = thrownBy(() => completionIn('acme', body, []));
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });
});

describe('toAdapterError', () => {
  const headers = new Headers({ 'retry-after': '2', 'x-request-id': 'r1' });

  it('reads status, headers and error of an SDK error, and keeps nothing of it', () => {
    const thrown = Object.assign(new Error('429 secret-key body'), {
      status: 429,
      headers,
      error: { message: 'slow, secret-key' },
    });
    const error = toAdapterError('acme', thrown, ['secret-key'], { partial: 'so far' });
    expect(error).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 2000,
      requestId: 'r1',
      partial: 'so far',
      message: 'acme (HTTP 429): slow, [redacted]',
    });
    expect(error.cause).toBeUndefined();
  });

  it.each([
    ['502 <html>Bad gateway</html>', 'acme (HTTP 502): <html>Bad gateway</html>'],
    ['502 status code (no body)', 'acme (HTTP 502): the provider gave no reason'],
  ])('without an error object %j says what is left', (message, expected) => {
    const thrown = Object.assign(new Error(message), { status: 502, headers });
    expect(toAdapterError('acme', thrown, []).message).toBe(expected);
  });

  it.each([
    [new SyntaxError('Unexpected token'), 'bad_response'],
    [new Error('Request timed out.'), 'timeout'],
    [Object.assign(new Error('Connection error.'), { cause: { code: 'ECONNREFUSED' } }), 'network'],
    [new TypeError('terminated'), 'network'],
    [new Error('something else'), 'bad_response'],
    [undefined, 'bad_response'],
  ])('%s is %s', (thrown, code) => {
    expect(toAdapterError('acme', thrown, [])).toMatchObject({ name: 'AdapterError', code });
  });

  it('an AdapterError keeps what it says and gets what it lacks', () => {
    const first = new AdapterError('timeout', 'late', { partial: 'own' });
    const error = toAdapterError('acme', first, [], { partial: 'other', metadata: { a: 1 } });
    expect(error).toMatchObject({ code: 'timeout', message: 'late', partial: 'own', metadata: { a: 1 } });
  });
});
