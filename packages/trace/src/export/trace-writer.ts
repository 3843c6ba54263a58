import type { RunStep } from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { type RedactOptions, stepRedactor } from '../redact/redact-trace.ts';

/** A run to be exported: as `decodeTrace` gives it, or the steps of a RunTrace. */
export interface ExportedTrace {
  readonly header?: TraceHeader | undefined;
  readonly steps: readonly RunStep[];
}

/** Redaction is on by default, at level `secrets`. */
export interface ExportOptions extends RedactOptions {
  /** For spans (OTLP, OpenInference): with what was said. Default false. */
  readonly content?: boolean;
}

/** Writes one form of a trace, step by step, so that a trace of any size needs the memory of one step. */
export interface TraceWriter {
  /** Text to append. */
  add(step: RunStep): string;
  end(): string;
}

/** A writer that is given redacted steps only, and a stand-in for what it cannot write. */
export function redacted(writer: TraceWriter, options: ExportOptions): TraceWriter {
  const redact = stepRedactor(options);
  return {
    add: (step) => {
      const clean = redact(step);
      try {
        return writer.add(clean);
      } catch {
        return writer.add(unreadable(clean));
      }
    },
    end: () => writer.end(),
  };
}

/** In place of a step that cannot be told: only an edited file, or one of a newer version, has such a step. */
export function unreadable({ round, at }: RunStep): RunStep {
  return {
    kind: 'error',
    round,
    at,
    durationMs: 0,
    code: 'internal',
    message: 'This step cannot be exported: a part of it is missing or wrong.',
  };
}

/** All that a writer writes. */
export function whole(writer: TraceWriter, steps: readonly RunStep[]): string {
  return `${steps.map((step) => writer.add(step)).join('')}${writer.end()}`;
}

/** What puts the items of a JSON list behind one another. */
export class ListText {
  #isEmpty = true;

  add(items: readonly unknown[]): string {
    return items
      .map((item) => {
        const text = `${this.#isEmpty ? '' : ','}\n${JSON.stringify(item)}`;
        this.#isEmpty = false;
        return text;
      })
      .join('');
  }
}
