import { describe, expect, test } from 'vitest';
import { difference, shortened } from './difference.ts';

const marks = (before: string, after: string): string =>
  difference(before, after)
    .map(({ mark, text }) => mark + text)
    .join('|');

describe('difference', () => {
  test.each([
    ['', 'a\nb', '+a|+b'],
    ['a', '', '-a'],
    ['a\nb\nc', 'a\nB\nc', ' a|-b|+B| c'],
    ['a\nb', 'b\na', '-a| b|+a'],
    ['a\na', 'a\na\na', ' a| a|+a'],
    ['same', 'same', ' same'],
  ])('%j to %j', (before, after, expected) => {
    expect(marks(before, after)).toBe(expected);
  });

  test('of texts too large to compare is all of both', () => {
    const text = (mark: string) => Array.from({ length: 3000 }, (_, at) => `${mark}${at}`).join('\n');
    expect(difference(text('a'), text('b'))).toHaveLength(6000);
  });

  test('is shortened to what is around the changes', () => {
    const lines = difference('1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\n5\n6\n7\n8\nX');
    expect(shortened(lines, 1).map((line) => (line === undefined ? '…' : line.mark + line.text))).toEqual([
      '…',
      ' 8',
      '-9',
      '+X',
    ]);
  });
});
