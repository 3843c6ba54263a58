import { answerMutants } from './mutants/answers.ts';
import { captureMutants } from './mutants/capture.ts';
import { connectionMutants } from './mutants/connection.ts';
import type { Mutant } from './mutants/mutant.ts';
import { readingMutants } from './mutants/reading.ts';
import { requestMutants } from './mutants/requests.ts';
import { retentionMutants } from './mutants/retention.ts';

export type { Mutant };

/** Broken adapters. Each has one fault, and is caught by the case that is there for it. */
export const mutants: readonly Mutant[] = [
  ...requestMutants,
  ...answerMutants,
  ...readingMutants,
  ...connectionMutants,
  ...captureMutants,
  ...retentionMutants,
];
