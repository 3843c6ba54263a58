/** Positions that belong together; -1 where one side has no counterpart. */
export type Pair = readonly [old: number, fresh: number];

/** The largest table that is filled, in cells; beyond it, what lies between equal ends is paired by position. */
const MOST_CELLS = 4_000_000;

/** What two items that are equal count; nothing may count more. */
export const EQUAL = 4;

/**
 * The pairing of two lists with the highest total score, order kept; of several, the one that pairs earliest.
 * `score`: EQUAL for equal items, less for similar ones, 0 for items that must not be paired.
 */
export function align(
  olds: number,
  news: number,
  score: (old: number, fresh: number) => number,
): readonly Pair[] {
  let start = 0;
  while (start < olds && start < news && score(start, start) === EQUAL) start++;
  let end = 0;
  while (end < olds - start && end < news - start && score(olds - 1 - end, news - 1 - end) === EQUAL) end++;
  const pairs: Pair[] = [];
  for (let index = 0; index < start; index++) pairs.push([index, index]);
  pairs.push(...between(start, olds - end, news - end, score));
  for (let index = end; index > 0; index--) pairs.push([olds - index, news - index]);
  return pairs;
}

function between(
  start: number,
  oldEnd: number,
  newEnd: number,
  score: (old: number, fresh: number) => number,
): Pair[] {
  const rows = oldEnd - start;
  const columns = newEnd - start;
  if (rows === 0 || columns === 0 || (rows + 1) * (columns + 1) > MOST_CELLS) {
    return byPosition(start, oldEnd, newEnd, score);
  }
  // best[row][column]: the best score of what is left from there.
  const width = columns + 1;
  const best = new Int32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const worth = score(start + row, start + column);
      const cell = row * width + column;
      let most = best[cell + width]!;
      if (best[cell + 1]! > most) most = best[cell + 1]!;
      if (worth > 0 && worth + best[cell + width + 1]! > most) most = worth + best[cell + width + 1]!;
      best[cell] = most;
    }
  }
  const pairs: Pair[] = [];
  let row = 0;
  let column = 0;
  while (row < rows && column < columns) {
    const here = best[row * width + column]!;
    const worth = score(start + row, start + column);
    if (worth > 0 && here === worth + best[(row + 1) * width + column + 1]!) {
      pairs.push([start + row++, start + column++]);
    } else if (here === best[(row + 1) * width + column]!) {
      pairs.push([start + row++, -1]);
    } else {
      pairs.push([-1, start + column++]);
    }
  }
  while (row < rows) pairs.push([start + row++, -1]);
  while (column < columns) pairs.push([-1, start + column++]);
  return pairs;
}

function byPosition(
  start: number,
  oldEnd: number,
  newEnd: number,
  score: (old: number, fresh: number) => number,
): Pair[] {
  const pairs: Pair[] = [];
  for (let index = start; index < Math.max(oldEnd, newEnd); index++) {
    if (index >= newEnd) pairs.push([index, -1]);
    else if (index >= oldEnd) pairs.push([-1, index]);
    else if (score(index, index) > 0) pairs.push([index, index]);
    else pairs.push([index, -1], [-1, index]);
  }
  return pairs;
}
