/** A failure that is told to the user in a sentence or two, without a stack. */
export class Problem extends Error {
  /** 1: it failed; 2: it was asked for in a wrong way, and nothing was sent. */
  readonly exitCode: 1 | 2;
  /** What to do, a line each. */
  readonly advice: readonly string[];
  /** A word for machines, in `--json`. */
  readonly code: string;

  constructor(exitCode: 1 | 2, code: string, message: string, ...advice: string[]) {
    super(message);
    this.name = 'Problem';
    this.exitCode = exitCode;
    this.code = code;
    this.advice = advice;
  }
}

/** What a thrown value says, on its own. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.message !== '' ? thrown.message : String(thrown);
}

/** A failed file operation in words: which file, and why. */
export function fileProblem(what: string, file: string, thrown: unknown): Problem {
  const code = (thrown as { code?: unknown }).code;
  const why =
    code === 'ENOENT'
      ? 'there is no such file or folder'
      : code === 'EACCES' || code === 'EPERM'
        ? 'permission denied'
        : code === 'EISDIR'
          ? 'it is a folder'
          : code === 'ENOTDIR'
            ? 'a part of the path is not a folder'
            : code === 'ENOSPC'
              ? 'the disk is full'
              : messageOf(thrown);
  return new Problem(1, 'file', `${what} ${file}: ${why}.`);
}

/** A wrong argument that only core or an adapter could see, as wrong usage; anything else as it is. */
export function usageProblem(thrown: unknown): unknown {
  return thrown instanceof TypeError || thrown instanceof RangeError
    ? new Problem(2, 'usage', thrown.message)
    : thrown;
}
