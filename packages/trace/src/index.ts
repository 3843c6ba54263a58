/** What can be done with a trace once the run is over: compare it, replay it, redact it, export it. Runs in browsers too. */

export type { DiffOptions } from './diff/comparable.ts';
export { diffTraces, type StepDifference, type TraceDiff, traceDifferences } from './diff/diff-traces.ts';
export type { Difference } from './diff/difference.ts';
export { type TraceIndex, TraceIndexer } from './diff/trace-index.ts';
export { genAiSpan, SEMCONV_SCHEMA_URL, SEMCONV_VERSION } from './export/gen-ai.ts';
export { type HarDocument, type HarEntry, harWriter, toHar } from './export/har.ts';
export { type JsonTrace, jsonWriter, toJson } from './export/json.ts';
export { markdownWriter, toMarkdown } from './export/markdown.ts';
export { openInferenceSpan } from './export/openinference.ts';
export {
  type OtlpAttribute,
  type OtlpDocument,
  type OtlpSpan,
  OtlpSpans,
  otlpDocument,
  otlpWriter,
  type SpanDialect,
  toOpenInference,
  toOtlp,
} from './export/otlp.ts';
export {
  type ChatFacts,
  type RunFacts,
  RunSpans,
  type SpanFacts,
  type ToolFacts,
} from './export/run-spans.ts';
export type { Attributes, AttributeValue, Span } from './export/span.ts';
export type { ExportedTrace, ExportOptions, TraceWriter } from './export/trace-writer.ts';
export { type RedactOptions, redactHeader, redactTrace, stepRedactor } from './redact/redact-trace.ts';
export type { Divergence } from './replay/divergence.ts';
export { type ReplayOptions, type ReplayOutcome, type ReplayRun, replay } from './replay/replay.ts';
export { callerMessages, type RunInput, runFromTrace } from './replay/run-from-trace.ts';
