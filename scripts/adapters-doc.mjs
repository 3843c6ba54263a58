/**
 * Runs the conformance suite for the seven adapters and writes what came of it to docs/adapters.md and docs/badges.
 *
 *   npx pnpm@10.34.9 adapters-doc
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const folder = mkdtempSync(join(tmpdir(), 'glassloop-scorecards-'));

function run(files, env) {
  const args = [vitest, 'run', ...files];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'];
try {
  const suites = ADAPTERS.map((name) => `packages/${name}/test/conformance.test.ts`);
  const failed = run(suites, { CONFORMANCE_SCORECARDS: folder });
  // A scorecard with failures is no document; the suite has said what is wrong.
  process.exitCode = failed || run(['scripts/adapters-doc.test.ts'], { ADAPTERS_DOC_FROM: folder });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
