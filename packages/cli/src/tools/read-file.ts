import { open, stat } from 'node:fs/promises';
import { defineTool, type Tool, ToolError } from '@glassloop/core';
import { textArgument } from './argument.ts';
import { type Folder, inside } from './folder.ts';

/** Bytes of a file that a model is shown. */
const MOST_BYTES = 40_000;

export function readFileTool(folder: Folder): Tool {
  return defineTool({
    name: 'read_file',
    effect: 'reads',
    description:
      'Reads a text file in the current folder or below it. Returns its text; of a long file the beginning.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the current folder, for example docs/intro.md' },
      },
      required: ['path'],
    },
    execute: (input) => readUnder(folder, textArgument(input, 'path')),
  });
}

async function readUnder(folder: Folder, path: string): Promise<string> {
  const file = await inside(folder, path);
  const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
  // Opening a pipe or a device could wait for ever.
  if (!isFile) throw new ToolError(`${JSON.stringify(path)} is not a file.`);
  const bytes = await firstBytes(file, MOST_BYTES);
  const text = decoded(bytes, size > bytes.length);
  if (text === undefined) return `${path} is a binary file of ${size} bytes; it is not shown.`;
  if (size <= bytes.length) return text;
  return `${text}\n[${path} has ${size} bytes; these are the first ${MOST_BYTES}.]`;
}

async function firstBytes(file: string, most: number): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    const buffer = new Uint8Array(most);
    let length = 0;
    while (length < most) {
      const { bytesRead } = await handle.read(buffer, length, most - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** The bytes as UTF-8; undefined when they are no text. A character cut at the end is left out. */
function decoded(bytes: Uint8Array, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}
