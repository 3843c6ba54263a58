/** Why a run ended, in a word and in a sentence that says what to change. */

import type { ModelResponse } from './adapter/adapter.ts';
import type { RunLimits } from './run.ts';
import type { StopReason } from './run-step.ts';
import type { Usage } from './usage.ts';

export interface End {
  readonly reason: StopReason;
  readonly detail?: string;
}

/** The end of a run whose last answer asks for no tool, or was cut so that its calls cannot be run. */
export function endOfAnswer({ finishReason, rawFinishReason, message, usage }: ModelResponse): End {
  const empty = message.content === '';
  switch (finishReason) {
    case 'length': {
      if (empty && (usage.reasoningTokens ?? 0) > 0) {
        return {
          reason: 'length',
          detail: 'All output tokens went into reasoning; raise maxTokens or lower the reasoning effort.',
        };
      }
      const where = message.toolCalls.length > 0 ? ' in the middle of its tool calls' : '';
      return {
        reason: 'length',
        detail: `The answer was cut at the output limit${where}${word(rawFinishReason)}; raise maxTokens.`,
      };
    }
    case 'content_filter':
      return {
        reason: 'content_filter',
        detail: `The provider's content policy stopped the answer${word(rawFinishReason)}.`,
      };
    case 'other':
      return {
        reason: 'incomplete',
        detail:
          rawFinishReason === undefined
            ? 'The answer ended without an end mark, so part of it may be missing.'
            : `The provider ended the answer with "${rawFinishReason}", so it may be incomplete.`,
      };
    default:
      return empty
        ? { reason: 'completed', detail: 'The model answered with no text.' }
        : { reason: 'completed' };
  }
}

function word(raw: string | undefined): string {
  return raw === undefined ? '' : ` (${raw})`;
}

/** The end that the last round calls for, if it does; an answer without tools then closes the run. */
export function endOfRound(
  round: number,
  maxRounds: number,
  { toolCalls, repeats }: RunLimits & { readonly repeats: number },
  callsRun: number,
  sameTurns: number,
): End | undefined {
  const closed = 'the last answer was written without tools';
  if (round >= maxRounds) {
    return {
      reason: 'round_limit',
      detail: `All ${maxRounds} rounds were used; ${closed}. Raise maxRounds to let it go on.`,
    };
  }
  if (toolCalls !== undefined && callsRun >= toolCalls) {
    return { reason: 'limit', detail: `The limit of ${toolCalls} tool calls was reached; ${closed}.` };
  }
  if (sameTurns >= repeats) {
    return {
      reason: 'repeat',
      detail: `The same calls had the same results in ${sameTurns} rounds in a row; ${closed}.`,
    };
  }
  return undefined;
}

/** The end when tokens or money are used up before the next call; undefined as long as they are not. */
export function endOfBudget({ totalTokens, cost }: RunLimits, usage: Usage): End | undefined {
  if (totalTokens !== undefined && (usage.totalTokens ?? 0) >= totalTokens) {
    return {
      reason: 'limit',
      detail: `The limit of ${totalTokens} tokens was reached (${usage.totalTokens} used).`,
    };
  }
  if (cost !== undefined && (usage.estimatedCost ?? 0) >= cost) {
    return {
      reason: 'limit',
      detail: `The cost limit of $${cost} was reached ($${usage.estimatedCost} spent).`,
    };
  }
  return undefined;
}
