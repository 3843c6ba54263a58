import { Bench } from './bench.ts';
import type { Case } from './case.ts';
import { NotApplicable } from './check.ts';
import type { Subject } from './subject.ts';

/** What came of running one case: nothing when the adapter is right, else what was wrong, or why it does not apply. */
export interface Verdict {
  readonly error?: unknown;
  readonly skip?: string;
}

/** Runs one case in this process. Never rejects. */
export async function attempt(subject: Subject, one: Case): Promise<Verdict> {
  const bench = new Bench(subject, one.mode);
  try {
    await one.run(bench);
    await bench.close(false);
    return {};
  } catch (error) {
    await bench.close(true).catch(() => {});
    return error instanceof NotApplicable ? { skip: error.message } : { error };
  }
}
