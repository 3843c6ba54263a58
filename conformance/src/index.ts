/** The suite that tells whether a Glassloop adapter is right. */

export type { Ability, Area, Case, Mode, Need } from './case.ts';
export { type CaseId, cases } from './cases/index.ts';
export { type AdapterUnderTest, describeAdapter } from './describe-adapter.ts';
export { type CaseResult, type Deviations, type RunCasesOptions, runCase, runCases } from './run-cases.ts';
export type { Subject, SubjectSettings } from './subject.ts';
