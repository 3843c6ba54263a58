/** What is published: which files, how big, with what types. Run `pnpm build` first; `pnpm test` does. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import budgets from './budgets.json' with { type: 'json' };
import { packedPackages, run } from './testing/packed.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'glassloop-pack-'));
/** As after an install: each package unpacked, with links to what the workspace already has of others. */
const modules = join(folder, 'node_modules');

type Exports = Record<string, string | Record<string, string>>;
interface Manifest {
  readonly name: string;
  readonly exports: Exports;
  readonly bin?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

const names = Object.keys(budgets) as (keyof typeof budgets)[];
const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'] as const;
let tarballs: ReadonlyMap<string, string>;
const manifests = new Map<string, Manifest>();
const files = new Map<string, readonly string[]>();

const sourceOf = (name: string) =>
  name === '@glassloop/conformance' ? join(root, 'conformance') : join(root, 'packages', name.split('/')[1]!);

beforeAll(async () => {
  tarballs = await packedPackages();
  for (const [name, tarball] of tarballs) {
    const target = join(modules, name);
    mkdirSync(target, { recursive: true });
    const { exitCode, output } = await run('tar', ['xzf', tarball, '-C', target, '--strip-components=1'], {
      cwd: folder,
    });
    if (exitCode !== 0) throw new Error(output);
    manifests.set(name, JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')));
    files.set(name, await filesIn(target));
  }
  for (const [name, { dependencies, peerDependencies }] of manifests)
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies }))
      link(dependency, sourceOf(name));
  link('@types/node', root);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Links a package of others, as the workspace has it. */
function link(name: string, from: string): void {
  const target = join(modules, name);
  if (name.startsWith('@glassloop/') || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(from, 'node_modules', name), target, 'junction');
}

async function filesIn(target: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(target, below), { withFileTypes: true });
  const found = entries.map((entry) =>
    entry.isDirectory() ? filesIn(target, posix.join(below, entry.name)) : [posix.join(below, entry.name)],
  );
  return (await Promise.all(found)).flat().sort();
}

it('every package has a budget', () => {
  expect([...tarballs.keys()].sort()).toEqual([...names].sort());
});

describe.each(names)('%s as packed', (name) => {
  const { allFiles = [], ...budget } = budgets[name] as {
    readonly allFiles?: readonly string[];
    readonly dependencies: readonly string[];
    readonly unpackedKB: number;
    readonly gzipKB?: number;
  };

  it('holds what its doors lead to, and nothing else', async () => {
    const target = join(modules, name);
    const { exports, bin = {} } = manifests.get(name)!;
    const doors = [...Object.values(exports), ...Object.values(bin)].flatMap((door) =>
      typeof door === 'string' ? [door] : Object.values(door),
    );
    const reached = new Set(['package.json', 'README.md', 'LICENSE']);
    const queue = doors
      .filter((door) => door !== './package.json')
      .flatMap((door) => withTypes(posix.normalize(door)))
      .filter((door) => existsSync(join(target, door)));
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      if (/\.(js|d\.ts)$/.test(file)) queue.push(...(await reachedFrom(target, file)));
    }
    // Declarations of what is bundled away are left lying; they are small, and only stale ones are wrong.
    const isDeclared = (file: string) =>
      existsSync(join(sourceOf(name), file.replace(/^dist\//, 'src/').replace(/\.d\.ts$/, '.ts')));
    const isListed = (file: string) =>
      allFiles.some((start) => file.startsWith(start)) || (file.endsWith('.d.ts') && isDeclared(file));
    const packed = files.get(name)!.filter((file) => !isListed(file));
    const advice = 'Remove dist and build again; if a file is really needed, make a door lead to it.';
    expect(packed, advice).toEqual([...reached].filter((file) => !isListed(file)).sort());
    expect(packed.filter((file) => /\.test\.|\.map$|(^|\/)(test|src)\//.test(file))).toEqual([]);
  });

  it('has no more dependencies than it declares in the budget', () => {
    const { dependencies, peerDependencies } = manifests.get(name)!;
    expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual(
      [...budget.dependencies].sort(),
    );
    // Nothing that only the workspace understands.
    expect(JSON.stringify(manifests.get(name))).not.toMatch(
      /workspace:|catalog:|@glassloop\/source|devDependencies|"scripts"/,
    );
  });

  it(`takes at most ${budget.unpackedKB} KB on the disk`, async () => {
    expect((await bytesOf(name)) / 1000).toBeLessThanOrEqual(budget.unpackedKB);
  });

  if (budget.gzipKB !== undefined) {
    it(`takes at most ${budget.gzipKB} KB in a browser, minified and compressed`, async () => {
      const { outputFiles } = await build({
        stdin: { contents: `export * from '${name}'`, resolveDir: folder },
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        write: false,
      });
      const [{ contents }] = outputFiles as [{ contents: Uint8Array }];
      expect(gzipSync(contents, { level: 9 }).length / 1024).toBeLessThanOrEqual(budget.gzipKB!);
    });
  }

  it('is right for publint', async () => {
    const { messages } = await publint({ pkgDir: join(modules, name), pack: false, strict: true });
    expect(messages.filter(({ code }) => !IRRELEVANT.has(code))).toEqual([]);
  });

  it('has types that are not wrong', async () => {
    const { problems = [] } = (await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarballs.get(name)!))),
    )) as { problems?: readonly { kind: string; resolutionKind?: string; entrypoint?: string }[] };
    // The profile "esm-only": packages are ESM, and node10 knows no exports.
    const relevant = problems.filter(
      ({ resolutionKind }) => resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
    );
    expect(relevant.map(({ kind, entrypoint }) => `${entrypoint}: ${kind}`)).toEqual([]);
  });
});

