import type { RunStep } from '@glassloop/core';
import {
  type Span as DescribedSpan,
  genAiSpan,
  openInferenceSpan,
  type RedactOptions,
  RunSpans,
  SEMCONV_SCHEMA_URL,
  type SpanDialect,
  type SpanFacts,
  stepRedactor,
} from '@glassloop/trace';
import {
  type Context,
  context,
  type HrTime,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** Redaction is on by default, at level `secrets`. */
export interface SpanRecorderOptions extends RedactOptions {
  /** Default: `@glassloop/otel` of the global tracer provider. */
  readonly tracer?: Tracer;
  /** What the spans are children of. Default: the span that is active when the recorder is made. */
  readonly parent?: Context;
  /** With what was said. Default false: names, counts and times only. */
  readonly content?: boolean;
  /** Default: the semantic conventions for generative AI. */
  readonly dialect?: SpanDialect;
}

/**
 * For the `onRecord` of one RunTrace: one span for the run, under it one for each request and one for each tool call,
 * with the times at which they really happened. A request or tool appears when it is over, the run when it ends.
 * A recorder records one run; the next run needs another.
 */
export function spanRecorder(options: SpanRecorderOptions = {}): (step: RunStep) => void {
  const { tracer = ownTracer(), parent = context.active(), content = false, dialect = 'gen_ai' } = options;
  const describe = dialect === 'gen_ai' ? genAiSpan : openInferenceSpan;
  const redact = stepRedactor(options);
  const spans = new RunSpans();
  let root: Span | undefined;
  return (recorded) => {
    const step = redact(recorded);
    root ??= tracer.startSpan(
      dialect === 'gen_ai' ? 'invoke_agent' : 'run',
      { kind: SpanKind.INTERNAL, startTime: hrTime(step.at) },
      parent,
    );
    const inRun = trace.setSpan(parent, root);
    for (const facts of spans.add(step)) record(tracer, describe(facts, content), inRun);
    if (step.kind !== 'end') return;
    for (const facts of spans.finish()) {
      if (facts.span === 'run') finish(root, describe(facts, content));
      else record(tracer, describe(facts as SpanFacts, content), inRun);
    }
  };
}

function ownTracer(): Tracer {
  return trace.getTracerProvider().getTracer('@glassloop/otel', undefined, { schemaUrl: SEMCONV_SCHEMA_URL });
}

function record(tracer: Tracer, described: DescribedSpan, parent: Context): void {
  const kind = described.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
  finish(tracer.startSpan(described.name, { kind, startTime: hrTime(described.startMs) }, parent), described);
}

function finish(span: Span, { attributes, error, endMs }: DescribedSpan): void {
  for (const [name, value] of Object.entries(attributes)) {
    span.setAttribute(name, typeof value === 'object' ? [...value] : value);
  }
  if (error !== undefined) {
    span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(error.message === undefined ? {} : { message: error.message }),
    });
  }
  span.end(hrTime(endMs));
}

/** Seconds and nanoseconds; a number would lose the fraction of a millisecond. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1000) * 1_000_000))];
}
