import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, type Tool, ToolError } from '@glassloop/core';
import { textArgument } from './argument.ts';
import { type Folder, inside, isHidden } from './folder.ts';

/** Entries that a model is shown. */
const MOST_ENTRIES = 300;

export function listFilesTool(folder: Folder): Tool {
  return defineTool({
    name: 'list_files',
    effect: 'reads',
    description:
      'Lists a folder: the current one, or one below it. Returns name, kind and size in bytes of each entry.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the current folder. Default: the current folder.' },
      },
    },
    execute: (input) => listUnder(folder, textArgument(input, 'path', '.')),
  });
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes?: number;
}

async function listUnder(under: Folder, path: string): Promise<unknown> {
  const folder = await inside(under, path === '' ? '.' : path);
  if (!(await stat(folder)).isDirectory()) throw new ToolError(`${JSON.stringify(path)} is not a folder.`);
  const names = (await readdir(folder)).filter((name) => join(folder, name) !== under.except);
  const shown = names.filter((name) => !isHidden(name)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const entries = await Promise.all(shown.slice(0, MOST_ENTRIES).map((name) => entryOf(under, path, name)));
  return {
    folder: path === '' ? '.' : path,
    entries,
    ...(shown.length > MOST_ENTRIES ? { notShown: shown.length - MOST_ENTRIES } : {}),
    ...(names.length > shown.length ? { hiddenEntries: names.length - shown.length } : {}),
  };
}

async function entryOf(under: Folder, path: string, name: string): Promise<Entry> {
  try {
    // A link that leads outside tells nothing of what is there, not even its size.
    const real = await inside(under, join(path, name));
    const found = await stat(real);
    if (found.isDirectory()) return { name, kind: 'folder' };
    return found.isFile() ? { name, kind: 'file', bytes: found.size } : { name, kind: 'other' };
  } catch {
    return { name, kind: 'link' };
  }
}
