import type { RunStep } from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { digestOf } from '../diff/digest.ts';
import { redactHeader, stepRedactor } from '../redact/redact-trace.ts';
import { genAiSpan, SEMCONV_SCHEMA_URL } from './gen-ai.ts';
import { openInferenceSpan } from './openinference.ts';
import { RunSpans, type SpanFacts } from './run-spans.ts';
import type { Attributes, AttributeValue, Span } from './span.ts';
import {
  type ExportedTrace,
  type ExportOptions,
  ListText,
  type TraceWriter,
  unreadable,
  whole,
} from './trace-writer.ts';

/** How spans are described: by the semantic conventions for generative AI, or by OpenInference. */
export type SpanDialect = 'gen_ai' | 'openinference';

/** An ExportTraceServiceRequest in OTLP/JSON: the protobuf JSON mapping with ids in hex and numbers of 64 bits as text. */
export interface OtlpDocument {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly OtlpSpan[];
      readonly schemaUrl?: string;
    }[];
    readonly schemaUrl?: string;
  }[];
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** 2: error. Absent: not said. */
  readonly status?: { readonly code: number; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/**
 * One trace in OTLP/JSON: a root span for the run, one for each request and each tool call, by the semantic
 * conventions for generative AI (`SEMCONV_VERSION`). The same trace gives the same ids. Content only with `content`.
 */
export function toOtlp(trace: ExportedTrace, options: ExportOptions = {}): OtlpDocument {
  return JSON.parse(whole(otlpWriter(trace.header, options), trace.steps)) as OtlpDocument;
}

/** The same spans by the OpenInference conventions, in OTLP/JSON. */
export function toOpenInference(trace: ExportedTrace, options: ExportOptions = {}): OtlpDocument {
  return JSON.parse(whole(otlpWriter(trace.header, options, 'openinference'), trace.steps)) as OtlpDocument;
}

export function otlpWriter(
  header: TraceHeader | undefined,
  options: ExportOptions,
  dialect: SpanDialect = 'gen_ai',
): TraceWriter {
  const spans = new OtlpSpans(header, options, dialect);
  const list = new ListText();
  const [before, after] = JSON.stringify(otlpDocument([], redactHeader(header, options), dialect)).split(
    '"spans":[]',
  ) as [string, string];
  let isBegun = false;
  const begin = () => {
    const text = isBegun ? '' : `${before}"spans":[`;
    isBegun = true;
    return text;
  };
  return {
    add: (step) => begin() + list.add(spans.add(step)),
    end: () => `${begin()}${list.add(spans.end())}\n]${after}\n`,
  };
}

/** Spans in a document that a collector takes: for sending them in pieces. */
export function otlpDocument(
  spans: readonly OtlpSpan[],
  header: TraceHeader | undefined,
  dialect: SpanDialect = 'gen_ai',
): OtlpDocument {
  const schemaUrl = dialect === 'gen_ai' ? { schemaUrl: SEMCONV_SCHEMA_URL } : {};
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributeList({
            'service.name': 'glassloop',
            ...(header?.id === undefined ? {} : { 'glassloop.run.id': String(header.id) }),
          }),
        },
        scopeSpans: [{ scope: { name: '@glassloop/trace' }, spans, ...schemaUrl }],
        ...schemaUrl,
      },
    ],
  };
}

/** Steps into OTLP spans, as they become complete; the root span comes last. */
export class OtlpSpans {
  readonly #spans = new RunSpans();
  readonly #redact: (step: RunStep) => RunStep;
  readonly #content: boolean;
  readonly #describe: (facts: SpanFacts, content: boolean) => Span;
  #seed: unknown;
  #count = 0;

  constructor(header: TraceHeader | undefined, options: ExportOptions, dialect: SpanDialect = 'gen_ai') {
    this.#redact = stepRedactor(options);
    this.#content = options.content === true;
    this.#describe = dialect === 'gen_ai' ? genAiSpan : openInferenceSpan;
    this.#seed = header?.id;
  }

  add(step: RunStep): readonly OtlpSpan[] {
    this.#seed ??= [step.at, step.kind];
    const clean = this.#redact(step);
    try {
      return this.#spans.add(clean).map((facts) => this.#span(facts));
    } catch {
      return this.#spans.add(unreadable(clean)).map((facts) => this.#span(facts));
    }
  }

  end(): readonly OtlpSpan[] {
    return this.#spans.finish().map((facts) => this.#span(facts));
  }

  #span(facts: SpanFacts): OtlpSpan {
    // Only an edited file, or one of a newer version, gets beyond the first.
    const ways = [
      () => this.#describe(facts, this.#content),
      () => marked(this.#describe(facts, false)),
      () => marked({ name: facts.span, kind: 'internal', attributes: {}, ...timesOf(facts) }),
    ] as const;
    for (const way of ways.slice(0, -1)) {
      try {
        return this.#written(facts, way());
      } catch {
        // The next one tells less.
      }
    }
    return this.#written(facts, ways[2]());
  }

  #written(facts: SpanFacts, { name, kind, startMs, endMs, attributes, error }: Span): OtlpSpan {
    const isRoot = facts.span === 'run';
    return {
      traceId: hex(this.#seed, 'trace', 32),
      spanId: hex(this.#seed, isRoot ? 'root' : `span ${this.#count++}`, 16),
      ...(isRoot ? {} : { parentSpanId: hex(this.#seed, 'root', 16) }),
      name: String(name),
      kind: kind === 'client' ? 3 : 1,
      startTimeUnixNano: nanoseconds(startMs),
      endTimeUnixNano: nanoseconds(endMs),
      attributes: attributeList(attributes),
      ...(error === undefined ? {} : { status: { code: 2, ...statusOf(error) } }),
    };
  }
}

function statusOf({ message }: NonNullable<Span['error']>): { readonly message?: string } {
  return message === undefined ? {} : { message: String(message).toWellFormed() };
}

/** A span of which a part could not be told. */
function marked(span: Span): Span {
  return { ...span, attributes: { ...span.attributes, 'glassloop.unreadable': true } };
}

function timesOf({ startMs, endMs }: SpanFacts): Pick<Span, 'startMs' | 'endMs'> {
  return { startMs, endMs };
}

/** An id made from what it stands for; never all zeros, which would be no id. */
function hex(seed: unknown, what: string, length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part++) {
    text += (digestOf([seed, what, part]) % 0x1_0000_0000).toString(16).padStart(8, '0');
  }
  return /[1-9a-f]/.test(text) ? text.slice(0, length) : '1'.padStart(length, '0');
}

function nanoseconds(ms: number): string {
  return Number.isFinite(ms) && ms > 0 ? (BigInt(Math.round(ms * 1000)) * 1000n).toString() : '0';
}

function attributeList(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(key, value) }));
}

/** Fields that the conventions call double, also when the number is whole. */
const DOUBLE = /temperature|top_p|cost|time_to_first_chunk/;

function otlpValue(key: string, value: AttributeValue): OtlpValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value.toWellFormed() };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) && !DOUBLE.test(key)
        ? { intValue: String(value) }
        : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((item) => ({ stringValue: String(item).toWellFormed() })) } };
  }
}
