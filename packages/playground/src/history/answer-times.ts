import type { AnswerTimes, RunSummary } from '../protocol.ts';

/** Of fewer nobody should say what is usual. */
const FEWEST = 4;

/** The middle half of the durations of a model's answers. */
export function answerTimes(summaries: readonly RunSummary[], model: string): AnswerTimes {
  const times = summaries
    .filter((run) => run.model === model)
    // A summary on disk may be of an older version.
    .flatMap((run) => run.answerMs ?? [])
    .sort((a, b) => a - b);
  const answers = times.length;
  if (answers < FEWEST) return { answers };
  const at = (share: number) => times[Math.round((answers - 1) * share)]!;
  return { answers, middle: [at(0.25), at(0.75)] };
}
