import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFetch } from '../src/index.ts';
import { bodyOf, echo, serve, type TestServer } from './server.ts';

const fetch = nodeFetch();
let other: TestServer;
let server: TestServer;
beforeAll(async () => {
  other = await serve(echo);
  server = await serve(async (message, response) => {
    const [, status, target = ''] = /^\/(\d{3})\/(.*)$/.exec(message.url ?? '') ?? [];
    if (status === undefined) return echo(message, response);
    await bodyOf(message);
    const location = decodeURIComponent(target);
    response.writeHead(Number(status), location === '' ? {} : { location });
    response.end('moved');
  });
});
afterAll(async () => {
  fetch.close();
  await Promise.all([server.close(), other.close()]);
});

const SECRETS = {
  authorization: 'Bearer canary',
  cookie: 'canary',
  'x-api-key': 'canary',
  'x-goog-api-key': 'canary',
  'api-key': 'canary',
  'x-auth': 'canary',
  'x-session-token': 'canary',
};
const call = async (status: number, location: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.origin}/${status}/${encodeURIComponent(location)}`, init);
  return {
    response,
    got: (await response.json()) as {
      method: string;
      url: string;
      body: string;
      headers: Record<string, string>;
    },
  };
};

describe('redirects', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ])('%i: a %s becomes %s', async (status, method, becomes) => {
    const { got, response } = await call(status, '/there?x=1', {
      method,
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', ...SECRETS },
    });
    expect(got.method).toBe(becomes);
    expect(got.url).toBe('/there?x=1');
    expect(got.body).toBe(becomes === 'GET' ? '' : '{"a":1}');
    expect(got.headers['content-type']).toBe(becomes === 'GET' ? undefined : 'application/json');
    // The same origin may know what it was told before.
    expect(got.headers).toMatchObject(SECRETS);
    expect(response).toMatchObject({ redirected: true, url: `${server.origin}/there?x=1` });
  });

  it.each([301, 302, 303, 307, 308])('%i to another origin: no secret goes along', async (status) => {
    const { got } = await call(status, `${other.origin}/there`, {
      method: 'POST',
      body: 'x',
      headers: { ...SECRETS, 'x-harmless': 'yes' },
    });
    expect(JSON.stringify(got)).not.toContain('canary');
    expect(got.headers['x-harmless']).toBe('yes');
    expect(got.headers['host']).toBe(new URL(other.origin).host);
  });

  it('and back again: a secret does not come back', async () => {
    const back = await serve((_, response) => {
      response.writeHead(307, { location: `${server.origin}/home` });
      response.end();
    });
    const { got } = await call(307, `${back.origin}/`, { method: 'POST', body: 'x', headers: SECRETS });
    expect(JSON.stringify(got)).not.toContain('canary');
    await back.close();
  });

  it('a redirect without location, or status 300, is an answer', async () => {
    expect(await (await fetch(`${server.origin}/302/`)).text()).toBe('moved');
    expect(await (await fetch(`${server.origin}/300/${encodeURIComponent('/x')}`)).text()).toBe('moved');
  });

  it('manual hands the redirect over; error rejects', async () => {
    const url = `${server.origin}/302/${encodeURIComponent('/x')}`;
    const response = await fetch(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/x']);
    await response.text();
    await expect(fetch(url, { redirect: 'error' })).rejects.toMatchObject({ message: 'fetch failed' });
  });

  it.each(['http://[', 'ftp://example.test/', 'javascript:alert(1)', 'http://user:pass@127.0.0.1/'])(
    'to %s is refused',
    async (location) => {
      await expect(call(302, location)).rejects.toMatchObject({ message: 'fetch failed' });
    },
  );

  it('in a circle ends after 20', async () => {
    let requests = 0;
    const circle = await serve((_, response) => {
      requests++;
      response.writeHead(302, { location: '/' });
      response.end();
    });
    await expect(fetch(circle.origin)).rejects.toMatchObject({
      cause: { message: 'redirect count exceeded' },
    });
    expect(requests).toBe(21);
    // The next request does not wait for the end of the body before.
    expect(circle.sockets.all).toBeLessThanOrEqual(2);
    await circle.close();
  });

  it('307 with a stream for a body is refused, because it is read already', async () => {
    const body = new Blob(['x']).stream();
    await expect(
      call(307, '/x', { method: 'POST', body, duplex: 'half' } as RequestInit),
    ).rejects.toMatchObject({ message: 'fetch failed' });
  });
});
