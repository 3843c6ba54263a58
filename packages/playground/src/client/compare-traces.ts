/** Two runs side by side, from the same `diffTraces` as the command line. */

import type { RunStep } from '@glassloop/core';
import { type Difference, diffTraces } from '@glassloop/trace';

export interface CompareQuestion {
  readonly a: readonly RunStep[];
  readonly b: readonly RunStep[];
  /** Without it, ids, times and signatures do not count. */
  readonly strict: boolean;
}

export interface CompareRow {
  readonly sign: '=' | '≠' | '−' | '+';
  readonly a?: number;
  readonly b?: number;
  readonly differences: readonly Difference[];
}

export interface CompareAnswer {
  readonly same: boolean;
  readonly settings: readonly Difference[];
  readonly rows: readonly CompareRow[];
}

export function compareTraces({ a, b, strict }: CompareQuestion): CompareAnswer {
  const options = strict ? { ids: true, times: true, opaque: true } : {};
  const diff = diffTraces(a, b, options);
  const [removed, added] = [new Set<number>(), new Set<number>()];
  const changed = new Map<number, { b: number; differences: readonly Difference[] }>();
  for (const step of diff.steps) {
    if (step.change === 'removed') removed.add(step.oldIndex!);
    else if (step.change === 'added') added.add(step.newIndex!);
    else changed.set(step.oldIndex!, { b: step.newIndex!, differences: step.differences });
  }
  const rows: CompareRow[] = [];
  const taken = new Set<number>();
  let at = 0;
  const takeAdded = () => {
    for (; at < b.length && (added.has(at) || taken.has(at)); at++)
      if (added.has(at)) rows.push({ sign: '+', b: at, differences: [] });
  };
  for (let index = 0; index < a.length; index++) {
    if (removed.has(index)) {
      rows.push({ sign: '−', a: index, differences: [] });
      continue;
    }
    takeAdded();
    const difference = changed.get(index);
    const partner = difference?.b ?? at;
    if (partner >= b.length) continue;
    taken.add(partner);
    if (partner === at) at++;
    rows.push({
      sign: difference === undefined ? '=' : '≠',
      a: index,
      b: partner,
      differences: difference?.differences ?? [],
    });
  }
  takeAdded();
  return { same: diff.same, settings: diff.settings, rows };
}
