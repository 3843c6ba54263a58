import type { Case } from '../case.ts';
import { abortCases } from './abort.ts';
import { errorCases } from './errors.ts';
import { finishCases } from './finish.ts';
import { optionCases } from './options.ts';
import { systemCases } from './system.ts';
import { textCases } from './text.ts';
import { thinkingCases } from './thinking.ts';
import { toolCases } from './tools.ts';
import { usageCases } from './usage.ts';

const all = [
  ...textCases,
  ...systemCases,
  ...toolCases,
  ...optionCases,
  ...thinkingCases,
  ...finishCases,
  ...usageCases,
  ...errorCases,
  ...abortCases,
] as const;

export type CaseId = (typeof all)[number]['id'];

/** Every case, in the order of the README. */
export const cases: readonly Case<CaseId>[] = all;
