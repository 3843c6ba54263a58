/** Something wrong in the files of a project. */
export interface ProjectProblem {
  /** Relative to the project folder, with `/`. */
  readonly file: string;
  /** From 1; absent when it concerns the whole file, or cannot be told. */
  readonly line?: number;
  readonly message: string;
  readonly whatToDo: string;
}

/** Why a project, or a run of it, cannot be used: everything that is wrong, not the first thing only. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly problems: readonly ProjectProblem[];

  constructor(problems: readonly ProjectProblem[]) {
    super(problems.map(problemText).join('\n'));
    this.problems = problems;
  }
}

/** A file that cannot be used, and what to do about it; its reader knows which one it is. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly whatToDo: string;
  readonly line: number | undefined;

  constructor(message: string, whatToDo: string, line?: number) {
    super(message);
    this.whatToDo = whatToDo;
    this.line = line;
  }

  in(file: string): ProjectProblem {
    return problem(file, this.line, this.message, this.whatToDo);
  }
}

export function problem(
  file: string,
  line: number | undefined,
  message: string,
  whatToDo: string,
): ProjectProblem {
  return { file, ...(line === undefined ? {} : { line }), message, whatToDo };
}

function problemText({ file, line, message, whatToDo }: ProjectProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message} ${whatToDo}`;
}

/** ` Did you mean "…"?` for a word that is close to one of `known`, else ''. */
export function didYouMean(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(plain(word.slice(0, 100)), plain(name));
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length / 3))
    ? best.name
    : undefined;
}

/** Insertions, deletions and replacements, and two neighbours that changed places. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
