/** Traces for the tests, of any length. */

import type { RunStep } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { PICTURE } from './scenes.ts';

const START = 1_772_356_442_000;
export const header = () =>
  encodeTraceHeader({ id: 'made', startedAt: new Date(START).toISOString(), capturesRaw: true });

export function* madeSteps(rounds: number, padding = ''): Generator<RunStep> {
  let now = START;
  const tick = (ms: number) => {
    now += ms;
    return now;
  };
  yield {
    kind: 'assembled',
    round: 0,
    at: now,
    settings: {
      adapter: 'stage',
      model: 'stage-1',
      options: {},
      maxRounds: rounds,
      limits: { repeats: 5 },
      retry: { maxRetries: 2, baseDelayMs: 500, maxDelayMs: 60_000 },
      toolConcurrency: 8,
      toolTimeoutMs: 120_000,
    },
    added: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is in the picture?' }, PICTURE] },
    ],
    sources: [],
    dropped: [],
    tools: [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }],
    warnings: [],
  };
  for (let round = 1; round <= rounds; round++) {
    const call = { id: `c${round}`, name: 'look_up', argumentsJson: JSON.stringify({ word: `w${round}` }) };
    const log = 2 + (round - 1) * 2;
    yield {
      kind: 'request',
      round,
      at: tick(2),
      added: [],
      sent: [[0, log]],
      toolsOffered: ['look_up'],
      attempt: 1,
    };
    yield {
      kind: 'response',
      round,
      at: tick(100),
      durationMs: 98,
      message: { role: 'assistant', content: `Round ${round}`, toolCalls: [call] },
      finishReason: 'tool_calls',
      usage: { promptTokens: 100 + round, completionTokens: 5, totalTokens: 105 + round },
    };
    yield {
      kind: 'tool',
      round,
      at: tick(30),
      durationMs: 28,
      call,
      result: `needle${round} ${padding}`,
      isError: round % 97 === 0,
    };
  }
  yield {
    kind: 'end',
    round: rounds,
    at: now + 1,
    durationMs: now - START,
    stopReason: 'completed',
    rounds,
    usage: {},
    unpricedRounds: rounds,
  };
}

export function madeTrace(rounds: number): string {
  let [text, seq] = [header(), 0];
  for (const step of madeSteps(rounds)) text += encodeStep(step, ++seq);
  return text;
}
