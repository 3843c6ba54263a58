import type { RunStep } from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { redactHeader } from '../redact/redact-trace.ts';
import {
  type ExportedTrace,
  type ExportOptions,
  ListText,
  redacted,
  type TraceWriter,
  whole,
} from './trace-writer.ts';

/** A trace as one JSON document, for tools that do not read lines. */
export interface JsonTrace {
  readonly header: TraceHeader | null;
  readonly steps: readonly RunStep[];
}

export function toJson(trace: ExportedTrace, options: ExportOptions = {}): JsonTrace {
  return JSON.parse(whole(jsonWriter(trace.header, options), trace.steps)) as JsonTrace;
}

export function jsonWriter(header: TraceHeader | undefined, options: ExportOptions): TraceWriter {
  const list = new ListText();
  let text = `{"header":${JSON.stringify(redactHeader(header, options) ?? null)},"steps":[`;
  const begin = () => {
    const begun = text;
    text = '';
    return begun;
  };
  return redacted({ add: (step) => begin() + list.add([step]), end: () => `${begin()}\n]}\n` }, options);
}
