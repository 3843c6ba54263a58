import { RunTrace, runLoop } from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { expect, it } from 'vitest';
import { replay, runFromTrace } from '../src/index.ts';
import { planned } from './generated-run.ts';

it('takes limits, retries and tool settings from the trace, and records what was asked, not how it is replayed', async () => {
  const { run } = planned({
    acts: [{ does: 'answer', text: 'Yes.', finishReason: 'stop' }],
    question: 'Really?',
    maxRounds: 3,
    toolConcurrency: Number.POSITIVE_INFINITY,
    streams: false,
    captures: false,
    limits: {},
  });
  const limits = { totalTokens: 500, durationMs: 9000, repeats: Number.POSITIVE_INFINITY };
  const asked = { ...run, limits, retry: { maxRetries: 5 } };
  const trace = new RunTrace();
  await runLoop(asked, trace);
  const header = encodeTraceHeader({ id: 'x', startedAt: '2026-01-01T00:00:00Z', capturesRaw: false });
  const file = header + trace.steps.map((step, at) => encodeStep(step, at + 1)).join('');
  const { steps } = decodeTrace(file);
  expect(runFromTrace(steps)).toMatchObject({
    limits,
    retry: { maxRetries: 5, baseDelayMs: 500 },
    toolConcurrency: Number.POSITIVE_INFINITY,
    toolTimeoutMs: 120_000,
  });
  for (const given of [undefined, asked]) expect((await replay(steps, given)).status).toBe('same');
});
