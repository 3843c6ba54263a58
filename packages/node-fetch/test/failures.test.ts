import { getEventListeners } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { nodeFetch } from '../src/index.ts';
import { echo, serve, type TestServer, until } from './server.ts';

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

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const reason = new Error('enough');

async function collector(): Promise<() => void> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

describe('abort', () => {
  it('before: nothing is sent', async () => {
    const server = await start(echo);
    expect(await thrown(fetch(server.origin, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.sockets.all).toBe(0);
    const request = new Request(server.origin, { signal: AbortSignal.abort(reason) });
    expect(await thrown(fetch(request))).toBe(reason);
  });

  it('while waiting for the answer: the connection is closed', async () => {
    const server = await start(() => {});
    const controller = new AbortController();
    const call = thrown(fetch(server.origin, { signal: controller.signal }));
    await until(() => server.sockets.open.size === 1, 'the request');
    controller.abort(reason);
    expect(await call).toBe(reason);
    await until(() => server.sockets.open.size === 0, 'the connection to close');
    expect(listeners(controller.signal)).toBe(0);
  });

  it.each(['whole', 'streamed', 'compressed', 'unread'])('in the middle of the body, %s', async (how) => {
    const server = await start((_, response) => {
      response.writeHead(200, how === 'compressed' ? { 'content-encoding': 'gzip' } : {});
      response.write(how === 'compressed' ? gzipSync('x'.repeat(100)).subarray(0, 20) : 'part');
    });
    const controller = new AbortController();
    const response = await fetch(server.origin, { signal: controller.signal });
    const reader = how === 'streamed' ? response.body!.getReader() : undefined;
    if (reader !== undefined) await reader.read();
    const reading = how === 'unread' ? undefined : thrown(reader?.read() ?? response.text());
    setTimeout(() => controller.abort(reason), 5);
    expect(
      await (reading ??
        new Promise((resolve) => setTimeout(resolve, 20)).then(() => thrown(response.text()))),
    ).toBe(reason);
    await until(() => server.sockets.open.size === 0, 'the connection to close');
    expect(listeners(controller.signal)).toBe(0);
  });

  it('reaches the connection of a Request that nobody holds any more', async () => {
    const collect = await collector();
    const server = await start((_, response) => void response.write('part'));
    const controller = new AbortController();
    const call = async () => {
      const response = await fetch(new Request(server.origin, { signal: controller.signal }));
      return thrown(response.text());
    };
    const calls = [call(), call(), call()];
    for (let round = 0; round < 5; round++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    controller.abort(reason);
    expect(await Promise.all(calls)).toEqual([reason, reason, reason]);
    await until(() => server.sockets.open.size === 0, 'the connections to close');
  });

  it('of a timeout signal keeps its TimeoutError', async () => {
    const server = await start(() => {});
    expect(await thrown(fetch(server.origin, { signal: AbortSignal.timeout(10) }))).toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('after the end changes nothing', async () => {
    const server = await start(echo);
    const controller = new AbortController();
    const response = await fetch(server.origin, { signal: controller.signal });
    await response.text();
    await until(() => listeners(controller.signal) === 0, 'the listener to go');
    controller.abort(reason);
    await (await fetch(server.origin)).text();
    expect(server.sockets.all).toBe(1);
  });

  it('while a stream is being sent ends the sending', async () => {
    const server = await start((message) => void message.resume());
    let cancelled: unknown;
    const body = new ReadableStream({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        controller.enqueue(new Uint8Array(10));
      },
      cancel: (why) => {
        cancelled = why ?? true;
      },
    });
    const controller = new AbortController();
    const call = thrown(
      fetch(server.origin, {
        method: 'POST',
        body,
        duplex: 'half',
        signal: controller.signal,
      } as RequestInit),
    );
    await until(() => server.sockets.open.size === 1, 'the request');
    controller.abort(reason);
    expect(await call).toBe(reason);
    await until(() => cancelled !== undefined, 'the body to be cancelled');
  });
});

describe('a broken connection', () => {
  it('that never was: ECONNREFUSED, ENOTFOUND', async () => {
    const server = await serve(echo);
    await server.close();
    expect(await thrown(fetch(server.origin))).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    });
    expect(await thrown(fetch('http://no-such-host.invalid/'))).toMatchObject({
      message: 'fetch failed',
      cause: { code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
    });
  });

  it('before the answer: ECONNRESET, and the request was sent once', async () => {
    let requests = 0;
    const server = await start((message) => {
      requests++;
      message.socket.destroy();
    });
    await thrown(fetch(server.origin));
    expect(await thrown(fetch(server.origin, { method: 'POST', body: 'x' }))).toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNRESET' },
    });
    expect(requests).toBe(2);
  });

  it.each([
    ['whole', 'content-length'],
    ['whole', 'chunked'],
    ['streamed', 'content-length'],
    ['streamed', 'chunked'],
  ])('in the body, read %s, sent with %s: terminated', async (how, framing) => {
    const server = await start((_, response) => {
      response.writeHead(200, framing === 'chunked' ? {} : { 'content-length': '100' });
      response.write('part', () => setTimeout(() => response.destroy(), 5));
    });
    const response = await fetch(server.origin);
    const error = await thrown(how === 'whole' ? response.text() : new Response(response.body).text());
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated', cause: { code: 'ECONNRESET' } });
    await expect(
      fetch(server.origin).then(async (late) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return late.text();
      }),
    ).rejects.toThrow('terminated');
  });

  it('that speaks something else is a failure', async () => {
    const sockets = new Set<Socket>();
    const tcp = createTcpServer((socket) => {
      sockets.add(socket);
      socket.end('SSH-2.0-nope\r\n');
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as { port: number };
    expect(await thrown(fetch(`http://127.0.0.1:${port}/`))).toMatchObject({
      message: 'fetch failed',
      cause: { code: expect.stringMatching(/^HPE_/) },
    });
    tcp.close();
  });
});

describe('connections', () => {
  it('are used again, one after another', async () => {
    const server = await start(echo);
    for (let call = 0; call < 5; call++)
      await (await fetch(server.origin, { method: 'POST', body: 'x' })).text();
    for (let call = 0; call < 5; call++) for await (const _ of (await fetch(server.origin)).body!);
    expect(server.sockets.all).toBe(1);
  });

  it('go when they are idle too long', async () => {
    const server = await start(echo);
    const brief = nodeFetch({ idleMs: 20 });
    await (await brief(server.origin)).text();
    await until(() => server.sockets.open.size === 0, 'the idle connection to close');
  });

  it('of a cancelled stream are closed, or free when all had come', async () => {
    const server = await start((message, response) => {
      response.write('data: 1\n\n');
      if (message.url === '/whole') response.end();
    });
    await (await fetch(`${server.origin}/endless`)).body!.cancel();
    await until(() => server.sockets.open.size === 0, 'the connection to close');
    for await (const _ of (await fetch(`${server.origin}/endless`)).body!) break;
    await until(() => server.sockets.open.size === 0, 'the connection to close');
  });

  it('of a response that is dropped unread are let go', async () => {
    const collect = await collector();
    const server = await start((_, response) => void response.write('x'.repeat(100)));
    await (async () => void (await fetch(server.origin)).status)();
    for (let round = 0; round < 100 && server.sockets.open.size > 0; round++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(server.sockets.open.size).toBe(0);
  });

  it('are closed by close(), and later calls open new ones', async () => {
    const own = nodeFetch();
    const server = await start((message, response) =>
      message.url === '/slow' ? undefined : void response.end('ok'),
    );
    const call = thrown(own(`${server.origin}/slow`));
    await until(() => server.sockets.open.size === 1, 'the request');
    own.close();
    expect(await call).toMatchObject({ message: 'fetch failed' });
    expect(await (await own(server.origin)).text()).toBe('ok');
    own.close();
    await until(() => server.sockets.open.size === 0, 'all to close');
  });

  it('many at once under one signal leave no listener', async () => {
    const server = await start(echo);
    const { signal } = new AbortController();
    const bodies = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => (await fetch(`${server.origin}/${n}`, { signal })).json()),
    );
    expect(bodies).toHaveLength(50);
    await until(() => listeners(signal) === 0, 'the listeners to go');
  });
});
