/** What `runtimes` found out is about the ranges that the adapters declare now, and nothing in it failed. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failures, type Matrix, oldestOf } from './runtimes/matrix.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const matrix: Matrix = read('./runtimes.json');
const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'] as const;
const AGAIN = 'run: npx pnpm@10.34.9 runtimes --write, then adapters-doc';
const numbers = (version: string) => version.split('.').map(Number) as [number, number, number];

/** Whether a caret range that begins with `oldest` takes `version`. */
function takes(oldest: string, version: string): boolean {
  const [[major, minor, patch], [otherMajor, otherMinor, otherPatch]] = [numbers(oldest), numbers(version)];
  if (major !== otherMajor) return false;
  if (major === 0) return minor === otherMinor && otherPatch >= patch;
  return otherMinor > minor || (otherMinor === minor && otherPatch >= patch);
}

it('nothing failed', () => {
  expect(failures(matrix)).toEqual([]);
});

it('every adapter was tried on Node 20, 22 and 24, Bun and Deno, by import and by require', () => {
  const kinds = matrix.runtimes.map(({ runtime }) => runtime.replace(/^(Node \d+|Bun|Deno).*/, '$1'));
  expect(kinds).toEqual(['Node 20', 'Node 22', 'Node 24', 'Bun', 'Deno']);
  for (const { runtime, adapters } of matrix.runtimes) {
    expect(Object.keys(adapters), runtime).toEqual([...ADAPTERS]);
  }
});

describe.each(ADAPTERS)('%s', (adapter) => {
  const { dependencies } = read(`../packages/${adapter}/package.json`) as {
    dependencies: Record<string, string>;
  };
  const [[sdk, range] = ['', '']] = Object.entries(dependencies);
  const rows = matrix.sdks.filter((row) => row.adapter === adapter);

  it('declares the range that was tried: its oldest version, and a newest one, of each alternative', () => {
    for (const oldest of oldestOf(range)) {
      const tried = rows.filter(({ version }) => takes(oldest, version)).map(({ version }) => version);
      expect(tried[0], `${sdk} ${range}: ${AGAIN}`).toBe(oldest);
    }
  });

  it('was tried on nothing outside its range', () => {
    const outside = rows.filter(
      (row) => row.sdk !== sdk || !oldestOf(range).some((oldest) => takes(oldest, row.version)),
    );
    expect(outside, AGAIN).toEqual([]);
  });

  it('ran the whole suite on each', () => {
    for (const { version, suite } of rows) expect(suite.pass, version).toBeGreaterThan(200);
  });

  it('is developed on a version that it allows', () => {
    const { version } = read(`../packages/${adapter}/node_modules/${sdk}/package.json`) as {
      version: string;
    };
    expect(oldestOf(range).some((oldest) => takes(oldest, version))).toBe(true);
  });
});
