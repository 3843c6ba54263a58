/** Two texts as lines that stayed, went and came. */

export interface DifferenceLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** More cells than this would take seconds; then everything between the equal ends counts as replaced. */
const MOST_CELLS = 4_000_000;

export function difference(before: string, after: string): readonly DifferenceLine[] {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  return [
    ...a.slice(0, start).map((text) => ({ mark: ' ' as const, text })),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((text) => ({ mark: ' ' as const, text })),
  ];
}

/** By the longest common subsequence of lines. */
function between(a: readonly string[], b: readonly string[]): DifferenceLine[] {
  const width = b.length + 1;
  if (a.length * b.length > MOST_CELLS) {
    return [
      ...a.map((text) => ({ mark: '-' as const, text })),
      ...b.map((text) => ({ mark: '+' as const, text })),
    ];
  }
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DifferenceLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i]! });
      i++;
      j++;
    } else if (
      i < a.length &&
      (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push({ mark: '-', text: a[i++]! });
    } else lines.push({ mark: '+', text: b[j++]! });
  }
  return lines;
}

/** The changed lines, each with up to `context` equal ones around it; a gap in between is an ellipsis. */
export function shortened(
  lines: readonly DifferenceLine[],
  context = 3,
): readonly (DifferenceLine | undefined)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== ' '),
  );
  const kept: (DifferenceLine | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) kept.push(line);
    else if (kept.length === 0 || kept.at(-1) !== undefined) kept.push(undefined);
  }
  return kept;
}
