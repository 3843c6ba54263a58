import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFetch } from '../src/index.ts';
import { echo, serve, type TestServer } from './server.ts';

const fetch = nodeFetch();
let server: TestServer;
beforeAll(async () => {
  server = await serve(echo);
});
afterAll(async () => {
  fetch.close();
  await server.close();
});

const sent = async (init?: RequestInit, path = '/v1?a=1#part') =>
  (await (await fetch(server.origin + path, init)).json()) as {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string;
  };

describe('what is sent', () => {
  it('a GET with the headers that every client sends', async () => {
    const { method, url, headers, body } = await sent();
    expect({ method, url, body }).toEqual({ method: 'GET', url: '/v1?a=1', body: '' });
    expect(headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'node',
      connection: 'keep-alive',
    });
  });

  it.each<[string, RequestInit['body'], string, string | undefined]>([
    ['text', 'größe 🙂', 'größe 🙂', 'text/plain;charset=UTF-8'],
    ['empty text', '', '', 'text/plain;charset=UTF-8'],
    ['bytes', new TextEncoder().encode('bytes ü'), 'bytes ü', undefined],
    [
      'a part of a buffer',
      new Uint8Array(Buffer.from('xxabcxx').buffer, Buffer.from('xxabcxx').byteOffset + 2, 3),
      'abc',
      undefined,
    ],
    ['an ArrayBuffer', new TextEncoder().encode('buffer').buffer as ArrayBuffer, 'buffer', undefined],
    [
      'parameters',
      new URLSearchParams({ a: '1 2' }),
      'a=1+2',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['a blob', new Blob(['blob'], { type: 'text/x-blob' }), 'blob', 'text/x-blob'],
  ])('%s as the body', async (_, body, text, type) => {
    const got = await sent({ method: 'post', body: body! });
    expect(got.method).toBe('POST');
    expect(got.body).toBe(text);
    expect(got.headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(got.headers['content-type']).toBe(type);
  });

  it('a stream as the body, in chunks', async () => {
    const body = new Blob(['one ', 'two']).stream();
    const got = await sent({ method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(got.body).toBe('one two');
    expect(got.headers['transfer-encoding']).toBe('chunked');
  });

  it('a form as the body', async () => {
    const form = new FormData();
    form.set('a', 'b');
    const got = await sent({ method: 'POST', body: form });
    expect(got.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(got.body).toContain('name="a"');
  });

  it('a Request, and what comes beside it counts more', async () => {
    const request = new Request(`${server.origin}/r`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'x-one': '1' },
    });
    const first = (await (await fetch(request.clone())).json()) as {
      body: string;
      headers: Record<string, string>;
    };
    expect(first.body).toBe('{"a":1}');
    expect(first.headers['x-one']).toBe('1');
    const second = (await (
      await fetch(request, { body: 'other', headers: { 'x-two': '2' } })
    ).json()) as typeof first;
    expect(second.body).toBe('other');
    expect(second.headers['x-one']).toBeUndefined();
    expect(second.headers['x-two']).toBe('2');
  });

  it('header names in small letters, values as they are, in latin1 too, beside a body that is not', async () => {
    const { headers, body } = await sent({
      method: 'POST',
      headers: { 'X-Odd': 'caf\xe9', Accept: 'x/y' },
      body: 'ü',
    });
    expect(headers['x-odd']).toBe('caf\xe9');
    expect(headers['accept']).toBe('x/y');
    expect(body).toBe('ü');
  });

  it('its own length and connection, whatever the headers say', async () => {
    const { headers, body } = await sent({
      method: 'POST',
      headers: {
        'content-length': '99',
        'transfer-encoding': 'chunked',
        connection: 'close',
        expect: '100-continue',
      },
      body: 'abc',
    });
    expect(body).toBe('abc');
    expect(headers['content-length']).toBe('3');
    expect(headers['connection']).toBe('keep-alive');
    expect(headers['expect']).toBeUndefined();
  });
});

describe('what is refused before anything is sent', () => {
  it.each<[string, string, RequestInit | undefined]>([
    ['no URL', 'nonsense', undefined],
    ['another scheme', 'ftp://127.0.0.1/', undefined],
    ['a password in the URL', 'http://user:hunter2@127.0.0.1/', undefined],
    ['a GET with a body', 'http://127.0.0.1/', { body: 'x' }],
    ['a method that is none', 'http://127.0.0.1/', { method: 'GET /\r\nx' }],
    ['CONNECT', 'http://127.0.0.1/', { method: 'CONNECT' }],
    ['a header with a line break', 'http://127.0.0.1/', { headers: { a: 'b\r\nc: d' } }],
  ])('%s', async (_, url, init) => {
    const error = await fetch(url, init).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('hunter2');
  });

  it('wrong options', () => {
    expect(() => nodeFetch({ idleMs: 0 })).toThrow(/idleMs/);
    expect(() => nodeFetch({ proxy: 'socks5://secret@host' })).toThrow(TypeError);
    expect(() => nodeFetch({ proxy: 'socks5://secret@host' })).not.toThrow(/secret/);
  });
});
