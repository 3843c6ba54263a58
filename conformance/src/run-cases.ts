import type { Capabilities } from '@glassloop/core/adapter';
import { attempt, type Verdict } from './attempt.ts';
import { KEY } from './bench.ts';
import type { Case } from './case.ts';
import { type CaseId, cases } from './cases/index.ts';
import { verdictInOwnProcess } from './own-process.ts';
import { type Subject, unmetNeed } from './subject.ts';

/** Case id → why this adapter does otherwise. */
export type Deviations = { readonly [id in CaseId]?: string };

/** A subject, and what its author says of it. */
export interface AdapterUnderTest extends Subject {
  /** Title of the scorecard that `glassloop-conformance` writes; `describeAdapter` is told one. Default: its file. */
  readonly name?: string;
  /** Case id → why this adapter does otherwise. The case is expected to fail, and turns red when it passes. */
  readonly deviations?: Deviations;
}

/**
 * `pass`: ran and is right; `reason`, if any, says how it ran otherwise than it should. `skip`: does not apply; `reason` says why. `deviation`: fails, as declared; `reason` is
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

const IN_THIS_PROCESS = 'measured in the process of the tests, because the subject names no module';

export interface RunCasesOptions {
  readonly deviations?: Deviations;
  /** Only cases for which this is true; the others do not appear in the results. */
  readonly only?: (one: Case<CaseId>) => boolean;
  /** Cases that run side by side. Default 1. */
  readonly concurrency?: number;
}

/** Runs the suite without a test runner. Results are in the order of `cases`. Throws for a deviation of no case. */
export async function runCases(
  subject: Subject,
  options: RunCasesOptions = {},
): Promise<readonly CaseResult[]> {
  const { deviations = {}, only = () => true, concurrency = 1 } = options;
  checkDeviations(deviations);
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

/** Throws an Error for a deviation of a case that does not exist, or without a reason. */
export function checkDeviations(deviations: Deviations): void {
  const known = new Set<string>(cases.map((one) => one.id));
  for (const [id, reason] of Object.entries(deviations)) {
    if (!known.has(id)) throw new Error(`deviations: there is no case "${id}"`);
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new Error(`deviations: "${id}" needs a reason`);
    }
  }
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
  const verdict = unmet === undefined ? await verdictOf(subject, one) : { skip: unmet };
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
    ? result('pass', one.ownProcess && subject.module === undefined ? { reason: IN_THIS_PROCESS } : {})
    : result('fail', { error: new Error(`a deviation is declared for ${id}, but it passes now: remove it`) });
}

function verdictOf(subject: Subject, one: Case<CaseId>): Promise<Verdict> {
  const { module } = subject;
  if (!one.ownProcess || module === undefined) return attempt(subject, one);
  return verdictInOwnProcess(subject, module, one.id);
}

/** What the adapter declares; nothing is sent for it. */
export function capabilitiesOf(subject: Subject): Capabilities {
  return subject.create({ baseURL: 'http://127.0.0.1:9', apiKey: KEY }).capabilities;
}
