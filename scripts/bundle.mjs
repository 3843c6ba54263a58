/**
 * Builds the package it is run in: declarations file by file, code in as few files as there are doors. Every file costs
 * Node about a millisecond at import. Arguments: the doors; default src/index.ts.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

const doors = process.argv.length > 2 ? process.argv.slice(2) : ['src/index.ts'];
rmSync('dist', { recursive: true, force: true });
const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
await build({
  entryPoints: doors,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  outbase: 'src',
  outdir: 'dist',
  logLevel: 'warning',
});
