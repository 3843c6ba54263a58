/** Runs recordings-report.ts from the sources, also on a Node that cannot read TypeScript itself. */

import { createServer } from 'vite';

const conditions = ['@glassloop/source', 'node', 'import', 'default'];

const vite = await createServer({
  root: new URL('..', import.meta.url).pathname,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { noExternal: [/^@glassloop\//], resolve: { conditions, externalConditions: conditions } },
});
try {
  await vite.ssrLoadModule('/scripts/recordings-report.ts');
} finally {
  await vite.close();
}
