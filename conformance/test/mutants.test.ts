import { describe, expect, test } from 'vitest';
import { type CaseId, cases, runCases } from '../src/index.ts';
import { mutants } from './mutants.ts';

const base = (id: CaseId) => id.replace(/\.streamed$/, '') as CaseId;
const isTwin = (one: (typeof cases)[number]) => one.id !== base(one.id);
/** Run only where the table names them, and not twice: they measure memory, or make a hundred calls. */
const heavy = (one: (typeof cases)[number]) =>
  one.ownProcess || ['streaming.every-split', 'streaming.bytes', 'purity.concurrent'].includes(base(one.id));
const areaOf = (id: CaseId) => id.slice(0, id.indexOf('.'));

describe('mutants', () => {
  test.each(mutants.map((mutant) => [mutant.caughtBy, mutant.fault, mutant] as const))(
    '%s catches an adapter that %s',
    async (_, __, mutant) => {
      const { caughtBy, also } = mutant;
      const named = new Set<CaseId>([caughtBy, ...also]);
      // A mutant must be alive apart from its fault, and only the cases named for it may see that fault in its area.
      // Once is enough for the others: a fault that is not theirs is not theirs in either mode.
      const bystander = (one: (typeof cases)[number]) => one.area === areaOf(caughtBy) && !isTwin(one);
      const results = await runCases(mutant, {
        // What catches a fault often waits for something that does not come.
        concurrency: 4,
        only: (one) =>
          named.has(base(one.id)) ? !(heavy(one) && isTwin(one)) : bystander(one) && !heavy(one),
      });

      const failed = new Set(
        results.filter((result) => result.outcome === 'fail').map((result) => base(result.id)),
      );
      expect([...failed].sort(), 'cases that fail').toEqual([...new Set([caughtBy, ...also])].sort());
    },
  );

  test('every case catches at least one', () => {
    const catching = new Set(mutants.map((mutant) => mutant.caughtBy));
    const idle = new Set(cases.map((one) => base(one.id)).filter((id) => !catching.has(id)));
    expect([...idle]).toEqual([]);
  });
});
