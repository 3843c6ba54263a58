import type { Case } from '../case.ts';
import { abortCases } from './abort.ts';
import { captureCases } from './capture.ts';
import { errorCases } from './errors.ts';
import { finishCases } from './finish.ts';
import { optionCases } from './options.ts';
import { purityCases } from './purity.ts';
import { retentionCases } from './retention.ts';
import { securityCases } from './security.ts';
import { streamingCases } from './streaming.ts';
import { systemCases } from './system.ts';
import { textCases } from './text.ts';
import { thinkingCases } from './thinking.ts';
import { toolHistoryCases } from './tool-history.ts';
import { toolCases } from './tools.ts';
import { traceCases } from './trace.ts';
import { unicodeCases } from './unicode.ts';
import { usageCases } from './usage.ts';

const all = [
  ...textCases,
  ...systemCases,
  ...toolCases,
  ...toolHistoryCases,
  ...optionCases,
  ...thinkingCases,
  ...finishCases,
  ...usageCases,
  ...streamingCases,
  ...errorCases,
  ...abortCases,
  ...captureCases,
  ...retentionCases,
  ...purityCases,
  ...securityCases,
  ...unicodeCases,
  ...traceCases,
] as const;

export type CaseId = (typeof all)[number]['id'];

/** Every case, in the order of the README. */
export const cases: readonly Case<CaseId>[] = all;
