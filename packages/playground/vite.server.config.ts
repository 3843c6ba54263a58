import { defineConfig } from 'vite';

/** The server as one file with its libraries inside, so that what is published depends on core alone. */
export default defineConfig({
  build: {
    ssr: 'src/index.ts',
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'index.js' } },
  },
  ssr: { noExternal: true, external: ['@glassloop/core'] },
});
