/** Values by chance, for tests of what holds for all of them. */

import fc from 'fast-check';

/** Every character there is, lone surrogates and control characters included. */
export const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
export const readable = fc.string({ unit: 'grapheme' });
export const json = fc.jsonValue() as fc.Arbitrary<unknown>;
export const object = fc.dictionary(fc.string(), json, { noNullPrototype: true });

/** The text in pieces, cut wherever chance has it. */
export const inPieces = (whole: fc.Arbitrary<string>) =>
  fc.tuple(whole, fc.array(fc.nat(100))).map(([written, cuts]) => {
    const pieces: string[] = [];
    let rest = written;
    for (const cut of cuts) {
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    return { written, pieces: [...pieces, rest] };
  });
