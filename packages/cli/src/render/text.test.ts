import { expect, test } from 'vitest';
import { formatBytes, formatCost, formatDuration, oneLine, printedJson, visible } from './text.ts';

test('visible keeps text, line ends, tabs and emoji, and escapes what steers or hides', () => {
  expect(visible('é 漢 👩‍💻\tx\r\ny')).toBe('é 漢 👩‍💻\tx\ny');
  expect(visible('\r\u001b[2K\u0085\u2028\u2066\ufeff')).toBe('\\x0d\\x1b[2K\\x85\\u2028\\u2066\\ufeff');
  expect(visible('\ud83d!')).toBe('\ufffd!');
});

test('oneLine cuts by characters, never inside one', () => {
  expect(oneLine('a\n\n  b')).toBe('a b');
  expect(oneLine('👍'.repeat(10), 4)).toBe('👍👍👍…');
  expect(oneLine('x'.repeat(1_000_000), 5)).toBe('xxxx…');
});

test('printedJson parses to the same value and holds no control characters', () => {
  const value = { 'k\u009b': ['\u001b[31m', '\u202e', '\u{e0041}', '\n'], n: null };
  const text = printedJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[\u007f-\u009f\u202e]|\u{e0041}/u);
});

test('numbers', () => {
  expect([0, 0.4, 12.4, 999.6, 61_000, Number.NaN].map(formatDuration)).toEqual([
    '0 ms',
    '<1 ms',
    '12 ms',
    '1.0 s',
    '1 min 1 s',
    'unknown',
  ]);
  expect([0, 999, 1000, 999_960, 2_500_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 KB',
    '1.0 MB',
    '2.5 MB',
  ]);
  expect([0, 1e-10, 0.0000123, 0.001, 0.0123, 0.5, 12.345].map(formatCost)).toEqual([
    '$0',
    '<$0.000000001',
    '$0.0000123',
    '$0.001',
    '$0.0123',
    '$0.50',
    '$12.35',
  ]);
});
