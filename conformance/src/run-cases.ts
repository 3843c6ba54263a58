import type { Capabilities } from '@glassloop/core/adapter';
import { Bench, KEY } from './bench.ts';
import type { Case } from './case.ts';
import { type CaseId, cases } from './cases/index.ts';
import { NotApplicable } from './check.ts';
import { type Subject, unmetNeed } from './subject.ts';

/** Case id → why this adapter does otherwise. */
export type Deviations = { readonly [id in CaseId]?: string };

/**
 * `pass`: ran and is right. `skip`: does not apply; `reason` says why. `deviation`: fails, as declared; `reason` is
 * the declaration. `fail`: everything else, a declared deviation that passes included.
 */
export interface CaseResult {
  readonly id: CaseId;
  readonly title: string;
  readonly outcome: 'pass' | 'skip' | 'deviation' | 'fail';
  readonly reason?: string;
  readonly error?: unknown;
  readonly durationMs: number;
}

export interface RunCasesOptions {
  readonly deviations?: Deviations;
  /** Only cases for which this is true; the others do not appear in the results. */
  readonly only?: (one: Case<CaseId>) => boolean;
  /** Cases that run side by side. Default 1. */
  readonly concurrency?: number;
}

/** Runs the suite without a test runner. Results are in the order of `cases`. */
export async function runCases(
  subject: Subject,
  options: RunCasesOptions = {},
): Promise<readonly CaseResult[]> {
  const { deviations = {}, only = () => true, concurrency = 1 } = options;
  const capabilities = capabilitiesOf(subject);
  const chosen = cases.filter(only);
  const results = new Map<CaseId, CaseResult>();
  const run = async (one: Case<CaseId>) => {
    results.set(one.id, await runCase(subject, one, deviations, capabilities));
  };
  const queue = chosen.filter((one) => !one.alone);
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
  for (const one of chosen) if (one.alone) await run(one);
  return chosen.map((one) => results.get(one.id)!);
}

/** Runs one case and judges it. Never rejects. */
export async function runCase(
  subject: Subject,
  one: Case<CaseId>,
  deviations: Deviations = {},
  capabilities: Capabilities = capabilitiesOf(subject),
): Promise<CaseResult> {
  const { id, title } = one;
  const start = performance.now();
  const result = (outcome: CaseResult['outcome'], facts: Pick<CaseResult, 'reason' | 'error'> = {}) => ({
    id,
    title,
    outcome,
    ...facts,
    durationMs: performance.now() - start,
  });
  const declared = deviations[id];
  const unmet = unmetNeed(one.needs, capabilities, subject.wire);
  let verdict: { error?: unknown; skip?: string } = unmet === undefined ? {} : { skip: unmet };
  if (unmet === undefined) verdict = await attempt(subject, one);
  if (declared !== undefined && declared.trim() === '') {
    return result('fail', { error: new Error(`the deviation of ${id} needs a reason`) });
  }
  if (verdict.skip !== undefined) {
    return declared === undefined
      ? result('skip', { reason: verdict.skip })
      : result('fail', {
          error: new Error(`a deviation is declared for ${id}, which does not apply: ${verdict.skip}`),
        });
  }
  if ('error' in verdict) {
    return declared === undefined
      ? result('fail', { error: verdict.error })
      : result('deviation', { reason: declared, error: verdict.error });
  }
  return declared === undefined
    ? result('pass')
    : result('fail', { error: new Error(`a deviation is declared for ${id}, but it passes now: remove it`) });
}

async function attempt(subject: Subject, one: Case): Promise<{ error?: unknown; skip?: string }> {
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

/** What the adapter declares; nothing is sent for it. */
export function capabilitiesOf(subject: Subject): Capabilities {
  return subject.create({ baseURL: 'http://127.0.0.1:9', apiKey: KEY }).capabilities;
}
