/** One fetch: an exchange, and one more for each redirect. */

import type { IncomingMessage } from 'node:http';
import type { Connections } from './connections.ts';
import { exchange } from './exchange.ts';
import { IncomingBody } from './incoming-body.ts';
import { LeanResponse } from './lean-response.ts';
import type { Outgoing } from './outgoing.ts';

const MOST_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export async function follow(first: Outgoing, connections: Connections): Promise<Response> {
  let outgoing = first;
  for (let redirects = 0; ; redirects++) {
    const message = await exchange(outgoing, connections);
    const { location } = message.headers;
    if (location === undefined || !REDIRECTS.has(message.statusCode ?? 0) || outgoing.redirect === 'manual') {
      const body = new IncomingBody(message, outgoing.method, outgoing.signal);
      return new LeanResponse(message, body, outgoing.url, redirects > 0) as unknown as Response;
    }
    letGo(message);
    if (outgoing.redirect === 'error') throw failed('unexpected redirect');
    if (redirects === MOST_REDIRECTS) throw failed('redirect count exceeded');
    outgoing = redirected(outgoing, message.statusCode!, location);
  }
}

/** Names of headers that may hold a secret: they stay with the origin they were meant for. */
const SECRET = /authorization|cookie|auth|token|secret|key|^host$/;
const OF_BODY = /^content-/;

function redirected(outgoing: Outgoing, status: number, location: string): Outgoing {
  const url = locationOf(location, outgoing.url);
  const { method } = outgoing;
  const becomesGet =
    status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST';
  if (!becomesGet && outgoing.body instanceof ReadableStream) {
    throw failed('a body that is a stream cannot be sent again to where the redirect points');
  }
  const sameOrigin = url.origin === outgoing.url.origin;
  const headers: string[] = [];
  for (let at = 0; at < outgoing.headers.length; at += 2) {
    const name = outgoing.headers[at]!;
    if ((!sameOrigin && SECRET.test(name)) || (becomesGet && OF_BODY.test(name))) continue;
    headers.push(name, outgoing.headers[at + 1]!);
  }
  return {
    ...outgoing,
    url,
    headers,
    ...(becomesGet ? { method: 'GET', body: undefined } : {}),
  };
}

function locationOf(location: string, base: URL): URL {
  let url: URL;
  try {
    // Header bytes come as latin1; a path that is written in UTF-8 all the same is read as such.
    url = new URL(Buffer.from(location, 'latin1').toString('utf8'), base);
  } catch {
    throw failed('the redirect points to no URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw failed('the redirect leaves http');
  if (url.username !== '' || url.password !== '') throw failed('the redirect holds a user name or password');
  url.hash = '';
  return url;
}

/** A short body is read, so that the connection can be used again; a long one is not worth it. */
function letGo(message: IncomingMessage): void {
  let left = 16_384;
  message.on('error', () => {});
  message.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) message.destroy();
  });
}

function failed(why: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(why) });
}
