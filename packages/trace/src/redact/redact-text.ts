import { secretRanges } from './secret-shapes.ts';

export const REDACTED = '[redacted]';
/** Stands where a text could not be redacted, so that it is not shown at all. */
export const REDACTION_FAILED = '[redaction failed]';

const MOST_KEYS = 2000;

/** Blacks out secrets in texts. Never throws and never lets a text through that it could not look at. */
export class TextRedactor {
  readonly #values: readonly string[];
  readonly #keys = new Map<string, string>();
  readonly #custom: ((text: string) => string) | undefined;

  constructor(values: readonly string[], custom: ((text: string) => string) | undefined) {
    this.#values = values;
    this.#custom = custom;
  }

  /** The same for a name of a field; the few there are come again and again. */
  key(key: string): string {
    let clean = this.#keys.get(key);
    if (clean === undefined) {
      clean = this.text(key);
      if (this.#keys.size < MOST_KEYS) this.#keys.set(key, clean);
    }
    return clean;
  }

  text(text: string): string {
    return this.pieces([text])[0]!;
  }

  /** Texts that are pieces of one text, as a stream brings it: a secret may begin in one and end in another. */
  pieces(pieces: readonly string[]): readonly string[] {
    try {
      const customized =
        this.#custom === undefined ? pieces : pieces.map((piece) => this.#checked(this.#custom!(piece)));
      return blackedOut(customized, secretRanges(customized.join(''), this.#values));
    } catch {
      return pieces.map(() => REDACTION_FAILED);
    }
  }

  #checked(text: unknown): string {
    if (typeof text !== 'string') throw new TypeError('A redactor must return a text.');
    return text;
  }
}

function blackedOut(
  pieces: readonly string[],
  ranges: readonly (readonly [number, number])[],
): readonly string[] {
  if (ranges.length === 0) return pieces;
  let pieceStart = 0;
  let first = 0;
  return pieces.map((piece) => {
    const pieceEnd = pieceStart + piece.length;
    let clean = '';
    let shown = pieceStart;
    while (first < ranges.length && ranges[first]![1] <= pieceStart) first++;
    for (let index = first; index < ranges.length && ranges[index]![0] < pieceEnd; index++) {
      const [start, end] = ranges[index]!;
      if (start > shown) clean += piece.slice(shown - pieceStart, start - pieceStart);
      // The mark stands once, where the secret begins.
      if (start >= pieceStart) clean += REDACTED;
      shown = Math.min(end, pieceEnd);
    }
    clean += piece.slice(shown - pieceStart);
    pieceStart = pieceEnd;
    return clean;
  });
}
