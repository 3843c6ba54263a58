import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openaiChat, type ScriptedTurn, type Simulator, startSimulator } from '../src/index.ts';

let simulator: Simulator;
afterEach(() => simulator?.close({ force: true }));

async function start(...turns: ScriptedTurn[]): Promise<Simulator> {
  simulator = await startSimulator({ wire: openaiChat, turns });
  return simulator;
}

const question = { model: 'test-model', messages: [{ role: 'user', content: 'hi' }] };

function ask(body: unknown = question, init: RequestInit = {}, path = '/chat/completions') {
  return fetch(simulator.baseURL + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test' },
    body: JSON.stringify(body),
    ...init,
  });
}

async function within<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('did not settle')), 3000).unref()),
  ]);
}

async function arrived(count: number): Promise<void> {
  while (simulator.exchanges.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a script', () => {
  test('is answered in order, and the requests are kept as they arrived', async () => {
    await start({ say: 'one' }, { say: 'two' });
    const first = await ask(question, { headers: { 'X-Spelled-Like-This': '1', authorization: 'Bearer k' } });
    expect(await first.json()).toMatchObject({ choices: [{ message: { content: 'one' } }] });
    expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: 'two' } }] });
    const [exchange] = simulator.exchanges;
    expect(exchange?.request).toMatchObject({ method: 'POST', path: '/v1/chat/completions', query: '' });
    expect(exchange?.request.bodyText).toBe(JSON.stringify(question));
    expect(Buffer.from(exchange?.request.bodyBytes ?? []).toString()).toBe(JSON.stringify(question));
    expect(exchange?.request.body).toEqual(question);
    expect(exchange?.request.rawHeaders.some(([name]) => name.toLowerCase() === 'x-spelled-like-this')).toBe(
      true,
    );
    expect(exchange?.seen).toMatchObject({ model: 'test-model', apiKey: 'k' });
    expect(exchange?.reply?.body).toMatchObject({ choices: [{ message: { content: 'one' } }] });
    expect(await exchange?.clientLeft).toBe(false);
    await simulator.close();
  });

  test('keeps names of headers as they were spelled, in wire order', async () => {
    await start({ say: 'ok' });
    const body = JSON.stringify(question);
    const socket = connect(Number(new URL(simulator.origin).port), '127.0.0.1');
    socket.write(
      `POST /v1/chat/completions?a=1?b HTTP/1.1\r\nHost: x\r\nB-Two: 2\r\na-ONE: 1\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(simulator.exchanges[0]?.request.rawHeaders).toEqual([
      ['Host', 'x'],
      ['B-Two', '2'],
      ['a-ONE', '1'],
      ['Content-Length', String(body.length)],
    ]);
    expect(simulator.exchanges[0]?.request.query).toBe('a=1?b');
  });

  test('may grow', async () => {
    await start();
    simulator.script({ say: 'later' });
    expect((await ask()).status).toBe(200);
    await simulator.close();
  });

  test('a request too many gets 500 and is listed by close', async () => {
    await start();
    expect((await ask()).status).toBe(500);
    await expect(simulator.close()).rejects.toThrow(/request 1, POST \/v1\/chat\/completions: no turn left/);
  });

  test('unused turns are listed by close, unless forced', async () => {
    await start({ say: 'never asked for' });
    await expect(simulator.close()).rejects.toThrow(/unused turn: .*never asked for/);
    await simulator.close({ force: true });
  });

  test('another path gets 404 and is listed by close', async () => {
    await start();
    const response = await ask(question, {}, '/completions');
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json']);
    await expect(simulator.close()).rejects.toThrow(/POST \/v1\/completions/);
  });

  test('a request the provider would refuse gets 400 in its shape and is listed by close', async () => {
    await start();
    const response = await ask({ ...question, tools: [] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('tools'), type: 'invalid_request_error', param: null },
    });
    expect(simulator.exchanges[0]?.seen).toBeUndefined();
    await expect(simulator.close()).rejects.toThrow(/refused: .*tools/);
  });

  test('a failure is answered with its status and headers', async () => {
    await start({ fail: { status: 429, message: 'slow down', headers: { 'retry-after': '3' } } });
    const response = await ask();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.json()).toMatchObject({ error: { message: 'slow down' } });
    await simulator.close();
  });

  test('a verbatim reply is sent byte for byte', async () => {
    await start(
      { reply: { status: 502, chunks: ['<html>bad', ' gateway</html>'] } },
      { reply: { chunks: [new Uint8Array([0x7b, 0x7d])] } },
      { reply: { chunks: [], headers: { 'content-type': 'x/y' } } },
    );
    const html = await ask();
    expect([html.status, html.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await html.text()).toBe('<html>bad gateway</html>');
    const json = await ask();
    expect(json.headers.get('content-type')).toBe('application/json');
    expect(await json.json()).toEqual({});
    expect(simulator.exchanges[1]?.reply?.body).toEqual({});
    const empty = await ask();
    expect([empty.headers.get('content-type'), await empty.text()]).toEqual(['x/y', '']);
    await simulator.close();
  });

  test('a turn with a nonsensical number is refused at once', async () => {
    await start();
    expect(() => simulator.script({ say: 'x', splitBytes: 0 })).toThrow(/splitBytes .* at least 1, not 0/);
    expect(() => simulator.script({ say: 'x', delayMs: Number.NaN })).toThrow(/delayMs/);
  });

  test('`respond` makes answers; one that throws is listed by close', async () => {
    simulator = await startSimulator({
      wire: openaiChat,
      respond: async (seen) => {
        if (seen.model === 'broken') throw new Error('no idea');
        return { say: `you said ${seen.messages.length}` };
      },
    });
    expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: 'you said 1' } }] });
    expect((await ask({ ...question, model: 'broken' })).status).toBe(500);
    await expect(simulator.close()).rejects.toThrow(/no idea/);
  });

  test('a wire format or a turn that fails is answered, and listed by close', async () => {
    await start({ fail: { status: 429, headers: { 'bad name': 'x' } } });
    expect((await ask()).status).toBe(500);
    await expect(simulator.close()).rejects.toThrow(/could not be answered: .*bad name/);
    const fail = () => {
      throw new Error('no words');
    };
    simulator = await startSimulator({ wire: { ...openaiChat, fail } });
    expect((await ask({})).status).toBe(500);
    await expect(simulator.close()).rejects.toThrow(/no words/);
  });

  test('many requests at once get one turn each', async () => {
    await start(...Array.from({ length: 20 }, (_, i) => ({ say: `n${i}`, delayMs: (i * 7) % 20 })));
    const said = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const body = (await (await ask()).json()) as { choices: { message: { content: string } }[] };
        return body.choices[0]?.message.content;
      }),
    );
    expect(new Set(said).size).toBe(20);
    await simulator.close();
  });
});

describe('a connection', () => {
  const streamed = { ...question, stream: true };

  test('delayMs waits before the first byte', async () => {
    await start({ say: 'slow', delayMs: 60 });
    const started = performance.now();
    await (await ask()).text();
    expect(performance.now() - started).toBeGreaterThan(50);
  });

  test.each([
    ['before', question],
    ['midway', question],
    ['midway', streamed],
  ] as const)('hang %s never ends, and a client that leaves is noticed', async (hang, body) => {
    await start({ say: 'a longer answer', hang });
    const controller = new AbortController();
    const call = ask(body, { signal: controller.signal }).then((response) => response.text());
    const outcome = call.catch((error: Error) => error.name);
    await arrived(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort();
    expect(await within(outcome)).toBe('AbortError');
    expect(await within(simulator.exchanges[0]!.clientLeft)).toBe(true);
    expect(simulator.exchanges[0]?.reply === undefined).toBe(hang === 'before');
    await simulator.close();
  });

  test('a client that leaves during the delay is noticed', async () => {
    await start({ say: 'slow', delayMs: 60_000 });
    const controller = new AbortController();
    const outcome = ask(question, { signal: controller.signal }).catch((error: Error) => error.name);
    await arrived(1);
    controller.abort();
    expect(await within(outcome)).toBe('AbortError');
    expect(await within(simulator.exchanges[0]!.clientLeft)).toBe(true);
  });

  test('cutOff before: no response at all', async () => {
    await start({ say: 'x', cutOff: 'before' });
    await expect(within(ask())).rejects.toThrow('fetch failed');
    expect(await within(simulator.exchanges[0]!.clientLeft)).toBe(false);
  });

  test.each([
    ['whole body, at once', question, 0],
    ['whole body, after its text', question, 1],
    ['stream', streamed, 2],
  ] as const)('cutOff %s: the body breaks off', async (_, body, cutOff) => {
    await start({ say: 'a longer answer', cutOff });
    const response = await within(ask(body));
    expect(response.status).toBe(200);
    await expect(within(response.text())).rejects.toThrow('terminated');
    expect(await within(simulator.exchanges[0]!.clientLeft)).toBe(false);
  });

  test('cutOff with splitBytes counts the pieces', async () => {
    await start({ say: 'a longer answer', splitBytes: 10, cutOff: 2 });
    const response = await ask();
    const received: Uint8Array[] = [];
    await expect(
      (async () => {
        for await (const chunk of response.body!) received.push(chunk);
      })(),
    ).rejects.toThrow('terminated');
    expect(Buffer.concat(received).length).toBe(20);
  });

  test('endAfter ends the body properly, too early', async () => {
    await start({ say: 'a longer answer', endAfter: 2 }, { say: 'x', endAfter: 0 });
    const text = await (await ask(streamed)).text();
    expect(text.match(/^data:/gm)).toHaveLength(2);
    expect(text).not.toContain('[DONE]');
    expect(await (await ask(streamed)).text()).toBe('');
    expect(await simulator.exchanges[0]?.clientLeft).toBe(false);
  });

  test.each([question, streamed])(
    'C098 splitBytes: 1 cuts characters apart, each byte a write of its own',
    async (body) => {
      await start({ say: 'Grüße 👋', splitBytes: 1 });
      const response = await ask(body);
      const sizes: number[] = [];
      const received: Uint8Array[] = [];
      for await (const chunk of response.body!) {
        sizes.push(chunk.length);
        received.push(chunk);
      }
      const text = Buffer.concat(received).toString();
      expect(text).toContain(body === question ? 'Grüße 👋' : '"content":"Grüße 👋"');
      expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(sizes.length * 0.9);
    },
  );

  test('close ends what hangs or waits', async () => {
    await start({ say: 'x', hang: 'before' }, { say: 'x', delayMs: 60_000 }, { say: 'x', hang: 'midway' });
    const calls = [ask(), ask(), ask()].map((call) =>
      call.then((response) => response.text()).catch(() => 'ended'),
    );
    await arrived(3);
    await within(simulator.close());
    expect(await within(Promise.all(calls))).toEqual(['ended', 'ended', 'ended']);
    expect(await Promise.all(simulator.exchanges.map((exchange) => exchange.clientLeft))).toEqual([
      false,
      false,
      false,
    ]);
    await expect(ask()).rejects.toThrow();
  });
});
