import type { Retention } from '../protocol.ts';
import type { RunFile } from './folder.ts';

export const DEFAULT_RETENTION: Retention = { maxRuns: 1000, maxDays: 90, maxBytes: 2 * 1024 ** 3 };

const DAY_MS = 86_400_000;

/** The files to delete: the oldest beyond the count, the age or the size. Pinned ones are neither counted nor deleted. */
export function surplus(
  files: readonly { readonly file: RunFile; readonly pinned: boolean }[],
  retention: Retention,
  now: number,
): RunFile[] {
  let bytes = 0;
  return files
    .filter(({ pinned }) => !pinned)
    .map(({ file }) => file)
    .sort((a, b) => b.changedAt - a.changedAt)
    .filter((file, index) => {
      bytes += file.bytes;
      return (
        index >= retention.maxRuns ||
        bytes > retention.maxBytes ||
        now - file.changedAt > retention.maxDays * DAY_MS
      );
    });
}
