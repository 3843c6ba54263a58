/** A provider in a process of its own, so that only the client's CPU is measured. Prints its port. */

import { createServer } from 'node:http';
import { replyBody, roundOf } from './provider.js';

const rounds = Number(process.argv[2]);
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const round = roundOf(Buffer.concat(chunks).toString('latin1'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(replyBody({ rounds }, round));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => server.close()).resume();
