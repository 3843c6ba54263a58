import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NodeFetch, nodeFetch } from '../src/index.ts';
import { echo, serve, type TestServer, until } from './server.ts';

// Made for these tests alone: for api.example.test, a name that nobody can have.
const key = readFileSync(new URL('fixtures/key.pem', import.meta.url));
const cert = readFileSync(new URL('fixtures/cert.pem', import.meta.url), 'utf8');

let secure: TestServer;
let proxy: TestServer;
/** What the proxy was asked for. */
let asked: string[] = [];
let connectAnswer: 'open' | 'refuse' | 'hang' = 'open';
let fetch: NodeFetch | undefined;

beforeAll(async () => {
  secure = await serve(echo, () => createHttpsServer({ key, cert }));
  proxy = await serve(
    (message, response) => {
      asked.push(`${message.method} ${message.url} ${message.headers['proxy-authorization'] ?? ''}`.trim());
      void echo(message, response);
    },
    () =>
      createServer().on('connect', (message, socket) => {
        asked.push(`CONNECT ${message.url} ${message.headers['proxy-authorization'] ?? ''}`.trim());
        if (connectAnswer === 'hang') return void socket.on('end', () => socket.end()).resume();
        if (connectAnswer === 'refuse')
          return void socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n');
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const onward = connect(secure.port, '127.0.0.1');
        onward.on('error', () => socket.destroy());
        socket.on('error', () => onward.destroy());
        socket.pipe(onward).pipe(socket);
      }),
  );
});
afterAll(() => Promise.all([secure.close(), proxy.close()]));
beforeEach(() => {
  asked = [];
  connectAnswer = 'open';
  for (const name of [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'REQUEST_METHOD',
  ])
    vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  fetch?.close();
});

describe('https', () => {
  it('is trusted with a certificate of ones own, and not without', async () => {
    const origin = `https://127.0.0.1:${secure.port}`;
    fetch = nodeFetch({ ca: cert });
    expect(await (await fetch(origin)).json()).toMatchObject({ method: 'GET' });
    fetch.close();
    fetch = nodeFetch();
    await expect(fetch(origin)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: expect.stringMatching(/CERT|SIGNED/) },
    });
  });

  it('goes through a tunnel that is kept open', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://user:p%40ss@127.0.0.1:${proxy.port}`);
    fetch = nodeFetch({ ca: cert });
    for (let call = 0; call < 3; call++) {
      const got = await (await fetch('https://api.example.test/v1', { method: 'POST', body: 'x' })).json();
      expect(got).toMatchObject({ url: '/v1', body: 'x', headers: { host: 'api.example.test' } });
      expect((got as { headers: object }).headers).not.toHaveProperty('proxy-authorization');
    }
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(asked).toEqual([`CONNECT api.example.test:443 ${authorization}`]);
  });

  it('fails with the status of a proxy that refuses, and shows no password', async () => {
    connectAnswer = 'refuse';
    fetch = nodeFetch({ proxy: `http://user:hunter2@127.0.0.1:${proxy.port}`, ca: cert });
    const error: Error = await fetch('https://api.example.test/').then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ERR_PROXY_TUNNEL', message: expect.stringContaining('407') },
    });
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter2');
  });

  it('fails when there is no proxy, and ends when aborted while it waits for one', async () => {
    fetch = nodeFetch({ proxy: 'http://127.0.0.1:1' });
    await expect(fetch('https://api.example.test/')).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
    fetch.close();
    connectAnswer = 'hang';
    fetch = nodeFetch({ proxy: `127.0.0.1:${proxy.port}` });
    const controller = new AbortController();
    const call = fetch('https://api.example.test/', { signal: controller.signal });
    await until(() => asked.length === 1, 'the tunnel to be asked for');
    const before = proxy.sockets.open.size;
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    await until(() => proxy.sockets.open.size < before, 'the connection to the proxy to close');
  });

  it('does not trust a host behind the proxy that it does not know', async () => {
    fetch = nodeFetch({ proxy: `http://127.0.0.1:${proxy.port}`, ca: cert });
    await expect(fetch('https://other.example.test/')).rejects.toMatchObject({
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
  });
});

describe('http', () => {
  it('asks the proxy with the whole URL, over connections that are kept', async () => {
    vi.stubEnv('http_proxy', `http://user:pass@127.0.0.1:${proxy.port}`);
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    fetch = nodeFetch();
    const before = proxy.sockets.all;
    for (let call = 0; call < 3; call++) await (await fetch('http://api.example.test:81/v1?a=b')).text();
    const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
    expect(asked).toEqual(Array(3).fill(`GET http://api.example.test:81/v1?a=b ${authorization}`));
    expect(proxy.sockets.all - before).toBe(1);
  });
});
