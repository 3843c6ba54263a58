/**
 * Tries the packed packages on every runtime, and every adapter on the oldest and newest SDK of its range. Prints a
 * matrix; exit code 1 when something fails. Takes a quarter of an hour and the npm registry.
 *
 *   npx pnpm@10.34.9 runtimes                              everything
 *   npx pnpm@10.34.9 runtimes --write                      and writes scripts/runtimes.json; then run adapters-doc
 *   npx pnpm@10.34.9 runtimes --only runtimes              without SDK versions; `--only sdks`: these alone
 *   npx pnpm@10.34.9 runtimes --sdk groq=1.1.1,0.37.0      one adapter on SDK versions of your choice
 */

import { createServer } from 'vite';

// This Node may be too old to read TypeScript.
const vite = await createServer({
  root: new URL('..', import.meta.url).pathname,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
});
try {
  await vite.ssrLoadModule('/scripts/runtimes/main.ts');
} finally {
  await vite.close();
}
