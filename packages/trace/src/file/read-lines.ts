import { open } from 'node:fs/promises';

/** One line of a file. */
export interface FileLine {
  /** Without its line break; '' for a line that is too long. */
  readonly text: string;
  /** Whether there is no line break behind it: the end of the file. */
  readonly isCut: boolean;
  readonly isTooLong: boolean;
  /** In bytes, from the beginning of the file. */
  readonly offset: number;
  /** In bytes, without the line break. */
  readonly length: number;
}

/** More than any step needs; a longer line would not fit into the memory that a file may take. */
const LONGEST_LINE = 32 * 1024 * 1024;
const PIECE = 256 * 1024;
const LINE_FEED = 10;

/** The lines of a file in bounded memory. `onProgress`: bytes read so far, and all there are. */
export async function* readLines(
  path: string,
  onProgress?: (read: number, size: number) => void,
): AsyncGenerator<FileLine> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const piece = Buffer.allocUnsafe(PIECE);
    let begun: Buffer[] = [];
    let begunLength = 0;
    let offset = 0;
    let read = 0;
    const line = (end: Buffer, isCut: boolean): FileLine => {
      const length = begunLength + end.length;
      const isTooLong = length > LONGEST_LINE;
      // Most lines are within one piece, and need no copy.
      const whole = begun.length === 0 ? end : Buffer.concat([...begun, end]);
      const text = isTooLong ? '' : whole.toString('utf8');
      const found = { text, isCut, isTooLong, offset, length };
      begun = [];
      begunLength = 0;
      offset += length + 1;
      return found;
    };
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE);
      if (bytesRead === 0) break;
      read += bytesRead;
      onProgress?.(read, size);
      let start = 0;
      for (;;) {
        const end = piece.subarray(0, bytesRead).indexOf(LINE_FEED, start);
        if (end < 0) break;
        yield line(piece.subarray(start, end), false);
        start = end + 1;
      }
      const rest = piece.subarray(start, bytesRead);
      begunLength += rest.length;
      // The rest of a line that is too long is counted, not kept.
      if (begunLength <= LONGEST_LINE) begun.push(Buffer.from(rest));
      else begun = [];
    }
    if (begunLength > 0) yield line(Buffer.alloc(0), true);
  } finally {
    await file.close();
  }
}
