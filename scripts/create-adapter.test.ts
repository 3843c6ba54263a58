import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, so that it runs on every Node
import { createAdapter } from './create-adapter.mjs';
import { run, suiteResults } from './testing/packed.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What a package of the new one's shape has installed. */
const installed = join(root, 'packages/openai/node_modules');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glassloop-create-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('outside this repository', () => {
  const name = 'acme-cloud';
  let project: string;

  beforeAll(async () => {
    project = join(folder, 'outside');
    const script = join(root, 'scripts/create-adapter.mjs');
    const { exitCode, output } = await run(process.execPath, [script, name, '--outside', project], {
      cwd: folder,
    });
    expect(exitCode, output).toBe(0);
    await symlink(installed, join(project, 'node_modules'), 'dir');
  });

  it('the new adapter is green in the suite at once', async () => {
    const vitest = join(installed, 'vitest/vitest.mjs');
    const { exitCode, output } = await run(process.execPath, [vitest, 'run'], { cwd: project });

    expect(exitCode, output).toBe(0);
    expect(suiteResults(output)).toMatchObject([{ adapter: name, counts: { deviation: 0, fail: 0 } }]);
  }, 120_000);

  it('it passes the type check, builds, and loads as built', async () => {
    expect(await run(process.execPath, [tsc, '-p', '.'], { cwd: project })).toEqual({
      exitCode: 0,
      output: '',
    });
    const build = await run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: project });
    expect(build).toEqual({ exitCode: 0, output: '' });
    const code = "import { acmeCloud } from './dist/index.js'; acmeCloud({ model: 'm' })";
    const { output } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: project });
    expect(output).toContain('ACME_CLOUD_API_KEY');
  }, 60_000);

  it('its package.json names published versions and nothing of this repository', async () => {
    const text = await readFile(join(project, 'package.json'), 'utf8');
    expect(text).not.toMatch(/workspace:|catalog:|glassloop\/source/);
    const { name: called, scripts, devDependencies } = JSON.parse(text);
    expect(called).toBe('glassloop-acme-cloud');
    expect(scripts.test).toBe('vitest run');
    const core = JSON.parse(await readFile(join(root, 'packages/core/package.json'), 'utf8'));
    expect(devDependencies['@glassloop/core']).toBe(`^${core.version}`);
  });
});

describe('as a package of this repository', () => {
  it('has the shape of the others, and passes the type check', async () => {
    await mkdir(join(folder, 'repository'));
    for (const file of ['tsconfig.base.json', 'tsconfig.build.json']) {
      await cp(join(root, file), join(folder, 'repository', file));
    }
    const project: string = createAdapter({ name: 'acme', root: join(folder, 'repository') });
    await symlink(installed, join(project, 'node_modules'), 'dir');

    expect(project).toBe(join(folder, 'repository/packages/acme'));
    const manifest = async (path: string) => JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    const { name, description, ...own } = await manifest(project);
    const { name: _, description: __, ...other } = await manifest(join(root, 'packages/openai'));
    expect([name, description]).toEqual(['@glassloop/acme', 'Acme adapter for Glassloop.']);
    expect(own).toEqual(other);
    expect((await readdir(join(project, 'src'))).sort()).toEqual(
      (await readdir(join(root, 'packages/openai/src'))).filter((file) => !file.includes('.test.')).sort(),
    );
    expect(await run(process.execPath, [tsc, '-p', '.'], { cwd: project })).toEqual({
      exitCode: 0,
      output: '',
    });
  }, 60_000);
});

describe('refusals', () => {
  it.each(['Acme', 'acme cloud', '../acme', '-acme', 'acme--cloud', '9lives', ''])('the name %j', (name) => {
    expect(() => createAdapter({ name, outside: join(folder, 'never') })).toThrow('The name must be');
  });
  it.each(['new', 'default', 'await', 'create-adapter'])('the word %j', (name) => {
    expect(() => createAdapter({ name, outside: join(folder, 'never') })).toThrow('is taken');
  });
  it('a folder that is not empty', () => {
    expect(() => createAdapter({ name: 'acme', outside: root })).toThrow('is not empty');
  });
});
