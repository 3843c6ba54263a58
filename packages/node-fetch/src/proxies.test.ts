import { expect, it } from 'vitest';
import { fixedProxy, proxiesFrom } from './proxies.ts';

const P = 'http://proxy.test:3128';
const through = (env: Record<string, string>, url: string) => proxiesFrom(env)(new URL(url))?.href;

it('takes the variable of the scheme, small letters first, a host without a scheme as http', () => {
  expect(through({ HTTPS_PROXY: P }, 'https://a.test')).toBe(`${P}/`);
  expect(through({ HTTPS_PROXY: P }, 'http://a.test')).toBeUndefined();
  expect(through({ HTTP_PROXY: P, http_proxy: 'other:1' }, 'http://a.test')).toBe('http://other:1/');
  expect(through({ HTTP_PROXY: '' }, 'http://a.test')).toBeUndefined();
  expect(through({}, 'https://a.test')).toBeUndefined();
});

it('does not take HTTP_PROXY where it may be a header of a request', () => {
  expect(through({ HTTP_PROXY: P, REQUEST_METHOD: 'GET' }, 'http://a.test')).toBeUndefined();
  expect(through({ http_proxy: P, REQUEST_METHOD: 'GET' }, 'http://a.test')).toBe(`${P}/`);
});

it.each([
  'http://localhost:11434',
  'http://127.0.0.1',
  'https://127.1.2.3',
  'http://[::1]:80',
  'http://a.localhost',
])('asks for %s itself', (url) => {
  expect(through({ HTTP_PROXY: P, HTTPS_PROXY: P }, url)).toBeUndefined();
  expect(fixedProxy(P)(new URL(url))).toBeUndefined();
});

it.each<[string, string, boolean]>([
  ['*', 'https://a.test', true],
  ['a.test', 'https://a.test', true],
  ['A.TEST', 'https://a.test', true],
  ['a.test', 'https://b.a.test', true],
  ['.a.test', 'https://b.a.test', true],
  ['*.a.test', 'https://b.a.test', true],
  ['a.test', 'https://ba.test', false],
  ['x.test, a.test', 'https://a.test', true],
  ['x.test a.test', 'https://a.test', true],
  ['a.test:443', 'https://a.test', true],
  ['a.test:8443', 'https://a.test', false],
  ['a.test:8443', 'https://a.test:8443', true],
  ['10.0.0.1', 'https://10.0.0.1', true],
  ['fd00::1', 'https://[fd00::1]', true],
  ['[fd00::1]:443', 'https://[fd00::1]', true],
  ['', 'https://a.test', false],
  [',,', 'https://a.test', false],
])('NO_PROXY=%s and %s', (list, url, excluded) => {
  expect(through({ HTTPS_PROXY: P, NO_PROXY: list }, url) === undefined).toBe(excluded);
});

it('refuses what is no http proxy, without showing it', () => {
  for (const bad of ['socks5://user:hunter2@host', 'http://', 'http://user:hunter2@ho st']) {
    expect(() => proxiesFrom({ HTTPS_PROXY: bad })).toThrow(/HTTPS_PROXY/);
    expect(() => proxiesFrom({ HTTPS_PROXY: bad })).not.toThrow(/hunter2/);
  }
});
