/** Values by chance, for tests of what holds for all of them. */

import fc from 'fast-check';
import type { Message } from '../src/index.ts';

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

/** A message of any role with any text; not frozen. */
export const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('user' as const), content: text }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.array(fc.record({ type: fc.constant('text' as const), text })),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.array(fc.record({ id: text, name: text, argumentsJson: text }), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    toolCallId: text,
    toolName: text,
    content: text,
    isError: fc.boolean(),
  }),
);