/** That there is no `repository` is so because a release names the one it is built from (.pnpmfile.cjs). */
const IRRELEVANT = new Set(['USE_REPOSITORY']);

/** Of types alone there is an empty module too, and of a program there are types. */
const withTypes = (path: string) => [path, path.replace(/\.js$/, '.d.ts')];

/** Files of the same package that a file imports, and the types beside them. */
async function reachedFrom(target: string, file: string): Promise<string[]> {
  const text = await readFile(join(target, file), 'utf8');
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|new URL\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g);
  return [...found].flatMap(([, specifier]) => {
    // Declarations name the sources (`./x.ts`), which stand for the files beside them.
    const path = posix.join(posix.dirname(file), specifier!.replace(/(?<!\.d)\.ts$/, '.js'));
    return withTypes(path).filter((one) => existsSync(join(target, one)));
  });
}

async function bytesOf(name: string): Promise<number> {
  const sizes = await Promise.all(files.get(name)!.map((file) => stat(join(modules, name, file))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

describe('an adapter', () => {
  it.each(ADAPTERS)('%s takes at most 300 KB more than its SDK, core included', async (adapter) => {
    const bytes = (await bytesOf(`@glassloop/${adapter}`)) + (await bytesOf('@glassloop/core'));
    expect(bytes / 1000).toBeLessThanOrEqual(300);
  });
});

describe('types', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  /** A file that imports every door, and uses the values it gets. */
  const consumer = (write: (specifier: string, at: number) => string) =>
    [...manifests]
      .flatMap(([name, { exports }]) =>
        Object.entries(exports)
          .filter(([, target]) => typeof target !== 'string' && target['types'] !== undefined)
          .map(([door]) => posix.join(name, door)),
      )
      .map(write)
      .join('\n');

  it.each([
    ['node16', 'node16', 'mts'],
    ['nodenext', 'nodenext', 'mts'],
    ['bundler', 'esnext', 'mts'],
    ['nodenext', 'nodenext', 'cts'],
  ])('resolve under %s (module %s, .%s), libraries checked', async (resolution, module, extension) => {
    const file = `consumer-${resolution}.${extension}`;
    const write =
      extension === 'cts'
        ? (specifier: string, at: number) =>
            `import d${at} = require('${specifier}'); export type T${at} = typeof d${at};`
        : (specifier: string, at: number) =>
            `import * as d${at} from '${specifier}'; export type T${at} = typeof d${at};`;
    writeFileSync(join(folder, file), `${consumer(write)}\n`);
    const flags = [
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
    ];
    const { output } = await run(
      process.execPath,
      [
        tsc,
        file,
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        'false',
        '--types',
        'node',
        ...flags,
      ],
      { cwd: folder },
    );
    const ours = output.split('\n').filter((line) => / error TS/.test(line) && !isOfOthers(line));
    expect(ours).toEqual([]);
  });

  /** Faults within the types of others, which `skipLibCheck: false` shows: none of our files is named. */
  const isOfOthers = (line: string) => !/^(consumer|node_modules\/@glassloop)/.test(line);
});

it('no package imports what it does not declare', async () => {
  const wrong: string[] = [];
  for (const [name, manifest] of manifests) {
    const declared = new Set([
      name,
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ]);
    for (const file of files.get(name)!.filter((file) => /\.(js|d\.ts)$/.test(file))) {
      // The page is one bundle; what it holds, it brings along.
      if (name === '@glassloop/playground') continue;
      const text = await readFile(join(modules, name, file), 'utf8');
      for (const [, specifier] of text.matchAll(
        /^(?:import|export)\b[^;'"]*\bfrom\s*["']([^."'][^"']*)["']/gm,
      )) {
        const owner = specifier!
          .split('/')
          .slice(0, specifier!.startsWith('@') ? 2 : 1)
          .join('/');
        if (!declared.has(owner) && !owner.startsWith('node:') && !builtinModules.includes(owner))
          wrong.push(`${name}/${file}: ${specifier}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
