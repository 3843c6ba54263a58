import type { IncomingMessage } from 'node:http';
import type { IncomingBody } from './incoming-body.ts';

/** Closes the connection of an answer that nobody can read any more. */
const unread = new FinalizationRegistry<IncomingBody>((body) => body.drop());

/**
 * The parts of a `Response` that callers use, each made when it is asked for: Node's own makes streams and lists for every
 * answer, whether read or not. It stands on Response's prototype, so that `instanceof Response` holds.
 */
export class LeanResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly url: string;
  readonly redirected: boolean;
  readonly type = 'basic';
  readonly #rawHeaders: readonly string[];
  readonly #body: IncomingBody;
  #headers: Headers | undefined;
  /** Takes over once there is a second reader (clone). */
  #copy: Response | undefined;
  #isWatched = true;

  constructor(message: IncomingMessage, body: IncomingBody, url: URL, redirected: boolean) {
    this.status = message.statusCode ?? 0;
    this.statusText = message.statusMessage ?? '';
    this.ok = this.status >= 200 && this.status < 300;
    this.url = url.href;
    this.redirected = redirected;
    this.#rawHeaders = message.rawHeaders;
    this.#body = body;
    unread.register(this, body, this);
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (let at = 0; at + 1 < this.#rawHeaders.length; at += 2)
        this.#headers.append(this.#rawHeaders[at]!, this.#rawHeaders[at + 1]!);
    }
    return this.#headers;
  }

  get body(): ReadableStream<Uint8Array> | null {
    this.#unwatch();
    return this.#copy === undefined ? this.#body.stream() : (this.#copy.body as ReadableStream<Uint8Array>);
  }

  get bodyUsed(): boolean {
    return this.#copy?.bodyUsed ?? this.#body.isUsed;
  }

  async text(): Promise<string> {
    if (this.#copy !== undefined) return this.#copy.text();
    const bytes = await this.#whole();
    // A mark of the byte order is no part of the text.
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return bytes.toString('utf8', hasMark ? 3 : 0);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.arrayBuffer());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.#copy !== undefined) return this.#copy.arrayBuffer();
    const bytes = await this.#whole();
    // A copy: the bytes may lie in a buffer that others use too.
    return new Uint8Array(bytes).buffer;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.arrayBuffer()], { type: this.headers.get('content-type') ?? '' });
  }

  async formData(): Promise<FormData> {
    return new Response(await this.arrayBuffer(), { headers: this.headers }).formData();
  }

  /** A `Response` of the platform; this one reads on through one, too. */
  clone(): Response {
    if (this.bodyUsed || this.body?.locked) throw new TypeError('The body is used already.');
    const [mine, theirs] = this.body?.tee() ?? [null, null];
    this.#copy = new Response(mine);
    const { status, statusText, headers, url, redirected } = this;
    return Object.defineProperties(new Response(theirs, { status, statusText, headers }), {
      url: { value: url },
      redirected: { value: redirected },
    });
  }

  #whole(): Promise<Buffer> {
    this.#unwatch();
    return this.#body.whole();
  }

  #unwatch(): void {
    if (this.#isWatched) unread.unregister(this);
    this.#isWatched = false;
  }
}

Object.setPrototypeOf(LeanResponse.prototype, Response.prototype);
