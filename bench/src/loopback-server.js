/** A provider in a process of its own, so that only the client's CPU is measured. Prints its port; takes plans by path. */

import { createServer } from 'node:http';
import { reply, roundOf } from './provider.js';

// The plan travels in the path (`/{"rounds":10,…}/v1/…`), so that one server serves all measurements.
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const text = Buffer.concat(parts).toString('latin1');
    // A stream is sent to whoever asks for one.
    const plan = {
      ...JSON.parse(decodeURIComponent(request.url.split('/')[1])),
      stream: text.includes('"stream":true'),
    };
    const { type, chunks } = reply(plan, roundOf(plan, text));
    response.writeHead(200, { 'content-type': type });
    for (const chunk of chunks.slice(0, -1)) response.write(chunk);
    response.end(chunks.at(-1));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit()).resume();
