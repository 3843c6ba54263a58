import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NPM_INSTALL, packedPackages, run as runProgram } from '../../../scripts/testing/packed.ts';

/** What a user gets: packed packages, installed by npm into an empty folder far from this repository. */

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const QUESTION = 'What is the error rate of checkout?';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
}

const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** These packages and all packages of this repository that they need. */
function closure(names: readonly string[], manifests: ReadonlyMap<string, Manifest>): readonly string[] {
  const open = [...names];
  const found = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const manifest = manifests.get(name);
    if (manifest === undefined || found.has(name)) continue;
    found.add(name);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    );
    open.push(...Object.keys(dependencies), ...peers);
  }
  return [...found];
}

let place: string;
let project: string;

beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'glassloop-packed-')));
  project = join(place, 'empty');
  await mkdir(project);
  const manifests = readdirSync(join(REPOSITORY, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => manifest(join(REPOSITORY, 'packages', name)));
  const needed = closure(
    ['@glassloop/cli', '@glassloop/openai'],
    new Map(manifests.map((one) => [one.name, one])),
  );
  const packed = await packedPackages();
  const tarballs = needed.map((name) => packed.get(name)!);
  const { exitCode, output } = await runProgram('npm', [...NPM_INSTALL, ...tarballs], { cwd: project });
  if (exitCode !== 0) throw new Error(`npm install failed:\n${output}`);
}, 300_000);

afterAll(async () => {
  await rm(place, { recursive: true, force: true });
});

async function glassloop(...args: string[]): Promise<{ readonly stdout: string; readonly exitCode: number }> {
  const options = { cwd: project, env: { PATH: process.env['PATH'] ?? '' } };
  try {
    const { stdout } = await run(join(project, 'node_modules/.bin/glassloop'), args, options);
    return { stdout, exitCode: 0 };
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
    return { stdout: stdout + stderr, exitCode: code };
  }
}

describe('in an empty folder with only packed packages', () => {
  test('nothing points back into the repository', async () => {
    const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: project });
    expect(stdout).not.toContain(REPOSITORY);
    expect(readFileSync(join(project, 'node_modules/@glassloop/cli/package.json'), 'utf8')).not.toContain(
      'workspace:',
    );
  });

  test('init, run, assemble and check work', async () => {
    expect(await glassloop('init')).toMatchObject({ exitCode: 0 });
    expect(await glassloop('check')).toEqual({
      exitCode: 0,
      stdout: 'Nothing is wrong.\n1 configuration: ops\n',
    });
    const answer = await glassloop('run', '-c', 'ops', QUESTION, '--trace', 'run.ndjson');
    expect(answer.stdout).toContain('error_rate 0.042');
    expect(answer.exitCode).toBe(0);
    const page = await glassloop('assemble', '-c', 'ops', QUESTION);
    expect(page.stdout).toContain('skill incident-triage, skills/incident-triage/SKILL.md:8-13');
    expect(page.stdout).toContain('query_metrics, tools/query-metrics.ts');
    expect(page.exitCode).toBe(0);
    expect(await glassloop('inspect', 'run.ndjson')).toMatchObject({ exitCode: 0 });
  });

  test('the schema for editors is where the README says', () => {
    expect(existsSync(join(project, 'node_modules/@glassloop/project/config.schema.json'))).toBe(true);
  });
});
