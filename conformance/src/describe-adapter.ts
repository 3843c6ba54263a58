import { describe, it } from 'vitest';
import { cases } from './cases/index.ts';
import { capabilitiesOf, type Deviations, runCase } from './run-cases.ts';
import { type Subject, unmetNeed } from './subject.ts';

export interface AdapterUnderTest extends Subject {
  /** Case id → why this adapter does otherwise. The case is expected to fail, and turns red when it passes. */
  readonly deviations?: Deviations;
}

/** Registers every case as a vitest test. Cases that do not apply are skipped by name, with the reason. */
export function describeAdapter(name: string, adapter: AdapterUnderTest): void {
  const { deviations = {} } = adapter;
  const capabilities = capabilitiesOf(adapter);
  describe(`conformance of ${name}`, () => {
    it('declares deviations only of cases that exist, with a reason', () => {
      const known = new Set<string>(cases.map((one) => one.id));
      for (const [id, reason] of Object.entries(deviations)) {
        if (!known.has(id)) throw new Error(`deviations: there is no case "${id}"`);
        if (typeof reason !== 'string' || reason.trim() === '')
          throw new Error(`deviations: "${id}" needs a reason`);
      }
    });
    for (const one of cases) {
      const declared = deviations[one.id];
      const unmet = declared === undefined ? unmetNeed(one.needs, capabilities, adapter.wire) : undefined;
      if (unmet !== undefined) {
        it.skip(`${one.id}: ${one.title} [skipped: ${unmet}]`, () => {});
        continue;
      }
      const note = declared === undefined ? '' : ` [deviation: ${declared}]`;
      it(`${one.id}: ${one.title}${note}`, async (context) => {
        const { outcome, reason, error } = await runCase(adapter, one, deviations, capabilities);
        if (outcome === 'skip') context.skip(reason);
        if (outcome === 'fail') throw error;
      });
    }
  });
}
