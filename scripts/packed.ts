/** For tests of what strangers get: the published packages as tarballs, and a folder that has never seen this repository. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What an author outside this repository installs, and where it is made. */
const PACKAGES = {
  '@glassloop/core': 'packages/core',
  '@glassloop/simulator': 'packages/simulator',
  '@glassloop/conformance': 'conformance',
} as const;
export type PackedName = keyof typeof PACKAGES;
export const packedNames = Object.keys(PACKAGES) as PackedName[];

/** Packs the packages into a folder, as publishing does. Returns the path of each tarball. */
export async function packInto(folder: string): Promise<Readonly<Record<PackedName, string>>> {
  const tarballs: Partial<Record<PackedName, string>> = {};
  for (const name of packedNames) {
    const source = join(root, PACKAGES[name]);
    if (!existsSync(join(source, 'dist/index.js'))) {
      throw new Error('Packages are packed as built: run `npx pnpm@10.34.9 build` first.');
    }
    const target = join(folder, PACKAGES[name].replace('/', '-'));
    await mkdir(target, { recursive: true });
    const [command, ...before] = pnpm();
    const args = [...before, '--config.verify-deps-before-run=false', 'pack', '--pack-destination', target];
    const { exitCode, output } = await run(command!, args, { cwd: source });
    const [file] = await readdir(target);
    if (exitCode !== 0 || file === undefined) throw new Error(`${name} could not be packed:\n${output}`);
    tarballs[name] = join(target, file);
  }
  return tarballs as Record<PackedName, string>;
}

/** Packs every package that is published, as publishing does. Returns the path of each tarball, by name. */
export async function packAllInto(folder: string): Promise<ReadonlyMap<string, string>> {
  const [command, ...before] = pnpm();
  const filters = ['--filter', './packages/*', '--filter', './conformance'];
  const args = [
    '--config.verify-deps-before-run=false',
    '-r',
    ...filters,
    'pack',
    '--pack-destination',
    folder,
  ];
  const { exitCode, output } = await run(command!, [...before, ...args], { cwd: root });
  if (exitCode !== 0) throw new Error(`The packages could not be packed:\n${output}`);
  const files = await readdir(folder);
  return new Map(
    files
      .filter((file) => file.endsWith('.tgz'))
      .map((file) => [file.replace(/^glassloop-(.*?)-\d.*$/, '@glassloop/$1'), join(folder, file)]),
  );
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
