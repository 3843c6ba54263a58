/** See ../runtimes.mjs. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deviations as googleDeviations } from '../../packages/google/test/deviations.ts';
import { isOffline, NPM_INSTALL, packedPackages, run } from '../testing/packed.ts';
import {
  failures,
  type Matrix,
  type Outcome,
  oldestOf,
  type RuntimeRow,
  runtimeTable,
  type SdkRow,
  sdkTable,
  tableText,
} from './matrix.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const DATA = join(root, 'scripts/runtimes.json');
const { ADAPTERS } = createRequire(import.meta.url)('./tool-loop.cjs') as {
  ADAPTERS: Record<string, unknown>;
};
const adapters = Object.keys(ADAPTERS);
const DEVIATIONS: Readonly<Record<string, unknown>> = { google: googleDeviations };
const PROGRAMS = ['tool-loop.cjs', 'esm.mjs', 'cjs.cjs', 'suite.mjs'];

/** A command that runs a file, and what it is called in the matrix. */
interface Runtime {
  readonly runtime: string;
  readonly command: readonly string[];
}

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, only: { type: 'string' }, sdk: { type: 'string', multiple: true } },
});
if (values.only !== undefined && !/^(runtimes|sdks)$/.test(values.only)) {
  throw new Error('--only takes runtimes or sdks.');
}
if (values.write && values.sdk !== undefined)
  throw new Error('--write takes the declared ranges, not --sdk.');

