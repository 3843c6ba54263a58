import type { Adapter } from '@glassloop/core';
import type { Outcome } from './perform.ts';

/** What `run --json` prints: the same keys for a run that answered and for one that failed. */
export function resultDocument(outcome: Outcome, adapter: Adapter): { readonly [key: string]: unknown } {
  const { result, failure, end, steps } = outcome;
  return {
    ok: failure === undefined,
    provider: adapter.name,
    model: adapter.model,
    stopReason: end?.stopReason ?? (failure?.code === 'aborted' ? 'aborted' : 'failed'),
    ...('stopDetail' in result && result.stopDetail !== undefined ? { stopDetail: result.stopDetail } : {}),
    ...(failure === undefined
      ? {}
      : {
          error: {
            code: failure.code,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
          },
        }),
    content: result.content,
    ...(result.thinking === undefined ? {} : { thinking: result.thinking }),
    ...(result.finishReason === undefined ? {} : { finishReason: result.finishReason }),
    rounds: result.rounds,
    toolCalls: steps.filter((step) => step.kind === 'tool').length,
    usage: result.usage,
    uncountedRounds: result.uncountedRounds,
    unpricedRounds: result.unpricedRounds,
    ...(end === undefined ? {} : { durationMs: end.durationMs }),
    warnings: result.warnings,
    messages: result.messages,
  };
}
