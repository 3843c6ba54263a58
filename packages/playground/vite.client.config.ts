import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { icons } from './vite.icons.ts';
import { workerChunks } from './vite.workers.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const conditions = ['@glassloop/source', 'browser', 'module', 'import', 'default'];

/** The page of the server: hashed files, so that they are cached for ever. */
export default defineConfig({
  root: here('src/client'),
  base: '/',
  plugins: [icons(), workerChunks()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { conditions },
  build: {
    outDir: here('dist/client'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: here('src/client/index.html'), viewer: here('src/client/viewer.html') },
      output: {
        codeSplitting: {
          // Few files: packed together they are smaller, and a page that starts asks less often.
          groups: [
            { name: 'trace', test: /client[\\/]trace-index\.ts$/, priority: 2 },
            {
              name: 'page',
              test: /client[\\/](main|inspector[\\/]row-text|ui[\\/]scroll)\.tsx?$/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
