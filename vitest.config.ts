import { defineConfig } from 'vitest/config';

// Tests run from the TypeScript sources of every workspace package: the "@glassloop/source" condition
// in each package.json points there. What must be tested as built (the bin, packed packages) says so itself.
// Not "module": Node does not know that condition, and the files behind it are often for bundlers only.
const conditions = ['@glassloop/source', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['{packages,conformance,examples,scripts,bench,docs}/**/*.test.ts'],
    // The outside example is run from packed packages, in a folder of its own: examples/outside-adapter.test.ts.
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/outside-adapter/**'],
    // Its ESM files have imports that Node cannot resolve; Vite can.
    server: { deps: { inline: [/@opentelemetry\/api\//] } },
    // Left alone, Vitest would keep one core for itself; where there are two, that is half of them.
    maxWorkers: '100%',
    testTimeout: 30_000,
    // Browsers and child processes share few cores with everything else; a second try tells a slow moment from a fault.
    retry: process.env['CI'] ? 1 : 0,
    hookTimeout: 60_000,
    reporters: process.env['CI'] ? ['default', './scripts/summary-reporter.ts'] : ['default'],
  },
});
