/** The same work done by Glassloop. Each function returns a loop; each loop returns what a program would keep. */

import { anthropic } from '@glassloop/anthropic';
import { defineTool, RunTrace, runLoop } from '@glassloop/core';
import { openai } from '@glassloop/openai';
import { pageText, parameters, question, tool } from './work.js';

export const newTrace = () => new RunTrace();
export const newCapturingTrace = () => new RunTrace({ captureRaw: true });

/**
 * @param {import('./work.js').Work} work
 * @param {(() => RunTrace) | undefined} trace
 */
export function glassloop(work, trace) {
  const adapter = (work.wire === 'anthropic' ? anthropic : openai)({
    model: 'bench-model',
    apiKey: 'bench',
    // anthropic's own path holds the version.
    baseURL: work.wire === 'anthropic' ? work.baseURL?.replace(/\/v1$/, '') : work.baseURL,
    fetch: work.fetch,
  });
  const run = {
    adapter,
    messages: [{ role: 'user', content: question }],
    tools: [
      defineTool({
        ...tool,
        input: parameters,
        execute: ({ page }) => pageText(page, work.resultBytes),
      }),
    ],
    maxRounds: Math.min(1000, work.rounds + 1),
    limits: { repeats: Number.POSITIVE_INFINITY },
    ...(work.stream ? { onDelta: () => {} } : {}),
  };
  return async () => {
    const result = await runLoop(run, trace?.());
    if (result.stopReason !== 'completed' || result.rounds !== work.rounds + 1)
      throw new Error(`unexpected end: ${result.stopReason} after ${result.rounds} rounds`);
    return result;
  };
}
