/** The time axis of the waterfall: what stretch it shows, where its ticks are, and which idle times it draws short. */

export interface Stretch {
  /** Milliseconds from the start of the run; or places on the axis, which are the same while nothing is folded. */
  readonly from: number;
  readonly to: number;
}

/** An idle stretch of time that takes only `width` on the axis, from `at` on. */
export interface Fold extends Stretch {
  readonly at: number;
  readonly width: number;
}

export interface Tick {
  /** Milliseconds from the start of the run. */
  readonly time: number;
  readonly at: number;
}

/** Of all that is drawn: enough for a label. */
const FOLD_SHARE = 0.1;

/** The gaps, in their order and apart from each other, drawn short. */
export function foldsOf(gaps: readonly Stretch[], durationMs: number): readonly Fold[] {
  const idle = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  const width = Math.max(1, durationMs - idle) * FOLD_SHARE;
  let saved = 0;
  return gaps.map(({ from, to }) => {
    const fold = { from, to, at: from - saved, width };
    saved += to - from - width;
    return fold;
  });
}

/** Where a time is on the axis. */
export function placeOf(time: number, folds: readonly Fold[]): number {
  let saved = 0;
  for (const { from, to, width } of folds) {
    if (time <= from) break;
    const share = Math.min(1, (time - from) / (to - from));
    saved += (to - from - width) * share;
  }
  return time - saved;
}

/** What time a place on the axis is. */
export function timeAt(place: number, folds: readonly Fold[]): number {
  let saved = 0;
  for (const { from, to, at, width } of folds) {
    if (place <= at) break;
    const share = Math.min(1, (place - at) / width);
    saved += (to - from - width) * share;
  }
  return place + saved;
}

/** Of what is shown: as far from a fold as its label reaches. */
const LABEL_SHARE = 0.14;

/** Ticks at 1, 2 or 5 times a power of ten, about `most` of them, and none in a fold or under its label. */
export function ticksOf(
  { from, to }: Stretch,
  folds: readonly Fold[] = [],
  // Times behind a long wait have long labels.
  most = folds.length > 0 ? 3 : 6,
): readonly Tick[] {
  const length = to - from;
  if (!(length > 0) || most < 1) return [];
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const ticks: Tick[] = [];
  let start = timeAt(from, folds);
  const last = timeAt(to, folds);
  // From fold to fold: within one there may be more multiples than anybody could count.
  for (const fold of [...folds, { from: last, to: last }]) {
    const end = Math.min(fold.from, last) + step * 1e-9;
    for (let index = Math.ceil(start / step); index * step <= end; index++) {
      const time = index * step;
      const at = placeOf(time, folds);
      const isUnderLabel = folds.some(
        (one) => at > one.at - length * LABEL_SHARE && at < one.at + one.width + length * LABEL_SHARE,
      );
      if (!isUnderLabel) ticks.push({ time, at });
    }
    start = Math.max(start, fold.to);
  }
  return ticks;
}

/** The same stretch, `factor` times as long, with the point at `anchor` (0 to 1) where it was; never beyond `whole`. */
export function zoomed(shown: Stretch, factor: number, anchor: number, whole: Stretch): Stretch {
  const length = Math.min(whole.to - whole.from, Math.max(1, (shown.to - shown.from) * factor));
  const point = shown.from + (shown.to - shown.from) * anchor;
  const from = Math.min(Math.max(point - length * anchor, whole.from), whole.to - length);
  return { from, to: from + length };
}

/** The whole run, with a little air, so that the last bar does not touch the edge. */
export function wholeOf(length: number): Stretch {
  return { from: 0, to: Math.max(length * 1.015, 1) };
}
