import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  isOffline,
  NPM_INSTALL,
  packedPackages,
  run,
  suiteResults,
  TOOLKIT,
} from '../scripts/testing/packed.ts';

/** The example as a stranger has it: an empty folder, the packed packages, npm. */

const example = fileURLToPath(new URL('./outside-adapter', import.meta.url));

let folder: string;
let project: string;
let offline = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glassloop-outside-'));
  project = join(folder, 'project');
  await mkdir(project);
  const tarballs = await packedPackages();
  await cp(example, project, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const { exitCode, output } = await run(
    'npm',
    [...NPM_INSTALL, ...TOOLKIT.map((name) => tarballs.get(name)!)],
    {
      cwd: project,
    },
  );
  offline = exitCode !== 0 && isOffline(output);
  if (exitCode !== 0 && !offline) throw new Error(`npm install failed:\n${output}`);
}, 240_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('both outside adapters are green in the published suite, each within 30 seconds', async (context) => {
  if (offline) context.skip('the npm registry cannot be reached');
  const env = { CONFORMANCE_SCORECARDS: 'scorecards' };
  // One after the other: the time of a suite must not depend on what runs beside it.
  const args = ['test', '--', '--no-file-parallelism'];
  const { exitCode, output } = await run('npm', args, { cwd: project, env });

  expect(exitCode, output).toBe(0);
  const results = suiteResults(output);
  expect(results.map((one) => one.adapter).sort()).toEqual(['harbor', 'parley']);
  for (const { adapter, cases, counts, seconds } of results) {
    console.log(`the published suite, from an empty folder: ${adapter} ${seconds} s`);
    expect(counts.pass + counts.skip).toBe(cases);
    expect(counts).toMatchObject({ deviation: 0, fail: 0 });
    expect(counts.pass).toBeGreaterThan(200);
    // On a machine with more to do than it can, everything takes longer.
    expect(seconds).toBeLessThan(30 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
  }
  expect((await readdir(join(project, 'scorecards'))).sort()).toEqual([
    'harbor.json',
    'harbor.md',
    'harbor.svg',
    'parley.json',
    'parley.md',
    'parley.svg',
  ]);
  const card = JSON.parse(await readFile(join(project, 'scorecards/parley.json'), 'utf8'));
  expect(card).toMatchObject({ adapter: 'parley', wire: 'parley-turn', counts: { fail: 0 } });
}, 240_000);

test('the published types fit the example', async (context) => {
  if (offline) context.skip('the npm registry cannot be reached');
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { exitCode, output } = await run(process.execPath, [join(typescript, 'bin/tsc'), '-p', '.'], {
    cwd: project,
  });

  expect(output).toBe('');
  expect(exitCode).toBe(0);
}, 60_000);

test('nothing in the example knows of this repository', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(example, 'package.json'), 'utf8'));
  const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^[\^~]?\d/.test(version))).toEqual([]);
  expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining([...TOOLKIT]));
  for (const part of ['src', 'test']) {
    for (const file of await readdir(join(example, part))) {
      expect(await readFile(join(example, part, file), 'utf8'), file).not.toMatch(/from '\.\.\/\.\.\//);
    }
  }
});
