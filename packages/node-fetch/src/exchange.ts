import { defaultMaxListeners, getMaxListeners, setMaxListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connections } from './connections.ts';
import type { Outgoing } from './outgoing.ts';

const MANY = 10_000;

/**
 * Sends one request and resolves when the head of the answer is there. An abort closes the connection as long as the
 * answer is not read to its end; nothing listens to the signal afterwards.
 */
export function exchange(outgoing: Outgoing, connections: Connections): Promise<IncomingMessage> {
  const { signal, body } = outgoing;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw signal.reason;
    const request = connections.request(outgoing, contentLength(body));
    let isAnswered = false;
    const forget = () => signal?.removeEventListener('abort', onAbort);
    const onAbort = () => {
      // By way of `outgoing`, so that the open connection holds it, and with it the Request.
      reject(outgoing.signal!.reason);
      request.destroy();
    };
    const onFailure = (cause = new Error('the connection was closed')) => {
      forget();
      // Behind the head of the answer, its body tells.
      if (!isAnswered) reject(new TypeError('fetch failed', { cause }));
    };
    if (signal !== undefined) {
      // One signal for many calls at once is no leak, so Node should not warn of one.
      if (getMaxListeners(signal) === defaultMaxListeners) setMaxListeners(MANY, signal);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    request.on('error', onFailure);
    // Comes last, whatever happened: after the body was read, or after the connection was closed.
    request.on('close', onFailure);
    request.on('response', (message) => {
      isAnswered = true;
      resolve(message);
    });
    send(request, body);
  });
}

function send(request: ClientRequest, body: Outgoing['body']): void {
  if (body instanceof ReadableStream) {
    const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    pipeline(source, request).catch((error) => request.destroy(error));
  } else {
    request.end(body);
  }
}

/** undefined: not known before it is sent. */
function contentLength(body: Outgoing['body']): number | undefined {
  if (body === undefined) return 0;
  if (body instanceof ReadableStream) return undefined;
  return body.byteLength;
}
