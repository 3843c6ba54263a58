import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The lines of one trace: line 0 is the header, line n the step with `seq` n. Grows while the run goes on. */
export interface Lines {
  readonly count: number;
  /** Of all lines, in UTF-8. */
  readonly bytes: number;
  /** Of one line, its line break included. */
  bytesOf(index: number): number;
  open(): Promise<LineReader>;
}

export interface LineReader {
  /** With its line break. */
  read(index: number): Promise<string>;
  close(): Promise<void>;
}

/** Reads one line and closes again. */
export async function readLine(lines: Lines, index: number): Promise<string> {
  const reader = await lines.open();
  try {
    return await reader.read(index);
  } finally {
    await reader.close();
  }
}

/** Where the lines of a file are. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The lines of a file whose places are known. */
export class FileLines implements Lines {
  readonly path: string;
  readonly #stretches: readonly Stretch[];

  constructor(path: string, stretches: readonly Stretch[]) {
    this.path = path;
    this.#stretches = stretches;
  }

  get count(): number {
    return this.#stretches.length;
  }

  get bytes(): number {
    return this.#stretches.at(-1)?.end ?? 0;
  }

  bytesOf(index: number): number {
    const stretch = this.#stretches[index];
    return stretch === undefined ? 0 : stretch.end - stretch.start;
  }

  async open(): Promise<LineReader> {
    const file = await open(this.path, 'r');
    return { read: (index) => readStretch(file, this.#stretches[index]!), close: () => file.close() };
  }
}

async function readStretch(file: FileHandle, { start, end }: Stretch): Promise<string> {
  const buffer = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const text = buffer.toString('utf8', 0, bytesRead);
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Lines that are being written: to a file, or to memory. A full disk moves the rest into memory; the run goes on. */
export class GrowingLines implements Lines {
  /** Why the file is not complete; undefined when it is. */
  failure: string | undefined;
  readonly #path: string | undefined;
  #fd: number | undefined;
  readonly #stretches: Stretch[] = [];
  readonly #inMemory = new Map<number, string>();

  /** Creates the file, mode 0600; it must not exist. */
  constructor(path?: string) {
    this.#path = path;
    if (path !== undefined) this.#fd = openSync(path, 'ax', 0o600);
  }

  get count(): number {
    return this.#stretches.length;
  }

  get bytes(): number {
    return this.#stretches.at(-1)?.end ?? 0;
  }

  bytesOf(index: number): number {
    const stretch = this.#stretches[index];
    return stretch === undefined ? 0 : stretch.end - stretch.start;
  }

  append(line: string): void {
    const bytes = Buffer.from(line);
    const start = this.bytes;
    if (this.#fd === undefined || !this.#write(this.#fd, bytes, start)) this.#inMemory.set(this.count, line);
    this.#stretches.push({ start, end: start + bytes.length });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  async open(): Promise<LineReader> {
    let file: Promise<FileHandle> | undefined;
    return {
      read: async (index) => {
        const line = this.#inMemory.get(index);
        if (line !== undefined) return line;
        file ??= open(this.#path!, 'r');
        return readStretch(await file, this.#stretches[index]!);
      },
      close: async () => (await file)?.close(),
    };
  }

  #write(fd: number, bytes: Buffer, start: number): boolean {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      return true;
    } catch (error) {
      this.failure = `The file is complete only to line ${this.count}: ${(error as Error).message}`;
      try {
        ftruncateSync(fd, start);
      } catch {
        // A cut last line is left out by every reader.
      }
      this.close();
      return false;
    }
  }
}
