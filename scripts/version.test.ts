/** What the changesets would publish: below 1.0.0 nothing becomes 1.0.0, and each package fits the peers it names. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, so that it runs on every Node
import { releasePlan } from './version.mjs';

interface Release {
  readonly name: string;
  readonly type: 'none' | 'patch' | 'minor' | 'major';
  readonly oldVersion: string;
  readonly newVersion: string;
}

it('no version below 1.0.0 is left by a change of a peer', async () => {
  const { releases } = (await releasePlan()) as { readonly releases: readonly Release[] };
  for (const { name, type, oldVersion, newVersion } of releases) {
    expect([name, newVersion.split('.')[0]]).toEqual([name, oldVersion.split('.')[0]]);
    if (oldVersion.startsWith('0.')) expect([name, type]).not.toEqual([name, 'major']);
  }
});

it('the release workflow makes versions by that rule', () => {
  const workflow = readFileSync(new URL('../.github/workflows/release.yml', import.meta.url), 'utf8');
  expect(workflow).toContain('version: node scripts/version.mjs');
});
