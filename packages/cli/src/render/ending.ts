import type { EndStep } from '@glassloop/core';

/** Why a run ended, each reason with a label of its own and what to do about it. */
export interface Ending {
  readonly label: string;
  readonly advice?: string;
  readonly mood: 'good' | 'warn' | 'bad';
}

const ENDINGS: { readonly [reason in EndStep['stopReason']]: Ending } = {
  completed: { label: 'completed: the model gave its answer', mood: 'good' },
  length: {
    label: 'length: the answer was cut at the output limit',
    advice: 'Raise --max-tokens, or ask for a shorter answer.',
    mood: 'warn',
  },
  round_limit: {
    label: 'round limit: all rounds were used, and the last answer was written without tools',
    advice: 'Raise --max-rounds, or ask for less at once.',
    mood: 'warn',
  },
  limit: {
    label: 'limit: a limit on tokens, cost, calls or time was reached',
    advice: 'Raise the limit, or ask for less at once.',
    mood: 'warn',
  },
  repeat: {
    label: 'repeat: the model made the same calls again and again, with the same results',
    advice: 'Look at the results it got, and at how the tools are described.',
    mood: 'warn',
  },
  content_filter: {
    label: "content filter: the provider's policy stopped the answer",
    advice: "Change the prompt or the provider's policy settings.",
    mood: 'bad',
  },
  incomplete: {
    label: 'incomplete: the answer ended without a known end mark',
    advice: 'Run it again; if it stays so, look at the raw body with --capture-raw.',
    mood: 'bad',
  },
  dry_run: { label: 'dry run: nothing was sent', mood: 'good' },
  failed: { label: 'failed', mood: 'bad' },
  aborted: { label: 'aborted', advice: 'What was done until then is shown above.', mood: 'bad' },
};

export function endingOf(reason: EndStep['stopReason']): Ending {
  // A trace of a newer version may hold a reason that is not in the list.
  return Object.hasOwn(ENDINGS, reason)
    ? ENDINGS[reason]
    : { label: `${reason}: this version of glassloop does not know that reason`, mood: 'warn' };
}
