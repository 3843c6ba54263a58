// A server that misbehaves, by hand, because the SDK would not let it: node odd.mjs MODE
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode, pidFile] = process.argv.slice(2);
const tools = [
  {
    name: 'fine',
    description: 'Works',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  { name: 'fine', description: 'Again', inputSchema: { type: 'object' } },
  { name: 'a b', inputSchema: { type: 'object' }, annotations: { readOnlyHint: 'yes' } },
  { name: 'a_b', inputSchema: { type: 'object' } },
  { name: 'list', inputSchema: { type: 'array' } },
  { description: 'no name' },
  { name: `long-${'x'.repeat(100)}`, inputSchema: { type: 'object' } },
];
if (mode === 'fails') {
  process.stderr.write('cannot find my database\n');
  process.exit(1);
}
if (mode === 'stubborn') {
  // Ignores the end of its input and SIGTERM, and has a child that does so too.
  const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  writeFileSync(pidFile, JSON.stringify([process.pid, child.pid]));
}
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (mode === 'silent' || id === undefined) return;
  process.stdout.write('this line is noise\n');
  if (method === 'initialize') {
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    });
  } else if (method === 'tools/list') {
    const page = Number(params?.cursor ?? 0);
    answer(id, {
      tools: tools.slice(page, page + 3),
      ...(page + 3 < tools.length ? { nextCursor: String(page + 3) } : {}),
    });
  } else answer(id, { content: [{ type: 'hologram' }, { type: 'text', text: 'ok' }] });
});