const folder = mkdtempSync(join(tmpdir(), 'glassloop-runtimes-'));
try {
  const tarballs = await packedPackages();
  const runtimes = await installRuntimes();
  const before: Matrix = existsSync(DATA)
    ? JSON.parse(readFileSync(DATA, 'utf8'))
    : { runtimes: [], sdks: [] };
  const wantsRuntimes = values.only !== 'sdks' && values.sdk === undefined;
  const wantsSdks = values.only !== 'runtimes';
  const matrix: Matrix = {
    runtimes: wantsRuntimes ? await tryRuntimes(tarballs, runtimes) : [],
    sdks: wantsSdks ? await trySdks(tarballs, runtimes) : [],
  };
  if (matrix.runtimes.length > 0) console.log(`\n${tableText(runtimeTable(matrix))}`);
  if (matrix.sdks.length > 0) console.log(`\n${tableText(sdkTable(matrix))}`);
  const failed = failures(matrix);
  if (failed.length > 0) console.error(`\n${failed.join('\n')}`);
  if (values.write) {
    const result: Matrix = {
      runtimes: wantsRuntimes ? matrix.runtimes : before.runtimes,
      sdks: wantsSdks ? matrix.sdks : before.sdks,
    };
    writeFileSync(DATA, `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The runtimes from npm, kept between runs. A Node 20 that runs this is the Node 20 that is tried. */
async function installRuntimes(): Promise<readonly Runtime[]> {
  const cache = join(root, 'node_modules/.cache/glassloop-runtimes');
  mkdirSync(cache, { recursive: true });
  const isNode20 = process.versions.node.startsWith('20.');
  const dependencies = {
    ...(!isNode20 && { node20: 'npm:node@20' }),
    node22: 'npm:node@22',
    node24: 'npm:node@24',
    bun: 'latest',
    deno: 'latest',
  };
  writeFileSync(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npm(cache);
  const modules = join(cache, 'node_modules');
  const candidates: readonly (readonly [name: string, command: readonly string[], ask: string])[] = [
    ['Node', [isNode20 ? process.execPath : join(modules, 'node20/bin/node')], '--version'],
    ['Node', [join(modules, 'node22/bin/node')], '--version'],
    ['Node', [join(modules, 'node24/bin/node')], '--version'],
    ['Bun', [join(modules, '.bin/bun')], '--version'],
    ['Deno', [join(modules, '.bin/deno')], '--version'],
  ];
  const found: Runtime[] = [];
  for (const [name, command, ask] of candidates) {
    const { output } = await run(command[0]!, [ask], { cwd: cache });
    const version = /\d+\.\d+\.\d+/.exec(output)?.[0];
    // Only Bun and Deno are let off: not every machine has a build of theirs.
    if (version === undefined && name === 'Node') throw new Error(`${command[0]} does not run:\n${output}`);
    if (version === undefined) console.log(`${name} does not run here, so it is not tried.`);
    else
      found.push({
        runtime: `${name} ${version}`,
        command: name === 'Deno' ? [...command, 'run', '-A'] : command,
      });
  }
  return found;
}

async function tryRuntimes(
  tarballs: ReadonlyMap<string, string>,
  runtimes: readonly Runtime[],
): Promise<readonly RuntimeRow[]> {
  const cwd = await installed('all', tarballs, adapters, {});
  const rows: RuntimeRow[] = [];
  for (const runtime of runtimes) {
    const imported = await toolLoops(cwd, runtime, 'esm.mjs', adapters);
    const required = await toolLoops(cwd, runtime, 'cjs.cjs', adapters);
    const ways = adapters.map((name) => [name, { import: imported[name]!, require: required[name]! }]);
    rows.push({ runtime: runtime.runtime, adapters: Object.fromEntries(ways) });
    console.log(`${runtime.runtime}: tried`);
  }
  return rows;
}

async function trySdks(
  tarballs: ReadonlyMap<string, string>,
  runtimes: readonly Runtime[],
): Promise<readonly SdkRow[]> {
  const wanted: { readonly adapter: string; readonly sdk: string; readonly version: string }[] = [];
  for (const adapter of adapters) {
    const chosen = (values.sdk ?? []).filter((one) => one.startsWith(`${adapter}=`));
    if (values.sdk !== undefined && chosen.length === 0) continue;
    const { sdk, range } = declared(adapter);
    const versions =
      chosen.length > 0
        ? chosen.flatMap((one) => one.slice(adapter.length + 1).split(','))
        : await boundsOf(sdk, range);
    for (const version of versions) wanted.push({ adapter, sdk, version });
  }
  const rows: SdkRow[] = [];
  const queue = [...wanted.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, { adapter, sdk, version }] = next;
      rows[at] = await trySdk(tarballs, runtimes, adapter, sdk, version);
    }
  };
  // A suite waits more than it works.
  await Promise.all(Array.from({ length: 4 }, worker));
  return rows;
}

async function trySdk(
  tarballs: ReadonlyMap<string, string>,
  runtimes: readonly Runtime[],
  adapter: string,
  sdk: string,
  version: string,
): Promise<SdkRow> {
  const cwd = await installed(`${adapter}-${version}`, tarballs, [adapter], { [sdk]: version });
  const runtime = oldestFor(runtimes, join(cwd, 'node_modules', sdk, 'package.json'));
  const imported = await toolLoops(cwd, runtime, 'esm.mjs', [adapter]);
  const required = await toolLoops(cwd, runtime, 'cjs.cjs', [adapter]);
  const suite = await conformance(cwd, runtime, adapter);
  const loop = imported[adapter] === true ? required[adapter]! : imported[adapter]!;
  console.log(`${adapter} with ${sdk} ${version}: ${JSON.stringify(suite)}`);
  return { adapter, sdk, version, runtime: runtime.runtime, loop, suite };
}

/** Name and range of the SDK of an adapter. */
function declared(adapter: string): { readonly sdk: string; readonly range: string } {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'packages', adapter, 'package.json'), 'utf8'));
  const [[sdk, range]] = Object.entries(dependencies) as [[string, string]];
  return { sdk, range };
}

/** The oldest and the newest version of each alternative of a range. */
async function boundsOf(sdk: string, range: string): Promise<readonly string[]> {
  const versions: string[] = [];
  for (const oldest of oldestOf(range)) {
    const { exitCode, output } = await run('npm', ['view', `${sdk}@^${oldest}`, 'version', '--json'], {
      cwd: folder,
    });
    if (exitCode !== 0) throw new Error(`npm view ${sdk} failed:\n${output}`);
    versions.push(oldest, newest([JSON.parse(output)].flat()));
  }
  return [...new Set(versions)];
}

/** The registry lists versions as they were published, and older lines are mended later. */
function newest(versions: readonly string[]): string {
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)!;
}

/** The first Node that is new enough for what the package asks for. */
function oldestFor(runtimes: readonly Runtime[], manifest: string): Runtime {
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8'));
  const least = Number(/>=\s*(\d+)/.exec(engines?.node ?? '')?.[1] ?? 0);
  const nodes = runtimes.filter(({ runtime }) => runtime.startsWith('Node '));
  const fitting = nodes.find(({ runtime }) => Number(/\d+/.exec(runtime)![0]) >= least);
  if (fitting === undefined) throw new Error(`${manifest} asks for Node ${least}, which is not tried`);
  return fitting;
}

/** A folder with core, the simulator, the suite and some adapters, as strangers get them. */
async function installed(
  name: string,
  tarballs: ReadonlyMap<string, string>,
  names: readonly string[],
  overrides: Readonly<Record<string, string>>,
): Promise<string> {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const packages = ['core', 'simulator', 'conformance', ...names].map((one) => `@glassloop/${one}`);
  const dependencies = Object.fromEntries(packages.map((one) => [one, `file:${tarballs.get(one)}`]));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  // The peer of the suite is a test runner, which is not needed here.
  await npm(cwd, '--omit=peer');
  for (const program of PROGRAMS) cpSync(join(here, program), join(cwd, program));
  return cwd;
}

async function npm(cwd: string, ...more: readonly string[]): Promise<void> {
  const { exitCode, output } = await run('npm', [...NPM_INSTALL, ...more], { cwd });
  if (isOffline(output)) throw new Error('The npm registry cannot be reached.');
  if (exitCode !== 0) throw new Error(`npm install in ${cwd} failed:\n${output}`);
}

async function toolLoops(
  cwd: string,
  { command: [command, ...args] }: Runtime,
  program: string,
  names: readonly string[],
): Promise<Readonly<Record<string, Outcome>>> {
  const { output } = await run(command!, [...args, program, ...names], { cwd });
  const line = /^outcomes (.*)$/m.exec(output)?.[1];
  if (line === undefined) return Object.fromEntries(names.map((name) => [name, output.slice(-2000)]));
  return JSON.parse(line);
}

async function conformance(cwd: string, runtime: Runtime, adapter: string): Promise<SdkRow['suite']> {
  const [command, ...args] = runtime.command;
  const deviations = JSON.stringify(DEVIATIONS[adapter] ?? {});
  const { output } = await run(command!, [...args, 'suite.mjs', adapter, deviations], { cwd });
  const line = /^suite (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`The suite of ${adapter} did not end:\n${output.slice(-2000)}`);
  const { counts, failed } = JSON.parse(line);
  for (const one of failed) console.error(`${adapter}: ${one}`);
  return counts;
}
