import { open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { UnusableFile } from './problem.ts';

/** Most bytes of a text file that is read. */
const MOST_BYTES = 1_000_000;

/** Whether `path` is `folder` or lies below it; both absolute. */
export function isUnder(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A path as problems and origins name it. */
export function shownPath(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/**
 * The real path of something in the project folder; undefined when there is none. Throws UnusableFile when it leads out
 * of the folder, by itself or by a link.
 */
export async function insideProject(root: string, path: string): Promise<string | undefined> {
  const wanted = resolve(root, path);
  if (path.includes('\0') || !isUnder(root, wanted)) {
    throw new UnusableFile(
      `"${path}" lies outside the project folder.`,
      'Use a path inside the folder of the configuration file.',
    );
  }
  let real: string;
  try {
    real = await realpath(wanted);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UnusableFile(
      `"${path}" cannot be opened (${String(code)}).`,
      'Check the link and the permissions.',
    );
  }
  if (!isUnder(await realpath(root), real)) {
    throw new UnusableFile(
      `"${path}" is a link that leads outside the project folder.`,
      'Put the file itself there; what a link points at can change without anyone noticing.',
    );
  }
  return real;
}

/** The text of a file: UTF-8 without byte order mark, line ends as `\n`. Throws UnusableFile. */
export async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    // Opening a pipe or a device could wait for ever.
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) throw new UnusableFile('It is not a regular file.', 'Put a text file there.');
    if (size > MOST_BYTES) {
      throw new UnusableFile(
        `It has ${size.toLocaleString('en-US')} bytes; at most ${MOST_BYTES.toLocaleString('en-US')} are read.`,
        'Shorten it to what a model can use.',
      );
    }
    const handle = await open(path, 'r');
    try {
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UnusableFile) throw error;
    const { code } = error as { code?: unknown };
    throw new UnusableFile(
      code === 'ENOENT' ? 'There is no such file.' : `It cannot be read (${String(code)}).`,
      code === 'ENOENT' ? 'Create it, or remove what names it.' : 'Check its permissions.',
    );
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text.replaceAll('\r\n', '\n');
  } catch {
    // Told below.
  }
  const at = firstBadLine(bytes);
  throw new UnusableFile('It is not UTF-8 text.', 'Save it as UTF-8.', at);
}

function firstBadLine(bytes: Uint8Array): number | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let start = 0;
  for (let index = 0; index <= bytes.length; index++) {
    if (index < bytes.length && bytes[index] !== 10) continue;
    const piece = bytes.subarray(start, index);
    try {
      if (decoder.decode(piece).includes('\0')) return line;
    } catch {
      return line;
    }
    start = index + 1;
    line++;
  }
  return undefined;
}

/** Names in a folder, sorted by code point; none when there is no such folder. */
export async function namesIn(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  try {
    return (await readdir(folder)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new UnusableFile(`The folder cannot be read (${String(code)}).`, 'Check its permissions.');
  }
}
