import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireReply } from '@glassloop/simulator';

export interface PlainServer {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Answers every request with the same bytes and keeps nothing at all: for measurements of memory, in which a
 * simulator that records every exchange would be the one that keeps the bodies.
 */
export async function plainServer(
  { status, headers, chunks }: Pick<WireReply, 'status' | 'headers' | 'chunks'>,
  onRequest: (rawHeaders: readonly string[]) => void = () => {},
): Promise<PlainServer> {
  const bytes = Buffer.from(chunks.join(''));
  const server = createServer((request, response) => {
    onRequest(request.rawHeaders);
    request.resume().once('end', () => {
      response.writeHead(status, headers);
      response.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
