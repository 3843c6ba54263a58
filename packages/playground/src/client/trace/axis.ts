/** The time axis of the waterfall: what stretch it shows and where its ticks are. */

export interface Stretch {
  /** Milliseconds from the start of the run. */
  readonly from: number;
  readonly to: number;
}

/** Ticks at 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticksOf({ from, to }: Stretch, most = 6): readonly number[] {
  const length = to - from;
  if (!(length > 0) || most < 1) return [];
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const ticks: number[] = [];
  for (let index = Math.ceil(from / step); index * step <= to + step * 1e-9; index++)
    ticks.push(index * step);
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
export function wholeOf(durationMs: number): Stretch {
  return { from: 0, to: Math.max(durationMs * 1.015, 1) };
}
