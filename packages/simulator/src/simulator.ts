import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outgoing } from './connection.ts';
import type { ScriptedReply, ScriptedTurn } from './turn.ts';
import type { RecordedRequest, SeenRequest, WireFormat, WireReply } from './wire/wire-format.ts';

export interface SimulatorOptions {
  readonly wire: WireFormat;
  /** Answered in order. A request too many gets status 500 and makes `close` throw; so does a turn left over. */
  readonly turns?: readonly ScriptedTurn[];
  /** Makes an answer for each request that no turn is left for, such as `demoModel`. */
  readonly respond?: (seen: SeenRequest, request: RecordedRequest) => ScriptedTurn | Promise<ScriptedTurn>;
}

export interface SimulatedExchange {
  readonly request: RecordedRequest;
  /** undefined when the wire format could not read it. */
  readonly seen: SeenRequest | undefined;
  /** What was sent back, before any connection fault; undefined for a hang before it. */
  readonly reply: WireReply | undefined;
  /** Settles when the exchange is over: true when the client closed the connection before the reply was complete. */
  readonly clientLeft: Promise<boolean>;
}

export interface Simulator {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** `origin` plus the format's base path: what an adapter takes as `baseURL`. */
  readonly baseURL: string;
  /** In the order in which the requests were complete. */
  readonly exchanges: readonly SimulatedExchange[];
  /** Adds turns to the script. */
  script(...turns: readonly ScriptedTurn[]): void;
  /** Ends all connections. Throws an Error that lists unexpected requests and unused turns, unless `force`. */
  close(options?: { readonly force?: boolean }): Promise<void>;
}

/** Starts a local provider on a free port of 127.0.0.1 that speaks `wire` and answers by script. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { wire, respond } = options;
  const turns: ScriptedTurn[] = [];
  const exchanges: SimulatedExchange[] = [];
  const unexpected: string[] = [];
  const closing = new AbortController();

  function script(...added: readonly ScriptedTurn[]): void {
    for (const turn of added) checkTurn(turn);
    turns.push(...added);
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { send, clientLeft } = outgoing(response, closing.signal);
    const request = await record(message);
    if (request === undefined) return;
    const exchange: Changing<SimulatedExchange> = { request, seen: undefined, reply: undefined, clientLeft };
    exchanges.push(exchange);
    const number = exchanges.length;
    const note = (what: string) => {
      unexpected.push(`request ${number}, ${request.method} ${request.path}: ${what}`);
    };
    const sendWhole = (reply: WireReply) => {
      exchange.reply = reply;
      return send(reply);
    };

    try {
      if (!wire.accepts(request)) {
        note(`no path of ${wire.name}`);
        return await sendWhole(plain(404, `${wire.name} has no ${request.method} ${request.path}`));
      }
      try {
        exchange.seen = wire.read(request);
      } catch (error) {
        note(`refused: ${messageOf(error)}`);
        return await sendWhole(wire.fail({ status: 400, message: messageOf(error) }, undefined));
      }
      const { seen } = exchange;
      const turn = turns.shift() ?? (await respond?.(seen, request));
      if (turn === undefined) {
        note('no turn left');
        return await sendWhole(plain(500, 'The script of this simulator has no turn left for this request.'));
      }
      const reply = replyTo(turn, seen, wire);
      if (turn.hang !== 'before') exchange.reply = reply;
      const chunks = 'reply' in turn ? turn.reply.chunks : reply.chunks;
      await send({ ...reply, chunks }, turn);
    } catch (error) {
      note(`could not be answered: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else await sendWhole(plain(500, messageOf(error)));
    }
  }

  const server = createServer({ noDelay: true }, (message, response) => {
    void answer(message, response);
  });
  script(...(options.turns ?? []));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;

  return {
    origin,
    baseURL: origin + wire.basePath,
    exchanges,
    script,
    async close({ force = false } = {}) {
      closed ??= new Promise<void>((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await closed;
      const faults = [...unexpected, ...turns.map((turn) => `unused turn: ${shorten(JSON.stringify(turn))}`)];
      if (!force && faults.length > 0) {
        throw new Error(`The script did not match what happened (${wire.name}):\n- ${faults.join('\n- ')}`);
      }
    },
  };
}

type Changing<T> = { -readonly [key in keyof T]: T[key] };

/** undefined when the client went away while it was sending. */
async function record(message: IncomingMessage): Promise<RecordedRequest | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of message) parts.push(part);
  } catch {
    return undefined;
  }
  const bodyBytes = Buffer.concat(parts);
  const bodyText = bodyBytes.toString('utf8');
  const [path = '/', ...query] = (message.url ?? '/').split('?');
  const rawHeaders: [string, string][] = [];
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    rawHeaders.push([message.rawHeaders[i] ?? '', message.rawHeaders[i + 1] ?? '']);
  }
  const method = message.method ?? '';
  return {
    method,
    path,
    query: query.join('?'),
    rawHeaders,
    bodyBytes,
    bodyText,
    body: parseJson(bodyText),
  };
}

function replyTo(turn: ScriptedTurn, seen: SeenRequest, wire: WireFormat): WireReply {
  if ('fail' in turn) return wire.fail(turn.fail, seen);
  if ('reply' in turn) return verbatim(turn.reply);
  return wire.write(turn, seen);
}

function verbatim(reply: ScriptedReply['reply']): WireReply {
  const chunks = reply.chunks.map((chunk) =>
    typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'),
  );
  const text = chunks.join('');
  const named = Object.keys(reply.headers ?? {}).some((name) => name.toLowerCase() === 'content-type');
  const headers = { ...(named ? {} : { 'content-type': contentTypeOf(text) }), ...reply.headers };
  return { status: reply.status ?? 200, headers, chunks, body: parseJson(text) };
}

function contentTypeOf(text: string): string {
  const start = text.trimStart();
  if (/^(data|event|id|retry)?:/.test(start)) return 'text/event-stream';
  if (/^<(!doctype|html)/i.test(start)) return 'text/html';
  return 'application/json';
}

function plain(status: number, message: string): WireReply {
  const body = { error: { message } };
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)], body };
}

function checkTurn(turn: ScriptedTurn): void {
  for (const field of ['delayMs', 'cutOff', 'endAfter', 'splitBytes'] as const) {
    const value = turn[field];
    const least = field === 'splitBytes' ? 1 : 0;
    if (typeof value === 'number' && !(Number.isInteger(value) && value >= least)) {
      throw new TypeError(`A turn's ${field} must be a whole number of at least ${least}, not ${value}.`);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= 120 ? text : `${characters.slice(0, 120).join('')}…`;
}
