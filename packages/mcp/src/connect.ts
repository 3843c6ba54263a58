import {
  type Dropped,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolEffect,
  ToolError,
} from '@glassloop/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { resultAsText } from './result-text.ts';
import { basicEnvironment, type Environment, filledIn, type McpServer, UnusableServer } from './server.ts';
import { StdioProcess } from './stdio-process.ts';
import { offeredName } from './tool-name.ts';

export interface McpOptions {
  /** Where servers are started. Default: the current folder. */
  readonly cwd?: string;
  /** Where `${NAME}` is looked up. Default: `process.env`. */
  readonly env?: Environment;
  /** Names that are taken by other tools. */
  readonly taken?: Iterable<string>;
  /** Ends the wait for servers that start; what has started is closed. Not used after that. */
  readonly signal?: AbortSignal;
}

export interface McpConnection {
  /** In the order of the servers, and of each server's own list. */
  readonly tools: readonly Tool[];
  /** Servers (id `server__*`) and tools that could not be used. */
  readonly dropped: readonly Dropped[];
  /** Ends sessions and processes, those of servers that hang too. Calls after it are error results. Never rejects. */
  close(): Promise<void>;
}

const DEFAULT_CALLS = 20;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_STARTUP_MS = 30_000;
/** A list of tools that never ends is cut here. */
const MOST_TOOLS = 1000;
const END_SESSION_MS = 1000;

/** Connects all servers at once. Rejects only with the reason of its signal, or TypeError for wrong arguments. */
export async function connectMcp(
  servers: { readonly [name: string]: McpServer },
  options: McpOptions = {},
): Promise<McpConnection> {
  const taken = new Set(options.taken ?? []);
  for (const [name, server] of Object.entries(servers)) {
    if ((server.command === undefined) === (server.url === undefined)) {
      throw new TypeError(`connectMcp: server "${name}" must have either command or url.`);
    }
  }
  const opened = await Promise.all(
    Object.entries(servers).map(([name, server]) => openServer(name, server, options)),
  );
  const tools: Tool[] = [];
  const dropped: Dropped[] = [];
  for (const one of opened) {
    dropped.push(...one.dropped);
    if (one.client !== undefined) tools.push(...toolsOf(one, one.client, taken, dropped));
  }
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()));
  };
  if (options.signal?.aborted) {
    await close();
    throw options.signal.reason;
  }
  return { tools, dropped, close };
}

interface OpenedServer {
  readonly name: string;
  readonly server: McpServer;
  /** Absent: it cannot be used. */
  readonly client?: Client;
  readonly listed: readonly unknown[];
  readonly dropped: readonly Dropped[];
  close(): Promise<void>;
}

async function openServer(name: string, server: McpServer, options: McpOptions): Promise<OpenedServer> {
  const client = new Client({ name: 'glassloop', version: '0.1.0' });
  const startupMs = server.startupMs ?? DEFAULT_STARTUP_MS;
  let transport: StdioProcess | StreamableHTTPClientTransport | undefined;
  const close = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransport) {
      const ended = transport.terminateSession().catch(() => undefined);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_SESSION_MS).unref())]);
    }
    await client.close().catch(() => undefined);
    await transport?.close().catch(() => undefined);
  };
  const deadline = AbortSignal.timeout(startupMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  try {
    transport = transportFor(server, options);
    const listed = await within(signal, listTools(client, transport, { signal, timeout: startupMs }));
    return { name, server, client, listed, dropped: [], close };
  } catch (error) {
    await close();
    const said =
      transport instanceof StdioProcess && transport.errorText !== ''
        ? ` It said: ${transport.errorText}`
        : '';
    const why = deadline.aborted ? `it did not answer within ${startupMs} ms` : connectionFailure(error);
    const detail = `The MCP server "${name}" cannot be used: ${why}.${said}`;
    return { name, server, listed: [], dropped: [droppedTool(`${name}__*`, detail)], close };
  }
}

function transportFor(server: McpServer, { cwd = process.cwd(), env = process.env }: McpOptions) {
  if (server.url !== undefined) {
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: filledIn(server.headers ?? {}, env) },
    });
  }
  return new StdioProcess({
    command: server.command!,
    args: server.args ?? [],
    env: { ...basicEnvironment(env), ...filledIn(server.env ?? {}, env) },
    cwd: server.cwd ?? cwd,
  });
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

