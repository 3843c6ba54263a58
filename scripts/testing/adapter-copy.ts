/** A copy of an adapter and of what it uses of core, changed in one file while it is bundled. */

import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Adapter, AdapterSettings } from '../../packages/core/src/index.ts';
import { wireFormats } from '../../packages/simulator/src/index.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export type AdapterName = keyof typeof wireFormats;
export const adapterNames = Object.keys(wireFormats) as AdapterName[];

/** A model of each adapter that takes everything the tests ask for. */
export const MODELS: { readonly [adapter in AdapterName]: string } = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  mistral: 'mistral-large-latest',
  ollama: 'qwen3',
  groq: 'openai/gpt-oss-20b',
  openrouter: 'deepseek/deepseek-r1',
};

const folders: string[] = [];

/** Removes all copies. */
export function removeCopies(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** The factory of the changed copy. Rejects when the change does not apply to exactly one file. */
export async function adapterCopy(
  adapter: AdapterName,
  change: { readonly file: RegExp; readonly edit: (source: string) => string },
): Promise<(settings: AdapterSettings) => Adapter> {
  // Inside the package, so that the copy finds the SDK it leaves out of the bundle.
  const folder = mkdtempSync(join(root, `packages/${adapter}/dist-broken-`));
  folders.push(folder);
  let changed = 0;
  const plugin: Plugin = {
    name: 'change',
    setup({ onLoad }) {
      onLoad({ filter: change.file }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = change.edit(source);
        if (contents !== source) changed++;
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
  if (changed !== 1)
    throw new Error(`The change applied to ${changed} files instead of one (${change.file}).`);
  return (await import(pathToFileURL(outfile).href))[adapter];
}
