/** What can be done with a trace once the run is over: compare it, replay it, redact it, export it. Runs in browsers too. */

export type { DiffOptions } from './diff/comparable.ts';
export { diffTraces, type StepDifference, type TraceDiff, traceDifferences } from './diff/diff-traces.ts';
export type { Difference } from './diff/difference.ts';
export { type TraceIndex, TraceIndexer } from './diff/trace-index.ts';
export { type RedactOptions, redactTrace, stepRedactor } from './redact/redact-trace.ts';
export type { Divergence } from './replay/divergence.ts';
export { type ReplayOptions, type ReplayOutcome, type ReplayRun, replay } from './replay/replay.ts';
export { type RunInput, runFromTrace } from './replay/run-from-trace.ts';
