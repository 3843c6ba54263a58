import { sep } from 'node:path';
import * as core from '@glassloop/core';
import { createJiti } from 'jiti';
import { defineConfig } from './config.ts';
import { UnusableFile } from './problem.ts';

/**
 * Loads programs of one project, TypeScript or not. What an earlier load left in memory is forgotten, so that a
 * long-lived process sees edited files; only of plain modules (`.mjs`) Node itself keeps the first.
 */
export function moduleLoader(root: string): (path: string) => Promise<unknown> {
  const jiti = createJiti(root + sep, {
    fsCache: false,
    // The very modules of this process: a project need not have them installed, and there is one `defineTool`.
    virtualModules: { '@glassloop/core': core, '@glassloop/project': { defineConfig } },
  });
  for (const path of Object.keys(jiti.cache)) {
    if (path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`)) delete jiti.cache[path];
  }
  return async (path) => {
    let module: unknown;
    try {
      module = await jiti.import(path);
    } catch (error) {
      throw new UnusableFile(
        `It cannot be loaded: ${firstLine(error)}`,
        'Correct the program.',
        lineOf(error, path),
      );
    }
    // Of a module without a default the loader makes the module itself the default; that is not what was meant.
    const exported = Object.hasOwn(module as object, 'default')
      ? (module as { default?: unknown }).default
      : undefined;
    if (exported === undefined) {
      throw new UnusableFile('It has no default export.', 'Export what it is for as default.');
    }
    return exported;
  };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]!.slice(0, 300);
}

/** From the stack, or from the position that a parser puts into its message. */
function lineOf(error: unknown, path: string): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const at = (error.stack ?? '').indexOf(`${path}:`);
  const inStack = at < 0 ? undefined : /^\d+/.exec(error.stack!.slice(at + path.length + 1))?.[0];
  const line = /\((\d+):\d+\)/.exec(error.message)?.[1] ?? inStack;
  return line === undefined ? undefined : Number(line);
}
