import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the provider in a process of its own. */
export async function startLoopback() {
  const script = fileURLToPath(new URL('loopback-server.js', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  return {
    /** Where a plan is served. */
    baseURL: ({ rounds, calls, wire }) =>
      `http://127.0.0.1:${port.trim()}/${encodeURIComponent(JSON.stringify({ rounds, calls, wire }))}/v1`,
    stop: () => child.stdin.end(),
  };
}
