import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Inflate,
} from 'node:zlib';

/** Hands on what there is at each network read, and takes what a server leaves unfinished, as browsers do. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
/** More than any honest server applies; a list of hundreds would be an attack. */
const MOST_CODINGS = 5;

/** The body without its compression; the message itself when it has none, or one that was not asked for. */
export function decoded(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding'];
  if (encoding === undefined) return message;
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MOST_CODINGS) return message;
  const steps = codings.reverse().map(decoder);
  const last = steps.at(-1);
  if (last === undefined || steps.includes(undefined)) return message;
  // The callback is for the pipeline alone: readers hear of failures from its last step.
  pipeline([message, ...(steps as Transform[])], () => {});
  return last;
}

function decoder(coding: string): Transform | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(ZLIB);
    case 'deflate':
      return new AnyInflate();
    case 'br':
      return createBrotliDecompress(BROTLI);
    default:
      return undefined;
  }
}

/** `deflate` means zlib, but some servers leave out the zlib header; the first byte tells. */
class AnyInflate extends Transform {
  #inflate: Inflate | undefined;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#inflate ??= this.#begin(chunk);
    this.#inflate.write(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#inflate === undefined) done();
    else this.#inflate.once('end', () => done()).end();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #begin(chunk: Buffer): Inflate {
    const inflate = (chunk[0]! & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    inflate.on('data', (piece: Buffer) => this.push(piece));
    inflate.on('error', (error) => this.destroy(error));
    return inflate as Inflate;
  }
}