async function listTools(
  client: Client,
  transport: Transport | StreamableHTTPClientTransport,
  bounds: Bounds,
) {
  await client.connect(transport as Transport, bounds);
  const listed: unknown[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  do {
    cursors.add(cursor);
    // Not client.listTools(): one tool that it does not like would make it refuse the whole list.
    const page = await client.request(
      { method: 'tools/list', params: typeof cursor === 'string' ? { cursor } : {} },
      ResultSchema,
      bounds,
    );
    if (!Array.isArray(page['tools'])) throw new UnusableServer('it did not list any tools');
    listed.push(...page['tools']);
    cursor = page['nextCursor'];
  } while (typeof cursor === 'string' && !cursors.has(cursor) && listed.length < MOST_TOOLS);
  return listed.slice(0, MOST_TOOLS);
}

/** A server that does not say so in as many words may change things. */
function effectOf(annotations: unknown): ToolEffect {
  const { readOnlyHint } = (annotations ?? {}) as { readonly readOnlyHint?: unknown };
  return readOnlyHint === true ? 'reads' : 'writes';
}

function toolsOf(
  { name: serverName, server, listed }: OpenedServer,
  client: Client,
  taken: Set<string>,
  dropped: Dropped[],
): Tool[] {
  const budget = { left: server.maxCalls ?? DEFAULT_CALLS };
  const missing = new Set(server.tools ?? []);
  const seen = new Set<string>();
  const tools = listed.flatMap((entry) => {
    const { name, title, description, inputSchema, annotations } = (entry ?? {}) as {
      [field: string]: unknown;
    };
    if (typeof name !== 'string' || name === '') {
      dropped.push(
        droppedTool(`${serverName}__`, `The MCP server "${serverName}" lists a tool without a name.`),
      );
      return [];
    }
    missing.delete(name);
    if (server.tools !== undefined && !server.tools.includes(name)) return [];
    const offered = seen.has(name) ? undefined : offeredName(serverName, name, taken);
    seen.add(name);
    if (offered === undefined) {
      const detail = `The MCP server "${serverName}" lists the tool "${name}" twice; the first is used.`;
      dropped.push({ kind: 'tool', id: `${serverName}__${name}`, reason: 'duplicate', detail });
      return [];
    }
    try {
      return [
        defineTool({
          name: offered,
          description: ([description, title].find((text) => typeof text === 'string') as string) ?? '',
          input: (inputSchema ?? {}) as { [keyword: string]: unknown },
          effect: effectOf(annotations),
          execute: (input, context) => callTool({ client, server, serverName, name, budget }, input, context),
        }),
      ];
    } catch (error) {
      dropped.push(
        droppedTool(offered, `${messageOf(error)} (tool "${name}" of the MCP server "${serverName}")`),
      );
      return [];
    }
  });
  for (const name of missing) {
    const detail = `The MCP server "${serverName}" has no tool "${name}".`;
    dropped.push({ kind: 'tool', id: `${serverName}__${name}`, reason: 'not_found', detail });
  }
  return tools;
}

interface RemoteTool {
  readonly client: Client;
  readonly server: McpServer;
  readonly serverName: string;
  readonly name: string;
  readonly budget: { left: number };
}

async function callTool(remote: RemoteTool, input: unknown, { signal }: ToolContext): Promise<string> {
  const { client, server, serverName, name, budget } = remote;
  if (budget.left <= 0) {
    throw new ToolError(
      `The MCP server "${serverName}" may be called ${server.maxCalls ?? DEFAULT_CALLS} times, and that is used up. Answer with what is there.`,
    );
  }
  budget.left--;
  const timeout = server.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let result: { readonly [key: string]: unknown };
  try {
    result = await client.request(
      { method: 'tools/call', params: { name, arguments: input as { [name: string]: unknown } } },
      ResultSchema,
      { signal, timeout, maxTotalTimeout: timeout },
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ToolError(`The MCP server "${serverName}" ${callFailure(error, timeout)}`);
  }
  const text = resultAsText(result);
  if (result['isError'] === true)
    throw new ToolError(text || `The tool "${name}" failed without saying why.`);
  return text;
}

/** The end of a sentence for the model. Of what a connection throws only the kind is told: it may hold keys and hosts. */
function callFailure(error: unknown, timeout: number): string {
  if (!(error instanceof McpError)) return `could not be reached${statusOf(error)}.`;
  if (error.code === ErrorCode.RequestTimeout) return `did not answer within ${timeout} ms.`;
  if (error.code === ErrorCode.ConnectionClosed) return 'has ended the connection.';
  return `refused the call: ${error.message.replace(/^MCP error -?\d+: /, '')}`;
}

function connectionFailure(error: unknown): string {
  if (error instanceof UnusableServer) return error.message;
  if (error instanceof McpError) {
    return error.code === ErrorCode.ConnectionClosed
      ? 'its process ended, or the connection was closed'
      : error.message;
  }
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT') return 'there is no such command';
  return `the connection failed${statusOf(error)}`;
}

function statusOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  if (typeof code === 'number') return ` (HTTP status ${code})`;
  const why = cause?.code ?? code;
  return typeof why === 'string' ? ` (${why})` : '';
}

function droppedTool(id: string, detail: string): Dropped {
  return { kind: 'tool', id, reason: 'unreadable', detail };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The promise, or the reason of the signal: what a transport does while it starts knows no signal. */
function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
