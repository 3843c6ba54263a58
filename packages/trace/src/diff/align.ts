import { anchorsBetween, type Stretch } from './anchors.ts';

/** Positions that belong together; -1 where one side has no counterpart. */
export type Pair = readonly [old: number, fresh: number];

/** The largest table that is filled, in cells; what is larger is divided, and what cannot be is paired by position. */
const MOST_CELLS = 4_000_000;

/** What two items that are equal count; nothing may count more. */
export const EQUAL = 4;

/** Two lists to be paired. */
export interface Sides {
  /** Of each item; equal items have equal keys, and NaN is equal to nothing. */
  readonly olds: ArrayLike<number>;
  readonly news: ArrayLike<number>;
  /** What a pair of items counts that are not equal: less than EQUAL, and 0 if they must not be paired. */
  similarity(old: number, fresh: number): number;
}

/**
 * The pairing of two lists with the highest total score, order kept; of several, the one that pairs earliest. Lists too
 * long for that are divided at the items that both have once, and the best is found between them.
 */
export function* align(sides: Sides): Generator<Pair> {
  const { olds, news } = sides;
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) {
    yield [start, start++];
  }
  let oldEnd = olds.length;
  let newEnd = news.length;
  while (oldEnd > start && newEnd > start && olds[oldEnd - 1] === news[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  yield* between(sides, { old: start, oldEnd, fresh: start, newEnd });
  for (; oldEnd < olds.length; oldEnd++) yield [oldEnd, newEnd++];
}

function* between(sides: Sides, stretch: Stretch): Generator<Pair> {
  if (isSmall(stretch)) {
    yield* best(sides, stretch);
    return;
  }
  let { old, fresh } = stretch;
  for (const anchor of anchorsBetween(sides.olds, sides.news, stretch)) {
    yield* gap(sides, { old, oldEnd: anchor[0], fresh, newEnd: anchor[1] });
    yield anchor;
    old = anchor[0] + 1;
    fresh = anchor[1] + 1;
  }
  yield* gap(sides, { ...stretch, old, fresh });
}

function gap(sides: Sides, stretch: Stretch): Generator<Pair> {
  return isSmall(stretch) ? best(sides, stretch) : byPosition(sides, stretch);
}

function isSmall({ old, oldEnd, fresh, newEnd }: Stretch): boolean {
  return (oldEnd - old + 1) * (newEnd - fresh + 1) <= MOST_CELLS;
}

function score({ olds, news, similarity }: Sides, old: number, fresh: number): number {
  return olds[old] === news[fresh] ? EQUAL : similarity(old, fresh);
}

function* best(sides: Sides, { old: start, oldEnd, fresh: newStart, newEnd }: Stretch): Generator<Pair> {
  const rows = oldEnd - start;
  const columns = newEnd - newStart;
  // most[row][column]: the best score of what is left from there.
  const width = columns + 1;
  const most = new Int32Array(rows === 0 || columns === 0 ? 0 : (rows + 1) * width);
  if (most.length > 0) {
    for (let row = rows - 1; row >= 0; row--) {
      for (let column = columns - 1; column >= 0; column--) {
        const worth = score(sides, start + row, newStart + column);
        const cell = row * width + column;
        let found = most[cell + width]!;
        if (most[cell + 1]! > found) found = most[cell + 1]!;
        if (worth > 0 && worth + most[cell + width + 1]! > found) found = worth + most[cell + width + 1]!;
        most[cell] = found;
      }
    }
  }
  let row = 0;
  let column = 0;
  while (row < rows && column < columns) {
    const here = most[row * width + column]!;
    const worth = score(sides, start + row, newStart + column);
    if (worth > 0 && here === worth + most[(row + 1) * width + column + 1]!) {
      yield [start + row++, newStart + column++];
    } else if (here === most[(row + 1) * width + column]!) {
      yield [start + row++, -1];
    } else {
      yield [-1, newStart + column++];
    }
  }
  while (row < rows) yield [start + row++, -1];
  while (column < columns) yield [-1, newStart + column++];
}

function* byPosition(sides: Sides, { old, oldEnd, fresh, newEnd }: Stretch): Generator<Pair> {
  for (; old < oldEnd || fresh < newEnd; old++, fresh++) {
    if (old < oldEnd && fresh < newEnd && score(sides, old, fresh) > 0) {
      yield [old, fresh];
      continue;
    }
    if (old < oldEnd) yield [old, -1];
    if (fresh < newEnd) yield [-1, fresh];
  }
}
