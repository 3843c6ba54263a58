/** The dependency rules of the repository, read from every package.json and every import. */

import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'] as const;
const SDK: { readonly [adapter in (typeof ADAPTERS)[number]]: string } = {
  openai: 'openai',
  anthropic: '@anthropic-ai/sdk',
  google: '@google/generative-ai',
  mistral: '@mistralai/mistralai',
  ollama: 'ollama',
  groq: 'groq-sdk',
  openrouter: 'openai',
};

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly license?: string;
  readonly sideEffects?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
  readonly devDependencies?: Record<string, string>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const packages = readdirSync(join(root, 'packages')).filter((name) => name !== 'README.md');
const folders = [...packages.map((name) => `packages/${name}`), 'conformance'];
const names = (record: Record<string, string> | undefined) => Object.keys(record ?? {}).sort();

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sources(path);
    return /\.(ts|tsx)$/.test(entry.name) ? [path] : [];
  });
}

/** Names of packages a file imports, types included; relative imports as paths. */
function imports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\s*\(\s*)['"]([^'"\n]+)['"]/g);
  return [...found].map(([, specifier]) => specifier!);
}

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);
const isTest = (file: string) => /\.test\.tsx?$|\/test\//.test(file);

describe('package.json', () => {
  it('core depends on nothing', () => {
    const { dependencies, peerDependencies } = manifest('packages/core');
    expect(names(dependencies)).toEqual([]);
    expect(names(peerDependencies)).toEqual([]);
  });

  it.each(ADAPTERS)('%s depends on its SDK, and on core as a peer', (adapter) => {
    const { dependencies, peerDependencies } = manifest(`packages/${adapter}`);
    expect(names(dependencies)).toEqual([SDK[adapter]]);
    expect(names(peerDependencies)).toEqual(['@glassloop/core']);
  });

  it('the simulator depends on core, conformance on core, the simulator and vitest', () => {
    expect(names(manifest('packages/simulator').dependencies)).toEqual(['@glassloop/core']);
    const { dependencies, peerDependencies } = manifest('conformance');
    expect(names(dependencies)).toEqual(['@glassloop/core', '@glassloop/simulator']);
    expect(names(peerDependencies)).toEqual(['vitest']);
  });

  it('the trace tools depend on core alone', () => {
    expect(names(manifest('packages/trace').dependencies)).toEqual(['@glassloop/core']);
  });

  it('the fetch for Node depends on nothing', () => {
    const { dependencies, peerDependencies } = manifest('packages/node-fetch');
    expect(names(dependencies)).toEqual([]);
    expect(names(peerDependencies)).toEqual([]);
  });

  it('projects depend on core, a loader, a YAML parser and a schema validator', () => {
    const { dependencies, peerDependencies } = manifest('packages/project');
    expect(names(dependencies)).toEqual(['@glassloop/core', 'ajv', 'jiti', 'yaml']);
    expect(names(peerDependencies)).toEqual([]);
  });

  it('MCP depends on the official SDK and what starts processes, and on core as a peer', () => {
    const { dependencies, peerDependencies } = manifest('packages/mcp');
    expect(names(dependencies)).toEqual(['@modelcontextprotocol/sdk', 'cross-spawn']);
    expect(names(peerDependencies)).toEqual(['@glassloop/core']);
  });

  it('the playground depends on core alone: which adapters exist is told to it', () => {
    const { dependencies, peerDependencies } = manifest('packages/playground');
    expect(names(dependencies)).toEqual(['@glassloop/core']);
    expect(names(peerDependencies)).toEqual([]);
    const wrong = sources('packages/playground/src')
      .filter((file) => !isTest(file))
      .flatMap((file) => imports(file).map((specifier) => [file, packageOf(specifier)] as const))
      .filter(([, name]) =>
        ADAPTERS.some((adapter) => name === `@glassloop/${adapter}` || name === SDK[adapter]),
      );
    expect(wrong).toEqual([]);
  });

  it('OpenTelemetry depends on the trace tools, with the API and core as peers', () => {
    const { dependencies, peerDependencies } = manifest('packages/otel');
    expect(names(dependencies)).toEqual(['@glassloop/trace']);
    expect(names(peerDependencies)).toEqual(['@glassloop/core', '@opentelemetry/api']);
  });

  it('the command line has every adapter, and MCP, as an optional peer', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest('packages/cli');
    const peers = [...ADAPTERS, 'mcp'].map((name) => `@glassloop/${name}`).sort();
    expect(names(peerDependencies)).toEqual(peers);
    for (const name of peers) expect(peerDependenciesMeta?.[name]?.optional).toBe(true);
  });

  it.each(folders)('%s is ESM, MIT, free of side effects, for Node 20.19 and later', (folder) => {
    expect(manifest(folder)).toMatchObject({
      type: 'module',
      license: 'MIT',
      sideEffects: false,
      engines: { node: '>=20.19' },
    });
  });
});

