/** What is to be sent, read out of the two arguments of `fetch`. */

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  /** Name, value, name, value …; names in small letters. Without those that the connection itself writes. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal: AbortSignal | undefined;
  /** Held as long as the exchange lasts: an abort reaches the signal of a Request only while the Request is alive. */
  readonly request: Request | undefined;
  readonly redirect: 'follow' | 'error' | 'manual';
}

type Input = Parameters<typeof fetch>[0];
type Init = NonNullable<Parameters<typeof fetch>[1]>;

export async function readRequest(input: Input, init: Init = {}): Promise<Outgoing> {
  const request = input instanceof Request ? input : undefined;
  const url = request === undefined ? new URL(input as string | URL) : new URL(request.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('fetch failed', { cause: new Error(`unknown scheme ${url.protocol}`) });
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The URL holds a user name or password; send them as a header.');
  }
  url.hash = '';
  const method = methodOf(init.method ?? request?.method ?? 'GET');
  const { body, type } = await bodyOf(request, init);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError(`A ${method} request has no body.`);
  }
  return {
    method,
    url,
    headers: headersOf(init.headers ?? request?.headers, type),
    body,
    request,
    signal: init.signal === null ? undefined : (init.signal ?? request?.signal),
    redirect: init.redirect ?? request?.redirect ?? 'follow',
  };
}

function methodOf(method: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/.test(method)) throw new TypeError('The method is no HTTP method.');
  const upper = method.toUpperCase();
  if (upper === 'CONNECT' || upper === 'TRACE' || upper === 'TRACK')
    throw new TypeError(`${upper} is not allowed.`);
  // Other methods are sent as they are written, as the standard has it.
  return /^(GET|HEAD|POST|PUT|DELETE|OPTIONS)$/.test(upper) ? upper : method;
}

async function bodyOf(
  request: Request | undefined,
  init: Init,
): Promise<{ body: Outgoing['body']; type?: string | undefined }> {
  const body = init.body ?? (init.body === null ? undefined : request?.body);
  if (body === undefined || body === null) return { body: undefined };
  // As bytes: Node would join a text with the head of the request, and then write both in one encoding.
  if (typeof body === 'string') return { body: Buffer.from(body), type: 'text/plain;charset=UTF-8' };
  // A Request's own body is known whole by now, but only readable as a stream; its type is among its headers.
  if (init.body === undefined) return { body: new Uint8Array(await request!.arrayBuffer()) };
  if (body instanceof Uint8Array) return { body };
  if (body instanceof ReadableStream) return { body };
  // Everything else there is (forms, blobs, buffers, parameters), the platform knows how to write.
  const written = new Response(body as ConstructorParameters<typeof Response>[0]);
  return {
    body: new Uint8Array(await written.arrayBuffer()),
    type: written.headers.get('content-type') ?? undefined,
  };
}

/** Written by the connection itself. */
const OWN = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function headersOf(given: Init['headers'], type: string | undefined): string[] {
  const headers = given instanceof Headers ? given : new Headers(given as [string, string][] | undefined);
  const list: string[] = [];
  let [accepts, encodes, named, typed] = [false, false, false, type === undefined];
  for (const [name, value] of headers) {
    if (OWN.has(name)) continue;
    if (name === 'accept') accepts = true;
    else if (name === 'accept-encoding') encodes = true;
    else if (name === 'user-agent') named = true;
    else if (name === 'content-type') typed = true;
    list.push(name, value);
  }
  if (!accepts) list.push('accept', '*/*');
  if (!encodes) list.push('accept-encoding', 'gzip, deflate, br');
  if (!named) list.push('user-agent', 'node');
  if (!typed) list.push('content-type', type!);
  return list;
}
