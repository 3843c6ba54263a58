/** From `old` to before `oldEnd` in one list, from `fresh` to before `newEnd` in another. */
export interface Stretch {
  readonly old: number;
  readonly oldEnd: number;
  readonly fresh: number;
  readonly newEnd: number;
}

/**
 * Where two long lists certainly meet: the items that each of the two has just once, in the longest sequence that has the
 * same order in both. In arrays of numbers, and in a time that grows with the length and its logarithm.
 */
export function* anchorsBetween(
  olds: ArrayLike<number>,
  news: ArrayLike<number>,
  { old, oldEnd, fresh, newEnd }: Stretch,
): Generator<readonly [old: number, fresh: number]> {
  const oldPlaces = placesByKey(olds, old, oldEnd);
  const newPlaces = placesByKey(news, fresh, newEnd);
  // Of each old item, the place of its counterpart; -1: it has none, or there are several.
  const partners = new Int32Array(oldEnd - old).fill(-1);
  for (let i = 0, j = 0; i < oldPlaces.length && j < newPlaces.length; ) {
    const [key, other] = [olds[oldPlaces[i]!]!, news[newPlaces[j]!]!];
    const [oldCount, newCount] = [countOf(olds, oldPlaces, i), countOf(news, newPlaces, j)];
    if (key === other && oldCount === 1 && newCount === 1) partners[oldPlaces[i]! - old] = newPlaces[j]!;
    if (key <= other) i += oldCount;
    if (other <= key) j += newCount;
  }
  for (const at of longestRising(partners)) yield [old + at, partners[at]!];
}

/** The places of a stretch in the order of their keys, without those that are equal to nothing. */
function placesByKey(keys: ArrayLike<number>, start: number, end: number): Int32Array {
  const places = new Int32Array(end - start);
  let count = 0;
  for (let place = start; place < end; place++) if (!Number.isNaN(keys[place])) places[count++] = place;
  return places.subarray(0, count).sort((a, b) => keys[a]! - keys[b]!);
}

/** How many places from here on have the same key. */
function countOf(keys: ArrayLike<number>, places: Int32Array, from: number): number {
  let end = from + 1;
  while (end < places.length && keys[places[end]!] === keys[places[from]!]) end++;
  return end - from;
}

/** The places of the longest sequence of rising values, -1 left out. */
function longestRising(values: Int32Array): Int32Array {
  // ends[n]: the place of the smallest value that a sequence of n + 1 can end with; before[place]: the one before it.
  const ends = new Int32Array(values.length);
  const before = new Int32Array(values.length);
  let length = 0;
  for (const [place, value] of values.entries()) {
    if (value < 0) continue;
    let low = 0;
    for (let high = length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (values[ends[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    before[place] = ends[low - 1] ?? -1;
    ends[low] = place;
    if (low === length) length++;
  }
  const found = new Int32Array(length);
  for (let at = length - 1, place = ends[at] ?? -1; at >= 0; place = before[place]!) found[at--] = place;
  return found;
}
