import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startPlayground } from '../../src/playground.ts';
import { KEY, playground, raw, scripted, temporaryFolder } from './helpers.ts';

const ROUTES = [
  ['GET', '/'],
  ['GET', '/viewer'],
  ['GET', '/assets/index.js'],
  ['GET', '/api/v1/meta'],
  ['POST', '/api/v1/runs'],
  ['DELETE', '/api/v1/runs/abc'],
  ['OPTIONS', '/api/v1/runs'],
  ['GET', '/nothing'],
] as const;

async function started() {
  const { contents } = await scripted();
  const { server } = await playground({ contents });
  const { port } = new URL(server.origin);
  const bearer = { authorization: `Bearer ${server.token}` };
  return { server, origin: server.origin, port, bearer };
}

/** The status of whatever bytes are sent: for requests that no client would make. */
function bytes(port: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.on('close', () => resolve(answer.split('\r\n')[0]!));
    socket.on('error', reject);
  });
}

describe('who is answered', () => {
  it.each(ROUTES)('%s %s: a foreign Host is refused before anything else', async (method, path) => {
    const { origin, port, bearer } = await started();
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      '127.0.0.1:1',
      `127.0.0.2:${port}`,
      `0.0.0.0:${port}`,
      `localhost.:${port}`,
      `user@127.0.0.1:${port}`,
      `127.0.0.1:${port}/x`,
    ]) {
      const answer = await raw(origin, path, { method, headers: { host, ...bearer } });
      expect([host, answer.status]).toEqual([host, 421]);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'misdirected' });
    }
  });

  it('the names of this machine are answered', async () => {
    const { origin, port, bearer } = await started();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
      expect((await raw(origin, '/api/v1/meta', { headers: { host, ...bearer } })).status).toBe(200);
    }
  });

  it('two Host headers, none, and a whole URL as the target are refused', async () => {
    const { port, bearer } = await started();
    const auth = `Authorization: ${bearer.authorization}\r\nConnection: close\r\n`;
    const host = `Host: 127.0.0.1:${port}\r\n`;
    expect(await bytes(port, `GET / HTTP/1.1\r\n${host}Host: evil.example\r\n${auth}\r\n`)).toMatch(
      / (400|421) /,
    );
    expect(await bytes(port, `GET / HTTP/1.1\r\n${auth}\r\n`)).toMatch(/ (400|421) /);
    expect(await bytes(port, `GET / HTTP/1.1\r\nHost:\r\n${auth}\r\n`)).toMatch(/ 421 /);
    expect(await bytes(port, `GET / HTTP/1.0\r\n${auth}\r\n`)).toMatch(/ 421 /);
    expect(await bytes(port, `GET http://evil.example/ HTTP/1.1\r\n${host}${auth}\r\n`)).toMatch(/ 421 /);
    expect(await bytes(port, `GET //evil.example/ HTTP/1.1\r\n${host}${auth}\r\n`)).toMatch(
      / (404|421|400) /,
    );
  });

  it.each([
    ['Origin', 'https://evil.example'],
    ['Origin', 'null'],
    ['Origin', 'http://127.0.0.1'],
    ['Origin', 'http://localhost:1'],
    ['Origin', 'https://127.0.0.1:PORT'],
    ['Origin', 'http://localhost:PORT'],
    ['Sec-Fetch-Site', 'cross-site'],
    ['Sec-Fetch-Site', 'same-site'],
  ])('%s: %s is refused on every route, with a token too', async (name, value) => {
    const { origin, port, bearer } = await started();
    for (const [method, path] of ROUTES) {
      const headers = { ...bearer, [name]: value.replace('PORT', port) };
      const answer = await raw(origin, path, { method, headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(Object.keys(answer.headers).filter((header) => header.startsWith('access-control'))).toEqual([]);
    }
  });

  it('our own page is answered', async () => {
    const { origin, bearer } = await started();
    for (const site of ['same-origin', 'none']) {
      const headers = { ...bearer, origin, 'sec-fetch-site': site };
      expect((await raw(origin, '/api/v1/meta', { headers })).status).toBe(200);
    }
  });

  it('without the token nothing of the API answers, not even that a path is unknown', async () => {
    const { origin } = await started();
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/meta',
      '/api/v1/runs',
      '/api/v1/nothing',
      '/api/v2/x',
    ]) {
      for (const headers of [
        {},
        { authorization: 'Bearer ' },
        { authorization: 'Basic eDp5' },
        { cookie: 't=x' },
      ]) {
        const answer = await raw(origin, path, { headers: headers as Record<string, string> });
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.text).not.toContain('v1');
      }
    }
  });

  it('wrong tokens are slowed, the right one is not', async () => {
    const { origin, bearer } = await started();
    const took = async (authorization: string) => {
      const start = performance.now();
      const { status } = await raw(origin, '/api/v1/meta', { headers: { authorization } });
      return { status, ms: performance.now() - start };
    };
    for (const least of [90, 190, 390]) {
      const wrong = await took(`Bearer ${'x'.repeat(43)}`);
      expect(wrong.status).toBe(401);
      expect(wrong.ms).toBeGreaterThan(least);
    }
    const many = await Promise.all(Array.from({ length: 40 }, () => took('Bearer y')));
    expect(many.every(({ status }) => status === 401)).toBe(true);
    const right = await took(bearer.authorization);
    expect(right.status).toBe(200);
    expect(right.ms).toBeLessThan(1000);
  });

  it('a token in the query or a cookie is no token', async () => {
    const { origin, server } = await started();
    expect((await raw(origin, `/api/v1/meta?t=${server.token}`)).status).toBe(401);
    expect((await raw(origin, '/api/v1/meta', { headers: { cookie: `t=${server.token}` } })).status).toBe(
      401,
    );
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a simple POST (%s) is refused, with a token too',
    async (type) => {
      const { origin, bearer } = await started();
      for (const path of ['/runs', '/assemble', '/runs/x/cancel', '/runs/x/export', '/imports']) {
        const headers = { ...bearer, ...(type === undefined ? {} : { 'content-type': type }) };
        const answer = await raw(origin, `/api/v1${path}`, {
          method: 'POST',
          headers,
          body: '{"prompt":"x"}',
        });
        expect([path, answer.status]).toEqual([path, 415]);
      }
    },
  );

  it('OPTIONS is 405, and there are no CORS headers', async () => {
    const { origin, bearer } = await started();
    const answer = await raw(origin, '/api/v1/runs', {
      method: 'OPTIONS',
      headers: {
        ...bearer,
        'access-control-request-method': 'POST',
        'access-control-request-private-network': 'true',
      },
    });
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('every answer carries the headers, without an unsafe word', async () => {
    const { origin, bearer } = await started();
    for (const path of ['/', '/viewer', '/assets/none.js', '/api/v1/meta', '/api/v1/runs/none', '/nothing']) {
      const { headers } = await raw(origin, path, { headers: bearer });
      const csp = String(headers['content-security-policy']);
      expect(csp).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(csp).toContain("require-trusted-types-for 'script'; trusted-types dompurify app");
      expect(csp).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
      if (path.startsWith('/api')) expect(headers['cache-control']).toContain('no-store');
    }
  });

  it('no path leaves the folder of the page, and no id the folder of runs', async () => {
    const { contents } = await scripted();
    const { server } = await playground({ contents, history: { folder: temporaryFolder() } });
    const headers = { authorization: `Bearer ${server.token}` };
    const up = [
      '/assets/../package.json',
      '/assets/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/../../etc/passwd',
    ];
    for (const path of up) expect((await raw(server.origin, path, { headers })).status).toBe(404);
    for (const id of [
      '..',
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      'a%00b',
      'a'.repeat(200),
      '__proto__',
      '.gitignore',
    ]) {
      for (const rest of ['', '/events', '/steps/1', '/messages', '/blobs/WzFd']) {
        const { status } = await raw(server.origin, `/api/v1/runs/${id}${rest}`, { headers });
        expect([id, status]).toEqual([id, 404]);
      }
    }
  });

  it('a body over the limit, broken JSON and unknown fields are told apart', async () => {
    const { contents } = await scripted();
    const { call, post } = await playground({ contents });
    const large = await call('/api/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `"${'x'.repeat(33 * 1024 * 1024)}"`,
    });
    expect(large.status).toBe(413);
    const broken = await call('/api/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect([broken.status, broken.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(await broken.json()).toMatchObject({
      code: 'bad_json',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
    const { body } = await post('/runs', {
      prompt: ' ',
      promt: 'x',
      maxRounds: 0,
      limits: { cost: -1 },
    });
    expect(body.fields.map(({ field }: { field: string }) => field)).toEqual([
      'promt',
      'maxRounds',
      'limits.cost',
      'prompt',
    ]);
  });
});

describe('where it listens', () => {
  it('another address needs the hosts that are trusted', async () => {
    const { contents } = await scripted();
    const options = { contents, version: '0', port: 0 };
    await expect(
      startPlayground({ ...options, unsafeRemote: { host: '0.0.0.0', trustedHosts: [] } }),
    ).rejects.toThrow(/trusted/);
    await expect(startPlayground({ ...options, token: 'short' })).rejects.toThrow(/32 characters/);
    const { server } = await playground({
      contents,
      unsafeRemote: { host: '127.0.0.1', trustedHosts: ['Box.local:80'] },
    });
    const authorization = `Bearer ${server.token}`;
    for (const [host, status] of [
      ['box.local:80', 200],
      ['box.local', 421],
      ['other.local:80', 421],
    ] as const) {
      expect((await raw(server.origin, '/api/v1/meta', { headers: { host, authorization } })).status).toBe(
        status,
      );
    }
  });
});

describe('keys', () => {
  it('are in no answer, no file, no export and no log line, whoever says them', async () => {
    const { contents } = await scripted(
      { callTools: [{ name: 'look_up', arguments: { word: KEY } }] },
      { say: `The key is ${KEY}, I think.`, splitBytes: 7 },
      { fail: { status: 400, message: `bad key ${KEY}` } },
    );
    const folder = temporaryFolder();
    const log: string[] = [];
    const { call, run, server } = await playground({
      contents,
      history: { folder },
      log: (line) => log.push(line),
    });
    const seen: string[] = [];
    const { id, lines } = await run({ prompt: `My key is ${KEY}`, captureRaw: true, configuration: 'ops' });
    seen.push(JSON.stringify(lines));
    const failed = await run({ prompt: 'again', captureRaw: true });
    seen.push(JSON.stringify(failed.lines));
    expect(failed.lines.at(-1)).toMatchObject({ status: 'failed' });
    await call(`/api/v1/runs/${id}`, { method: 'PATCH', json: { note: KEY, title: KEY } });
    for (const path of [
      '/meta',
      '/catalog',
      '/runs',
      `/runs/${id}`,
      `/runs/${id}/steps/1`,
      `/runs/${id}/messages`,
      `/runs/${id}/events?bodies=refs`,
      `/runs/${KEY}`,
      `/runs?status=${KEY}`,
      `/answer-times?model=${KEY}`,
    ]) {
      seen.push(await (await call(`/api/v1${path}`)).text());
    }
    for (const redact of ['secrets', 'content', 'none']) {
      const answer = await call(`/api/v1/runs/${id}/export`, {
        method: 'POST',
        json: { format: 'ndjson', redact },
      });
      seen.push(await answer.text());
    }
    const assembled = await call('/api/v1/assemble', { method: 'POST', json: { prompt: KEY } });
    seen.push(await assembled.text());
    seen.push(...log);
    for (const text of seen) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(server.token);
    }
    expect(seen.join()).toContain('[redacted]');
    // What a model says in pieces is put together again without it.
    const text = lines.flatMap((line) =>
      line.type === 'delta' && line.channel === 'text' ? [line.text] : [],
    );
    expect('The key is [redacted], I think.'.startsWith(text.join(''))).toBe(true);
  });
});
