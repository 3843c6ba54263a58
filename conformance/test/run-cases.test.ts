import { openaiChat } from '@glassloop/simulator';
import { describe, expect, test } from 'vitest';
import {
  type CaseId,
  cases,
  type Deviations,
  runCases,
  scorecard,
  scorecardBadge,
  scorecardMarkdown,
} from '../src/index.ts';
import { mutants } from './mutants.ts';
import { reference } from './reference-adapter.ts';

const good = {
  wire: openaiChat,
  create: (settings: Parameters<(typeof mutants)[number]['create']>[0]) =>
    reference({ model: 'test-model', ...settings }),
};
const trims = mutants.find((mutant) => mutant.caughtBy === 'text.white-space')!;

async function outcomes(
  subject: typeof good | typeof trims,
  ids: readonly CaseId[],
  deviations: Deviations = {},
) {
  const results = await runCases(subject, { deviations, only: (one) => ids.includes(one.id) });
  return results.map((result) => [
    result.id,
    result.outcome,
    result.reason ?? (result.error as Error | undefined)?.message,
  ]);
}

describe('runCases', () => {
  test('passes, skips by name, and fails with what was wrong', async () => {
    expect(await outcomes(trims, ['text.answer', 'text.white-space', 'usage.cost'])).toEqual([
      ['text.answer', 'pass', undefined],
      ['text.white-space', 'fail', expect.stringContaining('content: expected')],
      ['usage.cost', 'skip', 'the wire format openai-chat has no cost'],
    ]);
  });

  test('takes a declared deviation that fails for what it is', async () => {
    const declared = { 'text.white-space': 'it trims' };
    expect(await outcomes(trims, ['text.white-space'], declared)).toEqual([
      ['text.white-space', 'deviation', 'it trims'],
    ]);
  });

  test('fails a declared deviation that passes or does not apply', async () => {
    const declared = { 'text.answer': 'it was broken once', 'usage.cost': 'no cost' };
    expect(await outcomes(good, ['text.answer', 'usage.cost'], declared)).toEqual([
      ['text.answer', 'fail', expect.stringContaining('remove it')],
      ['usage.cost', 'fail', expect.stringContaining('does not apply')],
    ]);
  });

  test('refuses deviations of no case, and without a reason', async () => {
    const unknown = { 'text.anwser': 'it is broken' } as Deviations;
    await expect(outcomes(good, ['text.answer'], unknown)).rejects.toThrow('no case "text.anwser"');
    await expect(outcomes(good, ['text.answer'], { 'text.answer': ' ' })).rejects.toThrow('needs a reason');
  });

  test('ids are unique, and are made of an area and a name', () => {
    expect(new Set(cases.map((one) => one.id)).size).toBe(cases.length);
    expect(cases.filter((one) => !/^[a-z]+(\.[a-z0-9-]+)+$/.test(one.id))).toEqual([]);
  });
});

describe('the scorecard', () => {
  test('counts a case once, and shows everything that is not a plain pass', async () => {
    const results = await runCases(trims, { only: (one) => one.area === 'text' && one.mode === 'whole' });
    const card = scorecard('acme', 'openai-chat', results);
    expect(card.counts).toEqual({ pass: results.length - 1, skip: 0, deviation: 0, fail: 1 });
    const markdown = scorecardMarkdown([card]);
    expect(markdown).toContain(`| acme | ${results.length - 1} | 0 | 0 | 1 |`);
    expect(markdown).toContain('| `text.white-space` | fail | content: expected');
    expect(markdown).not.toContain('text.answer');
  });

  test('has a badge that is green only when all that applies passes', async () => {
    const card = scorecard('acme', 'openai-chat', []);
    const of = (counts: Partial<typeof card.counts>) =>
      scorecardBadge({ ...card, counts: { ...card.counts, ...counts } });
    expect(of({})).toContain('not run');
    expect(of({ skip: 9 })).toContain('not run');
    expect(of({ pass: 9, skip: 2 })).toMatch(/9\/9.*#1e8449|#1e8449.*9\/9/);
    expect(of({ pass: 9, deviation: 1 })).toContain('9/10');
    expect(of({ pass: 9, fail: 1 })).toContain('#c0392b');
  });
});
