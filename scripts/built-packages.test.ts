/** What is built loads as ESM and, on Node 20.19 and later, with require(). Run `pnpm build` first; `pnpm test` does. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const cli = join(dirname(fileURLToPath(import.meta.url)), '../packages/cli');
const node = (...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: cli, encoding: 'utf8' }).trim();

const DOORS: readonly (readonly [specifier: string, name: string])[] = [
  ['@glassloop/core', 'runLoop'],
  ['@glassloop/core/adapter', 'AdapterError'],
  ['@glassloop/core/trace-file', 'decodeTrace'],
  ['@glassloop/simulator', 'startSimulator'],
  ...['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'].map(
    (name) => [`@glassloop/${name}`, name] as const,
  ),
];

describe.each(DOORS)('%s as built', (specifier, name) => {
  it('was built', () => {
    expect(existsSync(join(cli, 'dist/bin.js')), 'run: npx pnpm@10.34.9 build').toBe(true);
  });
  it('is imported', () => {
    expect(
      node(
        '--input-type=module',
        '-e',
        `import { ${name} } from '${specifier}'; console.log(typeof ${name})`,
      ),
    ).toBe('function');
  });
  it('is required, without a warning', () => {
    const code = `const { ${name} } = require('${specifier}'); console.log(typeof ${name})`;
    expect(node('--no-warnings=ExperimentalWarning', '-e', code)).toBe('function');
  });
});

it('an error of one door is an error of the other, so instanceof holds', () => {
  const code = `const a = require('@glassloop/core'), b = require('@glassloop/core/adapter');
    console.log(new b.AdapterError('auth', 'x') instanceof a.AdapterError)`;
  expect(node('-e', code)).toBe('true');
});
