import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RunFolder } from './history/folder.ts';
import { DEFAULT_RETENTION } from './history/retention.ts';
import { allowedHosts, checkHost, SECURITY_HEADERS } from './http/guard.ts';
import { ProblemError } from './http/problem.ts';
import { newToken, TokenGate } from './http/token.ts';
import type { PlaygroundOptions } from './options.ts';
import { Runs } from './runs/runs.ts';
import { Secrets } from './runs/secrets.ts';
import { playgroundServer } from './server.ts';

const DEFAULT_PORT = 4711;
const DEFAULT_RUNNING_AT_ONCE = 4;
const SHORTEST_TOKEN = 32;
const LAST_LINES_MS = 300;

export interface Playground {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** The address to open: with the token in its fragment, which browsers never send. */
  readonly url: string;
  readonly token: string;
  /** Stops all runs, waits until they are recorded, and ends all connections. */
  close(): Promise<void>;
}

/**
 * Starts the playground on 127.0.0.1. Rejects with a TypeError for a token that is too short, with the system's error
 * (`code` EADDRINUSE) when the port is taken, with a file error when the history folder cannot be made.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const token = options.token ?? newToken();
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < SHORTEST_TOKEN) {
    throw new TypeError(`The token must have at least ${SHORTEST_TOKEN} characters, without spaces.`);
  }
  const { contents, unsafeRemote, runningAtOnce = DEFAULT_RUNNING_AT_ONCE, log = () => {} } = options;
  const trustedHosts = unsafeRemote?.trustedHosts ?? [];
  if (unsafeRemote !== undefined && trustedHosts.length === 0) {
    throw new TypeError('unsafeRemote needs the Host headers that are trusted, such as box.local:4711.');
  }
  const extra = typeof options.secrets === 'function' ? options.secrets : () => options.secrets ?? [];
  const secrets = new Secrets(() => [...(extra as () => readonly string[])(), token]);
  const { folder, ...limits } = options.history ?? {};
  const retention = { ...DEFAULT_RETENTION, ...limits };
  const runs = new Runs({
    folder: folder === undefined ? undefined : new RunFolder(folder),
    retention,
    secrets,
    runningAtOnce,
    log,
  });
  await runs.prune();

  let hosts: ReadonlySet<string> = new Set();
  const handle = playgroundServer({
    runs,
    secrets,
    gate: new TokenGate(token),
    contents: async () => (typeof contents === 'function' ? contents() : contents),
    hosts: () => hosts,
    trustedHosts,
    version: options.version,
    retention,
    runningAtOnce,
    log,
  });
  const answer = getRequestListener(handle, { overrideGlobalObjects: false });
  const server = createServer({ noDelay: true, requestTimeout: 0 }, (request, response) => {
    // Before anything reads the request: what a URL is made of is not trusted yet.
    const isOurs =
      request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length === 1;
    try {
      checkHost(isOurs && request.url?.startsWith('/') ? request.headers.host : undefined, hosts);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      response.writeHead(error.status, {
        ...SECURITY_HEADERS,
        'content-type': 'application/problem+json',
        connection: 'close',
      });
      response.end(JSON.stringify(error.toProblem('')));
      return;
    }
    void answer(request, response);
  });
  const port = await listen(server, options.port ?? DEFAULT_PORT, unsafeRemote?.host ?? '127.0.0.1');
  hosts = allowedHosts(port, trustedHosts);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}/#t=${token}`,
    token,
    async close() {
      await runs.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Readers get the last lines before they are cut off.
        setTimeout(() => server.closeAllConnections(), LAST_LINES_MS);
      });
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
