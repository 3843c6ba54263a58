import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { nodeFetch } from '../src/index.ts';
import { serve, type TestServer, until } from './server.ts';

const fetch = nodeFetch();
const servers: TestServer[] = [];
const start = async (...args: Parameters<typeof serve>) => {
  const server = await serve(...args);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => fetch.close());

const answering = (
  body: string | Uint8Array,
  headers: Record<string, string | string[]> = {},
  status = 200,
) =>
  start((_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });

describe('a response', () => {
  it('is a Response, with its facts', async () => {
    const { origin } = await answering('{"a":1}', { 'X-Two': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] }, 418);
    const response = await fetch(`${origin}/x#y`);
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({
      status: 418,
      ok: false,
      url: `${origin}/x`,
      redirected: false,
      bodyUsed: false,
    });
    expect(response.statusText).toBe("I'm a Teapot");
    expect(response.headers.get('x-two')).toBe('1, 2');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toEqual({ a: 1 });
    expect(response.bodyUsed).toBe(true);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(response.body?.locked ?? true).toBe(true);
  });

  it('is read as text, bytes, buffer, blob, form and stream', async () => {
    const { origin } = await answering('\uFEFFgröße', { 'content-type': 'text/x-thing' });
    expect(await (await fetch(origin)).text()).toBe('größe');
    const bytes = Buffer.from('\uFEFFgröße');
    expect(Buffer.from(await (await fetch(origin)).arrayBuffer()).equals(bytes)).toBe(true);
    const blob = await (await fetch(origin)).blob();
    expect([blob.type, blob.size]).toEqual(['text/x-thing', bytes.length]);
    const parts: Uint8Array[] = [];
    for await (const part of (await fetch(origin)).body!) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    const form = await answering('a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([...(await (await fetch(form.origin)).formData())]).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('rejects JSON that is none with a SyntaxError', async () => {
    const { origin } = await answering('<html>');
    await expect((await fetch(origin)).json()).rejects.toThrow(SyntaxError);
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('has no body after %s with status %i, and lets its connection go', async (method, status) => {
    const server = await answering('', status === 200 ? { 'content-length': '5' } : {}, status);
    for (let call = 0; call < 3; call++) {
      const response = await fetch(server.origin, { method });
      expect(response.body).toBeNull();
      expect(await response.text()).toBe('');
    }
    expect(server.sockets.all).toBe(1);
  });

  it('can be read whole after its stream was looked at, but not after it was read', async () => {
    const { origin } = await answering('abc');
    const looked = await fetch(origin);
    const stream = looked.body!;
    expect(await looked.text()).toBe('abc');
    expect(stream.locked).toBe(true);
    const read = await fetch(origin);
    await read.body!.getReader().read();
    expect(read.bodyUsed).toBe(true);
    await expect(read.text()).rejects.toThrow(TypeError);
  });

  it('can be cloned; both are read, whole or as a stream', async () => {
    const { origin } = await answering('{"n":1}', { 'content-type': 'application/json' }, 201);
    const response = await fetch(origin);
    const twin = response.clone();
    expect(twin).toMatchObject({ status: 201, url: `${origin}/` });
    expect(twin.headers.get('content-type')).toBe('application/json');
    expect(await Promise.all([response.json(), twin.json()])).toEqual([{ n: 1 }, { n: 1 }]);
    expect(response.bodyUsed).toBe(true);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it('pipes, and a new Response can be made of its stream', async () => {
    const { origin } = await answering('abc');
    const piped = (await fetch(origin)).body!.pipeThrough(new TextDecoderStream());
    expect((await piped.getReader().read()).value).toBe('abc');
    expect(await new Response((await fetch(origin)).body).text()).toBe('abc');
  });

  it('arrives piece by piece', async () => {
    let more = () => {};
    const { origin } = await start((_, response) => {
      response.write('one');
      more = () => response.end('two');
    });
    const reader = (await fetch(origin)).body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('one');
    more();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('two');
    expect((await reader.read()).done).toBe(true);
  });

  it('reads no further than its reader: a slow reader slows the server', async () => {
    let written = 0;
    const { origin } = await start((_, response) => {
      const write = () => {
        while (written < 200_000_000) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    const reader = (await fetch(origin)).body!.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written).toBeLessThan(50_000_000);
    await reader.cancel();
  });
});

describe('compression', () => {
  const text = 'lorem ipsum '.repeat(5000);
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
    ['identity', (bytes) => bytes],
  ])('%s is undone, whole and streamed', async (coding, compress) => {
    const { origin } = await answering(compress(Buffer.from(text)), { 'content-encoding': coding });
    expect(await (await fetch(origin)).text()).toBe(text);
    expect(await new Response((await fetch(origin)).body).text()).toBe(text);
  });

  it('deflate without its zlib header is undone', async () => {
    const { origin } = await answering(deflateRawSync(Buffer.from(text)), { 'content-encoding': 'deflate' });
    expect(await (await fetch(origin)).text()).toBe(text);
  });

  it('an empty body needs none', async () => {
    for (const coding of ['gzip', 'deflate', 'br']) {
      const { origin } = await answering('', { 'content-encoding': coding });
      expect(await (await fetch(origin)).text()).toBe('');
    }
  });

  it('an unknown one is handed over as it is', async () => {
    const { origin } = await answering('abc', { 'content-encoding': 'x-own' });
    expect(await (await fetch(origin)).text()).toBe('abc');
  });

  it.each(['gzip', 'deflate', 'br'])('a body that is no %s is a failure with a cause', async (coding) => {
    const server = await answering('this is not compressed', { 'content-encoding': coding });
    const error = await (await fetch(server.origin)).text().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'terminated',
      cause: { code: expect.stringMatching(/^Z_|^ERR_/) },
    });
    await expect(new Response((await fetch(server.origin)).body).text()).rejects.toThrow('terminated');
    await until(() => server.sockets.open.size <= 1, 'connections of broken bodies to close');
  });

  it('events in a compressed stream arrive as they are flushed', async () => {
    const { createGzip } = await import('node:zlib');
    const gzip = createGzip();
    const { origin } = await start((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      gzip.pipe(response);
      gzip.write('data: 1\n\n');
      gzip.flush();
    });
    const reader = (await fetch(origin)).body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 1\n\n');
    gzip.end();
    expect((await reader.read()).done).toBe(true);
  });
});
