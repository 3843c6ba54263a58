// A server made with the official SDK: over stdio, or with --http over streamable HTTP (prints its port).
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function makeServer() {
  const server = new McpServer({ name: 'official', version: '1.0.0' });
  const text = (text) => ({ content: [{ type: 'text', text }] });
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => text(String(a + b)),
  );
  server.registerTool('mixed', { description: 'All kinds of content' }, () => ({
    content: [
      { type: 'text', text: 'a picture:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside a.txt' } },
      {
        type: 'resource',
        resource: { uri: 'file:///a.bin', blob: 'AAAA', mimeType: 'application/octet-stream' },
      },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
    ],
  }));
  server.registerTool(
    'structured',
    { description: 'Structured content', outputSchema: { celsius: z.number() } },
    () => ({ content: [], structuredContent: { celsius: 21 } }),
  );
  server.registerTool('refuses', { description: 'Says that it failed' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'no such ticket' }],
  }));
  server.registerTool('hangs', { description: 'Never answers' }, (extra) => {
    extra.signal.addEventListener('abort', () => process.stderr.write('call cancelled\n'));
    return new Promise(() => undefined);
  });
  server.registerTool('dies', { description: 'Ends the process' }, () => process.exit(3));
  server.registerTool('environment', { description: 'Names of its variables' }, () =>
    text(
      JSON.stringify(
        Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value.length])),
      ),
    ),
  );
  server.registerTool('dotted.name/ü', { description: 'Has a name no provider takes' }, () => text('here'));
  return server;
}

if (process.argv.includes('--http')) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer letmein') return response.writeHead(401).end();
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
        onsessionclosed: (id) => {
          sessions.delete(id);
          process.stdout.write('session ended\n');
        },
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`${http.address().port}\n`));
} else {
  process.stderr.write(`pid ${process.pid}\n`);
  await makeServer().connect(new StdioServerTransport());
}
