import { describe, expect, test } from 'vitest';
import { type CaseId, cases, runCases } from '../src/index.ts';
import { mutants } from './mutants.ts';

const base = (id: CaseId) => id.replace(/\.streamed$/, '') as CaseId;
/** Run only where the table names them: they measure memory, or cut a stream a thousand times. */
const heavy = (one: (typeof cases)[number]) => one.alone || one.id === 'streaming.every-split';
const areaOf = (id: CaseId) => id.slice(0, id.indexOf('.'));

describe('mutants', () => {
  test.each(mutants.map((mutant) => [mutant.caughtBy, mutant.fault, mutant] as const))(
    '%s catches an adapter that %s',
    async (_, __, mutant) => {
      const { caughtBy, also, wire, create } = mutant;
      // A mutant must be alive apart from its fault, and only the cases named for it may see that fault in its area.
      const results = await runCases(
        { wire, create },
        {
          only: (one) =>
            one.area === areaOf(caughtBy) && (!heavy(one) || [caughtBy, ...also].includes(base(one.id))),
        },
      );

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
