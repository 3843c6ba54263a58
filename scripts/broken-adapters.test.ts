/** The suite has teeth for the real adapters too: a copy of each, broken in one place, turns the case red that is meant for it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { type CaseId, runCases } from '../conformance/src/index.ts';
import { wireFormats } from '../packages/simulator/src/index.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// Inside the repository, so that the copies find the SDKs they leave out of the bundle.
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** One fault, put into the source while it is bundled. */
interface Fault {
  readonly name: string;
  readonly file: RegExp;
  readonly from: string | RegExp;
  readonly to: string;
  readonly caughtBy: CaseId;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'captures unless the directive is undefined',
    file: /core\/src\/adapter\/raw\.ts$/,
    from: /options\._capture_raw === true/g,
    to: 'options._capture_raw !== undefined',
    caughtBy: 'capture.only-true',
  },
  {
    name: 'never aborts the request',
    file: /core\/src\/adapter\/call-within\.ts$/,
    from: /controller\.abort\(\w+\);/g,
    to: '',
    caughtBy: 'abort.waiting',
  },
  {
    name: 'counts nothing',
    file: /core\/src\/adapter\/counts\.ts$/,
    from: 'return Math.max(0, Math.round(value));',
    to: 'return 0;',
    caughtBy: 'usage.counts',
  },
];

async function brokenCopy(adapter: string, fault: Fault) {
  const folder = mkdtempSync(join(root, `packages/${adapter}/dist-broken-`));
  folders.push(folder);
  let replaced = 0;
  const plugin: Plugin = {
    name: 'fault',
    setup({ onLoad }) {
      onLoad({ filter: fault.file }, async ({ path }) => {
        const { readFile } = await import('node:fs/promises');
        const source = await readFile(path, 'utf8');
        const contents = source.replace(fault.from, fault.to);
        if (contents !== source) replaced++;
        return { contents, loader: 'ts' };
      });
    },
  };
  const outfile = join(folder, 'index.mjs');
  await build({
    entryPoints: [join(root, `packages/${adapter}/src/index.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@glassloop/source'],
    // Official SDKs are loaded as they are; only our own sources are copied.
    external: [
      'openai',
      '@anthropic-ai/sdk',
      '@google/generative-ai',
      '@mistralai/*',
      'ollama',
      'ollama/*',
      'groq-sdk',
    ],
    plugins: [plugin],
  });
  expect(replaced, `the fault is not in ${fault.file}`).toBe(1);
  return import(pathToFileURL(outfile).href);
}

const MODELS: { readonly [adapter in keyof typeof wireFormats]: string } = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  mistral: 'mistral-large-latest',
  ollama: 'qwen3',
  groq: 'openai/gpt-oss-20b',
  openrouter: 'deepseek/deepseek-r1',
};

describe.each(FAULTS)('a copy that $name', (fault) => {
  it.each(Object.keys(wireFormats) as (keyof typeof wireFormats)[])(
    `of %s fails ${fault.caughtBy}`,
    async (adapter) => {
      const module = await brokenCopy(adapter, fault);
      const [result] = await runCases(
        {
          wire: wireFormats[adapter],
          create: (settings) => module[adapter]({ model: MODELS[adapter], ...settings }),
        },
        { only: ({ id }) => id === fault.caughtBy },
      );
      expect(result).toMatchObject({ id: fault.caughtBy, outcome: 'fail' });
    },
  );
});
