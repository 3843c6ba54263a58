/** `glassloop-conformance` as it is installed: the built file, in a process of its own. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const SUBJECT = fixture('acme-subject.js');

vi.setConfig({ testTimeout: 120_000 });

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: readonly string[]): Promise<Ended> {
  const { VITEST: _, ...inherited } = process.env;
  const env = { ...inherited, ACME_API_KEY: 'sk-acme-0123456789' };
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glassloop-bin-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('used wrongly, it says what to do and ends with 2', () => {
  test.each<[string, string[], string]>([
    ['no module', [], 'Usage: glassloop-conformance MODULE'],
    ['two modules', [SUBJECT, SUBJECT], 'Usage: glassloop-conformance MODULE'],
    ['an option that does not exist', [SUBJECT, '--fast'], "Unknown option '--fast'"],
    ['an option without its value', [SUBJECT, '--out'], "'--out <value>' argument missing"],
    ['a module that is not there', [fixture('nowhere.js')], 'nowhere.js'],
    [
      'a module without a subject',
      [BIN.replace('bin.js', 'index.js')],
      'the default export must be { name, wire, create }',
    ],
    ['cases that do not exist', [SUBJECT, '--only', 'txet'], 'no case has "txet" in its id'],
    ['a scorecard of some cases', [SUBJECT, '--only', 'text', '--out', 'x'], 'would have holes'],
    ['a module that shows a key', [fixture('quotes-a-key.js')], 'cannot connect with [redacted]'],
  ])('%s', async (_, args, what) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(what);
    expect(stderr).not.toMatch(/sk-acme|^\s+at /m);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

test('--help tells how it is used', async () => {
  const { code, stdout, stderr } = await run('--help');
  for (const word of ['MODULE', '--out', '--only', 'Exit code']) expect(stdout).toContain(word);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('some cases that pass: a table, and 0', async () => {
  const { code, stdout, stderr } = await run(SUBJECT, '--only', 'purity.capabilities');
  expect(stdout).toContain('| acme | 1 | 0 | 0 | 0 |');
  expect(stdout).toMatch(/^1 cases in [\d.]+ s$/m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('memory is measured in a process of its own, without a test runner', async () => {
  const { code, stdout } = await run(SUBJECT, '--only', 'capture.error-released');
  // What sends nothing keeps nothing.
  expect(stdout).not.toContain('measured in the process of the tests');
  expect(stdout).toContain('| acme | 1 | 1 | 0 | 0 |');
  expect(code).toBe(0);
});

test('the whole suite: a scorecard as three files, everything that fails by name, and 1', async () => {
  const out = join(folder, 'score', 'card');
  const { code, stdout } = await run(SUBJECT, '--out', out);

  expect(code).toBe(1);
  expect((await readdir(out)).sort()).toEqual(['badge.svg', 'scorecard.json', 'scorecard.md']);
  const card = JSON.parse(await readFile(join(out, 'scorecard.json'), 'utf8'));
  expect(card).toMatchObject({ adapter: 'acme', wire: 'openai-chat' });
  expect(card.counts.fail).toBeGreaterThan(20);
  const markdown = await readFile(join(out, 'scorecard.md'), 'utf8');
  expect(stdout).toContain(markdown);
  expect(markdown).toContain('| `text.answer` | fail |');
  expect(await readFile(join(out, 'badge.svg'), 'utf8')).toContain('conformance');
});
