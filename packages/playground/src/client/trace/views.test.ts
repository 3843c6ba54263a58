import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldsOf, placeOf, ticksOf, timeAt, wholeOf, zoomed } from './axis.ts';
import { countHidden, visiblePieces } from './hidden-text.ts';
import { base64Chip, ExactNumber, jsonRows, openAtFirst, PAGE, parseExact } from './json-rows.ts';
import { checkArguments } from './schema-check.ts';
import { shapeOf } from './text-shape.ts';

describe('the time axis', () => {
  it('has ticks at 1, 2 or 5 times a power of ten', () => {
    const times = (to: number) => ticksOf({ from: 0, to }).map(({ time }) => time);
    expect(times(12_000)).toEqual([0, 2000, 4000, 6000, 8000, 10_000, 12_000]);
    expect(times(480)).toEqual([0, 100, 200, 300, 400]);
    expect(ticksOf({ from: 0, to: 0 })).toEqual([]);
  });
  it('zooms around a point and never beyond the run', () => {
    const whole = wholeOf(1000);
    expect(zoomed(whole, 0.5, 0.5, { from: 0, to: 1000 }).from).toBeCloseTo(253.75);
    expect(zoomed({ from: 0, to: 100 }, 100, 0.2, whole)).toEqual(whole);
  });
});

describe('idle stretches that are drawn short', () => {
  const gapsAndTimes = fc
    .tuple(fc.array(fc.integer({ min: 1, max: 1e7 }), { minLength: 2, maxLength: 9 }), fc.array(fc.nat(3e7)))
    .map(([lengths, times]) => {
      const gaps: { from: number; to: number }[] = [];
      let at = 0;
      for (const [index, length] of lengths.entries()) {
        if (index % 2 === 1) gaps.push({ from: at, to: at + length });
        at += length;
      }
      return { gaps, duration: at, times: times.map((time) => time % (at + 1)).sort((a, b) => a - b) };
    });

  it('move every time to one place and back, in order', () => {
    fc.assert(
      fc.property(gapsAndTimes, ({ gaps, duration, times }) => {
        const folds = foldsOf(gaps, duration);
        let last = -1;
        for (const time of times) {
          const place = placeOf(time, folds);
          expect(place).toBeGreaterThanOrEqual(last);
          last = place;
          expect(Math.abs(timeAt(place, folds) - time)).toBeLessThan(0.1);
        }
        for (const [index, gap] of gaps.entries()) {
          expect(placeOf(gap.from, folds)).toBeCloseTo(folds[index]!.at, 3);
          expect(placeOf(gap.to, folds)).toBeCloseTo(folds[index]!.at + folds[index]!.width, 3);
        }
      }),
    );
  });
  it('have no tick, and never more than a few are made', () => {
    fc.assert(
      fc.property(gapsAndTimes, ({ gaps, duration }) => {
        const folds = foldsOf(gaps, duration);
        const ticks = ticksOf({ from: 0, to: placeOf(duration, folds) }, folds);
        expect(ticks.length).toBeLessThan(12);
        for (const { time, at } of ticks) {
          expect(at).toBeCloseTo(placeOf(time, folds), 3);
          expect(gaps.some(({ from, to }) => time > from && time < to)).toBe(false);
        }
      }),
    );
  });
});

describe('invisible characters', () => {
  it('are found and named, the text stays whole', () => {
    const text = 'a\u202Eb\u200Bc\u{E0041}d\u0000e\uFEFF';
    const pieces = visiblePieces(text);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.flatMap((piece) => ('mark' in piece ? [piece.mark] : []))).toEqual([
      'RLO',
      'ZWSP',
      'TAG A',
      'NUL',
      'BOM',
    ]);
    expect(countHidden(text)).toBe(5);
  });
  it('an emoji made of several is one visible character; lone surrogates are not', () => {
    expect(countHidden('👩‍👩‍👧 ok 🏳️‍🌈')).toBe(0);
    expect(countHidden('half \uD83D end')).toBe(1);
    expect(visiblePieces('')).toEqual([]);
  });
});

describe('the JSON tree', () => {
  it('has rows for open containers only, and pages', () => {
    const value = { list: Array.from({ length: 1000 }, (_, index) => index), deep: { a: { b: 1 } } };
    expect(jsonRows(value, new Set(), new Map())).toHaveLength(1);
    const rows = jsonRows(value, new Set(['$', '$.list']), new Map());
    expect(rows).toHaveLength(1 + 2 + PAGE + 1);
    expect(rows.find((row) => row.kind === 'more')?.value).toBe(1000 - PAGE);
    expect(openAtFirst(value).has('$.list')).toBe(false);
    expect(openAtFirst(value).has('$.deep')).toBe(true);
  });
  it('keeps the text of numbers that would lose digits, where the engine tells it', () => {
    const value = parseExact('{"id": 12345678901234567890, "n": 1.5}') as { id: unknown; n: unknown };
    expect(value.n).toBe(1.5);
    if (value.id instanceof ExactNumber) expect(value.id.text).toBe('12345678901234567890');
  });
  it('shows bytes written as text as what they are', () => {
    expect(base64Chip(`data:image/png;base64,${'A1'.repeat(300)}`)).toEqual({
      type: 'image/png',
      bytes: 450,
    });
    expect(base64Chip('just a word')).toBeUndefined();
  });
});

describe('texts', () => {
  it.each([
    ['{"a":1}', 'json'],
    ['[{"a":1},{"a":2}]', 'json'],
    ['\u001b[31mred\u001b[0m', 'ansi'],
    ['@@ -1,2 +1,2 @@\n-a\n+b', 'diff'],
    ['{not json', 'text'],
  ])('%j is %s', (text, shape) => {
    expect(shapeOf(text).shape).toBe(shape);
  });
  it('what a model says is never colours', () => {
    expect(shapeOf('\u001b[31mred', 'prose').shape).toBe('text');
  });
});

describe('arguments against a schema', () => {
  const schema = {
    type: 'object',
    properties: { word: { type: 'string' }, n: { type: 'integer', minimum: 1 } },
    required: ['word'],
    additionalProperties: false,
  };
  it.each([
    ['{"word":"owl"}', { result: 'matches' }],
    ['{"n":1}', { result: 'differs', path: 'word', rule: 'required' }],
    ['{"word":"owl","n":0}', { result: 'differs', path: 'n', rule: 'minimum' }],
    ['{"word":"owl","x":0}', { result: 'differs', path: 'x', rule: 'additionalProperties' }],
    ['{"word":', { result: 'not_json' }],
  ])('%s', (text, result) => {
    expect(checkArguments(schema, text)).toEqual(result);
  });
  it('what it does not know, it has not checked', () => {
    expect(checkArguments({ type: 'object', oneOf: [] }, '{}')).toEqual({ result: 'unchecked' });
  });
});
