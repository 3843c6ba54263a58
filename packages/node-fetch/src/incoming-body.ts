import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { decoded } from './decode.ts';

/** The body of an answer: whole, or as a web stream. Its connection is free again when it was read, or dropped. */
export class IncomingBody {
  readonly isEmpty: boolean;
  readonly #message: IncomingMessage;
  /** The message, or what is left of it without compression. */
  readonly #source: Readable;
  readonly #signal: AbortSignal | undefined;
  #failure: unknown;
  #stream: ReadableStream<Uint8Array> | undefined;
  #isUsed = false;

  constructor(message: IncomingMessage, method: string, signal: AbortSignal | undefined) {
    const status = message.statusCode ?? 0;
    this.isEmpty = method === 'HEAD' || status === 204 || status === 205 || status === 304;
    this.#message = message;
    this.#signal = signal;
    this.#source = this.isEmpty ? message : decoded(message);
    this.#source.on('error', (error) => {
      this.#failure ??= error;
    });
    if (this.isEmpty) message.resume();
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** All bytes. Rejects with the signal's reason when aborted, with TypeError "terminated" when the connection broke. */
  whole(): Promise<Buffer> {
    if (this.isEmpty) return this.#nothing();
    if (this.#isUsed || this.#stream?.locked) return Promise.reject(new TypeError('Body is unusable'));
    this.#isUsed = true;
    // Whoever looked at the stream before finds it taken.
    this.#stream?.getReader();
    const source = this.#source;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      source.on('data', (chunk: Buffer) => chunks.push(chunk));
      source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      // After the end, `reject` changes nothing.
      this.#whenBroken(reject);
    });
  }

  /** Made when it is first asked for; reads nothing before it is read. */
  stream(): ReadableStream<Uint8Array> | null {
    if (this.isEmpty) return null;
    if (this.#stream === undefined) {
      this.#stream = this.#makeStream();
      // Read as a whole before: there is nothing left, and that must show.
      if (this.#isUsed) this.#stream.getReader();
    }
    return this.#stream;
  }

  /** Nobody will read on. What has come as a whole is thrown away, so that its connection can be used again. */
  drop(): void {
    if (this.#message.complete) this.#source.resume();
    else this.#source.destroy();
  }

  /** Waits until the connection is free, so that the next call finds it. */
  #nothing(): Promise<Buffer> {
    const source = this.#source;
    return new Promise((resolve) => {
      if (source.readableEnded || source.destroyed) resolve(Buffer.alloc(0));
      else source.once('close', () => resolve(Buffer.alloc(0)));
    });
  }

  #makeStream(): ReadableStream<Uint8Array> {
    const source = this.#source;
    let controller: ReadableStreamDefaultController<Uint8Array>;
    let isWanted = false;
    let isDone = false;
    const deliver = () => {
      if (!isWanted || isDone) return;
      // All that has come, as one piece.
      const chunk: Buffer | null = source.read();
      if (chunk === null) return;
      isWanted = false;
      controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      // Finds the end, if there is no more to come, so that the connection is free before somebody asks for more.
      if (this.#message.complete) source.read(0);
    };
    const done = (tell: () => void) => {
      if (!isDone) tell();
      isDone = true;
    };
    const begin = () => {
      this.#isUsed = true;
      source.on('readable', deliver);
      source.on('end', () => done(() => controller.close()));
      this.#whenBroken((reason) => done(() => controller.error(reason)));
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
        },
        pull: () => {
          if (!this.#isUsed) begin();
          isWanted = true;
          deliver();
        },
        cancel: () => {
          isDone = true;
          this.#isUsed = true;
          source.off('readable', deliver);
          this.drop();
        },
      },
      // Without a queue nothing is read before somebody asks.
      { highWaterMark: 0 },
    );
  }

  /** Calls back at most once, with what a reader is to be told, if the source ends before its end. */
  #whenBroken(tell: (reason: unknown) => void): void {
    const source = this.#source;
    const broken = () => {
      if (source.readableEnded) return;
      const cause = this.#failure ?? new Error('the connection was closed');
      tell(this.#signal?.aborted ? this.#signal.reason : new TypeError('terminated', { cause }));
    };
    if (source.destroyed) broken();
    else source.once('close', broken);
  }
}
