import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface TestServer {
  readonly origin: string;
  readonly port: number;
  /** Sockets opened so far, and those still open. */
  readonly sockets: { readonly all: number; readonly open: ReadonlySet<Socket> };
  close(): Promise<void>;
}

export async function serve(
  listener: RequestListener,
  make: () => Server = createServer,
): Promise<TestServer> {
  const server = make();
  server.on('request', listener);
  const open = new Set<Socket>();
  const sockets = { all: 0, open };
  server.on('connection', (socket: Socket) => {
    sockets.all++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

export async function bodyOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Answers with what arrived. */
export async function echo(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = message;
  const body = await bodyOf(message);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, headers, body }));
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 3000; waited += 5) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited in vain: ${what}`);
}
