/** For tests of what strangers get: the published packages as tarballs, and a folder that has never seen this repository. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What an author of an adapter outside this repository installs. */
export const TOOLKIT = ['@glassloop/core', '@glassloop/simulator', '@glassloop/conformance'] as const;
const CACHE = join(root, 'node_modules/.cache/glassloop-packed');
/** Longer than packing ever takes: whoever holds the lock longer has been killed. */
const LOCK_MS = 120_000;

/**
 * Every package that is published, packed as publishing does: the path of each tarball, by name. They are packed once
 * for all tests, whichever process asks first, and again when something in them has changed.
 */
export async function packedPackages(): Promise<ReadonlyMap<string, string>> {
  const folders = await publishedFolders();
  const target = join(CACHE, await digestOf(folders));
  const lock = `${target}.lock`;
  await mkdir(CACHE, { recursive: true });
  for (let waited = 0; !existsSync(target); waited += 200) {
    const isMine = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (isMine) {
      try {
        if (!existsSync(target)) await packInto(target);
      } finally {
        await rm(lock, { recursive: true, force: true });
      }
    } else if (waited > LOCK_MS) {
      throw new Error(`Another process has been packing for too long. Remove ${lock} if there is none.`);
    } else {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const files = await readdir(target);
  return new Map(
    files.map((file) => [file.replace(/^glassloop-(.*?)-\d.*$/, '@glassloop/$1'), join(target, file)]),
  );
}

/** Packs everything beside the target, which is there only when it is whole. */
async function packInto(target: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const { mtimeMs } = await stat(join(CACHE, name));
    // A run that is still going on may read those of an earlier build.
    if (mtimeMs < Date.now() - 3_600_000) await rm(join(CACHE, name), { recursive: true, force: true });
  }
  const folder = `${target}.unfinished`;
  const [command, ...before] = pnpm();
  const filters = ['--filter', './packages/*', '--filter', './conformance'];
  const args = ['--config.verify-deps-before-run=false', '-r', ...filters, 'pack'];
  const { exitCode, output } = await run(command!, [...before, ...args, '--pack-destination', folder], {
    cwd: root,
  });
  if (exitCode !== 0) throw new Error(`The packages could not be packed:\n${output}`);
  await rename(folder, target);
}

async function publishedFolders(): Promise<readonly string[]> {
  const names = await readdir(join(root, 'packages'), { withFileTypes: true });
  const folders = names
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, 'packages', name));
  return [...folders, join(root, 'conformance')];
}

/** Of all that a tarball is made from. */
async function digestOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  const add = async (path: string) => hash.update(path.slice(root.length)).update(await readFile(path));
  for (const file of ['.pnpmfile.cjs', 'pnpm-workspace.yaml', 'LICENSE']) await add(join(root, file));
  for (const folder of folders) {
    if (!existsSync(join(folder, 'dist'))) {
      throw new Error('Packages are packed as built: run `npx pnpm@10.34.9 build` first.');
    }
    const { files = [] } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    for (const name of ['package.json', 'README.md', ...files]) {
      for (const path of await filesBelow(join(folder, name))) await add(path);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesBelow(path: string): Promise<readonly string[]> {
  if (!existsSync(path)) return [];
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The pnpm that runs the tests, else the one this repository names. */
export function pnpm(): readonly string[] {
  const { npm_execpath: running = '' } = process.env;
  if (/pnpm[^/\\]*\.c?js$/.test(running)) return [process.execPath, running];
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return ['npx', '-y', packageManager];
}

/** Runs a program without what this test runner and this package manager have put into the environment. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, shell = false }: { cwd: string; env?: Record<string, string>; shell?: boolean },
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|npm_|NODE_|CI$|TEST$)/i.test(name),
  );
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      {
        cwd,
        env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
        shell,
        timeout: 240_000,
        maxBuffer: 50_000_000,
      },
      (error, stdout, stderr) =>
        resolve({
          exitCode: error === null ? 0 : typeof error.code === 'number' ? error.code : -1,
          output: stdout + stderr,
        }),
    );
  });
}

/** Whether an install failed only because there is no registry to install from. */
export function isOffline(output: string): boolean {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(output);
}

/** Installs without questions, from npm's cache where it can. */
export const NPM_INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

export interface SuiteResult {
  readonly adapter: string;
  readonly cases: number;
  readonly seconds: number;
  readonly counts: Readonly<Record<'pass' | 'skip' | 'deviation' | 'fail', number>>;
}

/** The line that the suite prints for each adapter. */
export function suiteResults(output: string): readonly SuiteResult[] {
  const lines = output.matchAll(/^conformance of (.+): (\d+) cases in ([\d.]+) s, (\{.*\})$/gm);
  return [...lines].map(([, adapter = '', cases, seconds, counts = '']) => ({
    adapter,
    cases: Number(cases),
    seconds: Number(seconds),
    counts: JSON.parse(counts),
  }));
}
