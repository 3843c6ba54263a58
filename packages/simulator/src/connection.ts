import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ScriptedConnection } from './turn.ts';

/** What `Outgoing.send` puts on the wire, one network write per chunk. */
interface Parcel {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly chunks: readonly (string | Uint8Array)[];
}

export interface Outgoing {
  /** Settles when nothing more will be sent, whoever ended it. Rejects only for a status or headers that HTTP has no form for. */
  send(parcel: Parcel, behaviour?: ScriptedConnection): Promise<void>;
  /** Settles when the exchange is over: true when the client closed the connection before the reply was complete. */
  readonly clientLeft: Promise<boolean>;
}

/** One response that can misbehave on purpose. `closing` ends waits; the server ends the connection itself. */
export function outgoing(response: ServerResponse, closing: AbortSignal): Outgoing {
  let endedHere = false;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  // A client that goes away while we write is an outcome, not an error of the server.
  response.on('error', () => {});

  const cut = () => {
    endedHere = true;
    response.socket?.destroy();
  };

  const write = (piece: Uint8Array) =>
    Promise.race([closed, new Promise<void>((resolve) => response.write(piece, () => resolve()))]);

  async function deliver(parcel: Parcel, behaviour: ScriptedConnection): Promise<void> {
    const { delayMs, hang, cutOff, endAfter, splitBytes } = behaviour;
    if (delayMs !== undefined) await pause(delayMs, closed, closing);
    if (response.destroyed || closing.aborted) return;
    if (cutOff === 'before') return cut();
    if (hang === 'before') return closed;

    const buffers = parcel.chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    const pieces = splitBytes === undefined ? buffers : split(Buffer.concat(buffers), splitBytes);
    const complete = hang === undefined && cutOff === undefined && endAfter === undefined;
    // Only a reply that will be complete states its length: without it, a missing end is visible to the client.
    const length = complete && buffers.length === 1 ? { 'content-length': String(buffers[0]?.length) } : {};
    response.writeHead(parcel.status, { ...length, ...parcel.headers });

    const last = Math.min(pieces.length, hang === 'midway' ? 1 : (cutOff ?? endAfter ?? pieces.length));
    if (complete && last === 1) {
      response.end(pieces[0]);
      return closed;
    }
    if (last === 0) response.flushHeaders();
    for (const piece of pieces.slice(0, last)) {
      await write(piece);
      // Lets the network layer flush, so that pieces stay separate and a client sees one after the other.
      await setImmediate();
      if (response.destroyed) return;
    }
    if (hang === 'midway') return closed;
    if (cutOff !== undefined) {
      await setImmediate();
      return cut();
    }
    response.end();
    return closed;
  }

  return {
    send: (parcel, behaviour = {}) => deliver(parcel, behaviour),
    clientLeft: closed.then(() => !response.writableFinished && !endedHere && !closing.aborted),
  };
}

async function pause(delayMs: number, closed: Promise<void>, closing: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, closing]);
  await Promise.race([closed, setTimeout(delayMs, undefined, { signal }).catch(() => {})]);
  over.abort();
}

function split(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) pieces.push(bytes.subarray(start, start + size));
  return pieces;
}
