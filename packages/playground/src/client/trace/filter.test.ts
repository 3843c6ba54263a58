import { describe, expect, it } from 'vitest';
import { hasRule, parseFilter, toggleRule } from './filter.ts';
import type { StepSummary } from './step-summary.ts';

const base = { round: 1, at: 0, failed: false, head: '', length: 0, hidden: 0 };
const STEPS: readonly StepSummary[] = [
  { ...base, index: 0, kind: 'request' },
  {
    ...base,
    index: 1,
    kind: 'response',
    durationMs: 2120,
    head: 'I read it',
    calls: [{ id: 'c', name: 'search_logs', args: '{}' }],
  },
  {
    ...base,
    index: 2,
    kind: 'tool',
    name: 'search_logs',
    args: '{"query":"slow"}',
    durationMs: 1500,
    failed: true,
    head: 'timed out',
  },
  {
    ...base,
    index: 3,
    kind: 'tool',
    round: 2,
    name: 'list_deploys',
    durationMs: 238,
    head: '3 deploys',
    hidden: 2,
  },
];
const facts = {
  startOf: (step: StepSummary) => step.index * 1000,
  endOf: (step: StepSummary) => step.index * 1000 + (step.durationMs ?? 0),
  tokensOf: (step: StepSummary) => (step.index === 3 ? 900 : 10),
  isRepeat: (step: StepSummary) => step.index === 2,
};

describe('the filter language', () => {
  it.each([
    ['', [0, 1, 2, 3]],
    ['kind:tool', [2, 3]],
    ['tool', [2, 3]],
    ['kind:model', [1]],
    ['tool:search', [1, 2]],
    ['err', [2]],
    ['tool error', [2]],
    ['>1s', [1, 2]],
    ['<300ms', [3]],
    ['tok>500', [3]],
    ['round:2', [3]],
    ['round:1..2', [0, 1, 2, 3]],
    ['round:2..', [3]],
    ['t:2.5s..5s', [1, 2, 3]],
    ['repeat', [2]],
    ['kind:hidden', [3]],
    ['-err', [0, 1, 3]],
    ['"timed out"', [2]],
    ['slow', [2]],
    ['SEARCH_LOGS -tool:deploys', [1, 2]],
    ['>nonsense', []],
  ])('%s', (text, indexes) => {
    const filter = parseFilter(text);
    expect(STEPS.filter((step) => filter?.(step, facts) ?? true).map(({ index }) => index)).toEqual(indexes);
  });

  it('chips mirror it', () => {
    expect(toggleRule('slow', 'err')).toBe('slow err');
    expect(toggleRule('slow err', 'err')).toBe('slow');
    expect(hasRule('slow err', 'err')).toBe(true);
  });
});
