import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align, EQUAL, type Pair } from './align.ts';

/** Items are numbers; those of the same ten are similar. */
const sides = (olds: readonly number[], news: readonly number[]) => ({
  olds,
  news,
  similarity: (old: number, fresh: number) =>
    Math.trunc(olds[old]! / 10) === Math.trunc(news[fresh]! / 10) ? 1 : 0,
});
type Sides = ReturnType<typeof sides>;

function total({ olds, news, similarity }: Sides, pairs: readonly Pair[]): number {
  return pairs
    .filter(([old, fresh]) => old >= 0 && fresh >= 0)
    .reduce((sum, [old, fresh]) => sum + (olds[old] === news[fresh] ? EQUAL : similarity(old, fresh)), 0);
}

/** Every pairing there is; only for short lists. */
function highest(of: Sides, old = 0, fresh = 0): number {
  if (old >= of.olds.length || fresh >= of.news.length) return 0;
  const worth = total(of, [[old, fresh]]);
  return Math.max(
    worth > 0 ? worth + highest(of, old + 1, fresh + 1) : 0,
    highest(of, old + 1, fresh),
    highest(of, old, fresh + 1),
  );
}

function expectWhole({ olds, news }: Sides, pairs: readonly Pair[]): void {
  const places = (side: 0 | 1) => pairs.map((pair) => pair[side]).filter((place) => place >= 0);
  expect(places(0)).toEqual(olds.map((_, place) => place));
  expect(places(1)).toEqual(news.map((_, place) => place));
}

describe('align', () => {
  it('names every item once, in order, with the highest score there is', () => {
    const list = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 7 });
    fc.assert(
      fc.property(list, list, (olds, news) => {
        const of = sides(olds, news);
        const pairs = [...align(of)];
        expectWhole(of, pairs);
        expect(total(of, pairs)).toBe(highest(of));
      }),
    );
  });

  it('pairs nothing by a key that is equal to nothing', () => {
    expect([...align(sides([Number.NaN], [Number.NaN]))]).toEqual([
      [0, -1],
      [-1, 0],
    ]);
  });

  const long = Array.from({ length: 60_000 }, (_, place) => place * 10);

  it('finds what came and went in lists too long to be tried out', () => {
    const news = long.toSpliced(50_000, 3).toSpliced(30_000, 0, -100, -200).with(7, -300).with(59_990, -400);
    const of = sides(long, news);
    const pairs = [...align(of)];
    expectWhole(of, pairs);
    const single = pairs.filter(([old, fresh]) => old < 0 || fresh < 0);
    expect(single).toEqual([
      [7, -1],
      [-1, 7],
      [-1, 30_000],
      [-1, 30_001],
      [50_000, -1],
      [50_001, -1],
      [50_002, -1],
      [59_991, -1],
      [-1, 59_990],
    ]);
  });

  it.each([
    ['nothing in common', long.map((item) => -item - 5)],
    ['every item twice', long.map((_, place) => Math.trunc(place / 2) * 10)],
    ['all in the other direction', long.toReversed()],
    ['the same item again and again', long.map(() => 10)],
  ])('takes long lists of any kind: %s', (_, news) => {
    for (const of of [sides(long, news), sides(news, long)]) expectWhole(of, [...align(of)]);
  });
});
