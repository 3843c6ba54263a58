/** Bytes in, whole lines out, however the bytes were cut on their way. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  // Pieces of the open line are joined once, at its end: a line of megabytes arrives in hundreds of chunks.
  #open: string[] = [];

  /** The lines that `bytes` completed. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#split(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What is left behind the last line break; undefined when nothing is. */
  end(): string | undefined {
    this.#open.push(this.#decoder.decode());
    const rest = this.#open.join('');
    this.#open = [];
    return rest.trim() === '' ? undefined : rest;
  }

  #split(text: string): readonly string[] {
    const pieces = text.split('\n');
    const last = pieces.pop() as string;
    if (pieces.length === 0) {
      this.#open.push(last);
      return [];
    }
    pieces[0] = this.#open.join('') + pieces[0];
    this.#open = [last];
    return pieces;
  }
}
