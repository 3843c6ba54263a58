/** The suite that tells whether a Glassloop adapter is right. */

export type { Ability, Area, Case, Mode, Need } from './case.ts';
export { type CaseId, cases } from './cases/index.ts';
export { describeAdapter } from './describe-adapter.ts';
export {
  conversations,
  decodedBody,
  exchangesFor,
  type RecordedExchange,
  type RecordedExpectation,
  type RecordedProvider,
  readExchanges,
} from './exchange.ts';
export { exchangesFromHar, type Har, type HarEntry } from './exchanges-from-har.ts';
export { type ExpectedAnswer, expectedOf } from './expected-answer.ts';
export { replayConversation } from './replay-conversation.ts';
export {
  type CreateAdapter,
  type Difference,
  type ReplayOptions,
  replayExchange,
  wireFor,
} from './replay-exchange.ts';
export {
  type AdapterUnderTest,
  type CaseResult,
  type Deviations,
  type RunCasesOptions,
  runCase,
  runCases,
} from './run-cases.ts';
export {
  type Scorecard,
  type ScoredCase,
  scorecard,
  scorecardBadge,
  scorecardMarkdown,
} from './scorecard.ts';
export type { Subject, SubjectSettings } from './subject.ts';
