// Writes the pictures of the README: node packages/playground/scripts/screenshots.mjs [folder]
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const here = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, '../../docs/images'));
const conditions = ['@glassloop/source', 'node', 'import', 'module', 'default'];

// The stage and the browser of the tests are TypeScript; vite reads it as the tests do.
const loader = await createServer({
  root: here,
  configFile: false,
  appType: 'custom',
  server: { middlewareMode: true, watch: null, hmr: false },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  logLevel: 'error',
});
const { takePictures } = await loader.ssrLoadModule('/test/e2e/pictures.ts');
mkdirSync(folder, { recursive: true });
for (const name of await takePictures(folder)) console.log(name);
await loader.close();
