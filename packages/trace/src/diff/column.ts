/** A power of two. */
const PIECE = 8192;

type Numbers = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** A long list of numbers, in the bytes that its type takes for each; it grows without being copied. */
export class Column {
  readonly #type: new (
    length: number,
  ) => Numbers;
  readonly #pieces: Numbers[] = [];
  #length = 0;

  constructor(type: new (length: number) => Numbers) {
    this.#type = type;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const place = this.#length++ % PIECE;
    if (place === 0) this.#pieces.push(new this.#type(PIECE));
    this.#pieces.at(-1)![place] = value;
  }

  /** `index`: a whole number below `length`. */
  at(index: number): number {
    return this.#pieces[Math.trunc(index / PIECE)]![index % PIECE]!;
  }
}
