import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ToolError } from '@glassloop/core';

/** What file tools may see. */
export interface Folder {
  readonly root: string;
  /** The full path of one file that is not to be seen: the trace that is being written. */
  readonly except?: string | undefined;
}

/**
 * The real path of `path` under the root of `folder`. Throws a sentence for the model when it is absolute, leaves the folder
 * by `..` or by a link, is hidden, or does not exist.
 */
export async function inside({ root, except }: Folder, path: string): Promise<string> {
  if (path.includes('\0')) throw new ToolError('A path may hold no NUL character.');
  if (isAbsolute(path) || /^([a-zA-Z]:|[\\/]|~)/.test(path)) {
    throw new ToolError(
      `Only paths relative to the current folder are allowed; ${JSON.stringify(path)} is not.`,
    );
  }
  const wanted = resolve(root, path);
  if (!isUnder(root, wanted))
    throw new ToolError(`${JSON.stringify(path)} lies outside the current folder; refused.`);
  if (isHidden(relative(root, wanted))) throw new ToolError(`${JSON.stringify(path)} is hidden; refused.`);
  const [realRoot, real] = await Promise.all([realpath(root), realpath(wanted).catch(() => undefined)]);
  if (real === undefined || wanted === except || real === except)
    throw new ToolError(`There is no file or folder ${JSON.stringify(path)}.`);
  if (!isUnder(realRoot, real)) {
    throw new ToolError(`${JSON.stringify(path)} is a link that leads outside the current folder; refused.`);
  }
  if (isHidden(relative(realRoot, real))) {
    throw new ToolError(`${JSON.stringify(path)} is a link to something hidden; refused.`);
  }
  return real;
}

/** Keys and private settings live in hidden files, and what a tool reads is sent to the provider. */
export function isHidden(relativePath: string): boolean {
  return relativePath.split(/[\\/]/).some((name) => name.startsWith('.') && name !== '.' && name !== '..');
}

function isUnder(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
