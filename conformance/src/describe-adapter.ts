import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { cases } from './cases/index.ts';
import { CHILD_TIMEOUT_MS } from './own-process.ts';
import {
  type AdapterUnderTest,
  type CaseResult,
  capabilitiesOf,
  checkDeviations,
  runCase,
} from './run-cases.ts';
import { scorecard, scorecardBadge, scorecardMarkdown } from './scorecard.ts';
import { unmetNeed } from './subject.ts';

/** Far above what any case takes; a runner's own default may be too short for a busy machine. */
const TIMEOUT_MS = 30_000;
/** The first of the cases that share a child process waits for all of them. */
const CHILD_CASE_TIMEOUT_MS = CHILD_TIMEOUT_MS + TIMEOUT_MS;

/**
 * Registers every case as a vitest test. Cases that do not apply are skipped by name, with the reason. With the
 * variable `CONFORMANCE_SCORECARDS` set to a folder, the results are also written there, as NAME.json, NAME.md and NAME.svg.
 */
export function describeAdapter(name: string, adapter: AdapterUnderTest): void {
  const { deviations = {} } = adapter;
  const capabilities = capabilitiesOf(adapter);
  const results: CaseResult[] = [];
  describe(`conformance of ${name}`, () => {
    it('declares deviations only of cases that exist, with a reason', () => checkDeviations(deviations));
    for (const one of cases) {
      const { id, title } = one;
      const declared = deviations[id];
      const unmet = declared === undefined ? unmetNeed(one.needs, capabilities, adapter.wire) : undefined;
      if (unmet !== undefined) {
        results.push({ id, title, outcome: 'skip', reason: unmet, durationMs: 0 });
        it.skip(`${id}: ${title} [skipped: ${unmet}]`, () => {});
        continue;
      }
      const note = declared === undefined ? '' : ` [deviation: ${declared}]`;
      const timeout = one.ownProcess ? CHILD_CASE_TIMEOUT_MS : TIMEOUT_MS;
      it(`${id}: ${title}${note}`, { timeout }, async (context) => {
        const result = await runCase(adapter, one, deviations, capabilities);
        results.push(result);
        if (result.outcome === 'skip') context.skip(result.reason);
        if (result.outcome === 'fail') throw result.error;
      });
    }
    afterAll(async () => {
      const card = scorecard(name, adapter.wire.name, inOrder(results));
      const seconds = (card.durationMs / 1000).toFixed(1);
      console.log(
        `conformance of ${name}: ${card.cases.length} cases in ${seconds} s, ${JSON.stringify(card.counts)}`,
      );
      const folder = process.env['CONFORMANCE_SCORECARDS'];
      // A partial run (a filter, `only`) would write a scorecard with holes.
      if (folder === undefined || folder === '' || results.length < cases.length) return;
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${name}.json`), `${JSON.stringify(card, null, 2)}\n`);
      await writeFile(join(folder, `${name}.md`), scorecardMarkdown([card]));
      await writeFile(join(folder, `${name}.svg`), scorecardBadge(card));
    });
  });
}

function inOrder(results: readonly CaseResult[]): CaseResult[] {
  return cases.flatMap((one) => results.filter((result) => result.id === one.id));
}