describe('imports', () => {
  it.each(folders)('%s imports only what it declares', (folder) => {
    const { name, dependencies, peerDependencies, devDependencies } = manifest(folder);
    const shipped = new Set([name, ...names(dependencies), ...names(peerDependencies)]);
    const testOnly = new Set([...shipped, ...names(devDependencies), 'vitest', 'fast-check', 'typescript']);
    const wrong = sources(folder).flatMap((file) =>
      imports(file)
        .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
        // What a build makes: the icons of the playground's page.
        .filter((specifier) => !specifier.startsWith('virtual:'))
        .filter((specifier) => !(isTest(file) ? testOnly : shipped).has(packageOf(specifier)))
        // Packages bundled into what is published (the playground's page) are development dependencies by design.
        .filter((specifier) => !(folder === 'packages/playground' && testOnly.has(packageOf(specifier))))
        // A peer that is loaded only when named is typed through its development dependency.
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(folders)('%s reaches into no other package by a relative path', (folder) => {
    const wrong = sources(folder).flatMap((file) =>
      imports(file)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => relative(folder, join(dirname(file), specifier)).startsWith('..'))
        // What the tests of several packages share.
        .filter((specifier) => !(isTest(file) && /^(\.\.\/)+scripts\/testing\//.test(specifier)))
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('core uses no Node module, and nothing in it imports the chat-completions dialect', () => {
    const files = sources('packages/core/src').filter((file) => !isTest(file));
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter(
          (specifier) =>
            isBuiltin(specifier) ||
            (specifier.includes('chat-completions') && !file.includes('/chat-completions/')),
        )
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the trace tools use Node modules only behind their file door', () => {
    const files = sources('packages/trace/src').filter((file) => !isTest(file) && !file.includes('/file/'));
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter(isBuiltin)
        .map((name) => `${file}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no adapter imports another, and conformance knows no SDK', () => {
    const others = [...ADAPTERS.map((adapter) => `@glassloop/${adapter}`), ...Object.values(SDK)];
    const inspected = [
      ...ADAPTERS.map((adapter) => [`packages/${adapter}`, [`@glassloop/${adapter}`, SDK[adapter]]] as const),
      ['conformance', []] as const,
      ['packages/simulator', []] as const,
    ];
    const wrong = inspected.flatMap(([folder, own]) =>
      sources(folder).flatMap((file) =>
        imports(file)
          .map(packageOf)
          .filter((name) => others.includes(name) && !(own as readonly string[]).includes(name))
          .map((name) => `${file}: ${name}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('only src/adapter.ts of an adapter loads its SDK; other files take types alone', () => {
    const wrong = ADAPTERS.flatMap((adapter) =>
      sources(`packages/${adapter}/src`)
        .filter((file) => !file.endsWith('/adapter.ts') && !isTest(file))
        .filter((file) => {
          const text = readFileSync(join(root, file), 'utf8');
          return new RegExp(`^import (?!type)[^;]*from ['"]${SDK[adapter]}`, 'm').test(text);
        }),
    );
    expect(wrong).toEqual([]);
  });
});
