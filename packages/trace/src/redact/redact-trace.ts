import type { RunStep } from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { shapeOf, withoutContent } from './content-shape.ts';
import { REDACTION_FAILED, TextRedactor } from './redact-text.ts';
import { withoutSecrets } from './redact-value.ts';
import { spellings } from './secret-shapes.ts';

export interface RedactOptions {
  /** `none`: as recorded. `secrets` (default): what looks like a credential is blacked out. `content`: every text is its length only. */
  readonly level?: 'none' | 'secrets' | 'content';
  /** Values that are secrets whatever they look like: the keys in use. */
  readonly secrets?: readonly string[];
  /** A rule of your own, applied to every text first. If it throws, a marker stands in place of the text. */
  readonly redact?: (text: string) => string;
}

/**
 * Steps without secrets: keys, tokens, credentials in URLs and headers, private keys, and the values in `secrets`; in
 * messages, arguments, results, raw bodies and requests as sent, in keys of objects and across the pieces of a stream.
 * The steps given are not changed. What cannot be redacted is replaced by a marker, never let through.
 */
export function redactTrace(step: RunStep, options?: RedactOptions): RunStep;
export function redactTrace(steps: readonly RunStep[], options?: RedactOptions): readonly RunStep[];
export function redactTrace(
  trace: RunStep | readonly RunStep[],
  options: RedactOptions = {},
): RunStep | readonly RunStep[] {
  const redact = stepRedactor(options);
  return Array.isArray(trace) ? trace.map(redact) : redact(trace as RunStep);
}

/** The same for one step after another, with the options prepared once. Throws RangeError for an unknown level. */
export function stepRedactor(options: RedactOptions = {}): (step: RunStep) => RunStep {
  const { level = 'secrets', secrets = [], redact } = options;
  if (level !== 'none' && level !== 'secrets' && level !== 'content') {
    throw new RangeError(`redactTrace: level must be 'none', 'secrets' or 'content'; got ${String(level)}.`);
  }
  if (level === 'none') return (step) => step;
  const redactor = new TextRedactor(spellings(secrets), redact);
  return (step) => redactedStep(step, level, redactor);
}

/** A header without secrets; its id is any text. */
export function redactHeader(
  header: TraceHeader | undefined,
  { level = 'secrets', secrets = [], redact }: RedactOptions = {},
): TraceHeader | undefined {
  if (level === 'none' || header === undefined) return header;
  const { request, ...rest } = header;
  const asked = request === undefined ? {} : { request: level === 'content' ? shapeOf(request) : request };
  return withoutSecrets({ ...rest, ...asked }, new TextRedactor(spellings(secrets), redact)) as TraceHeader;
}

function redactedStep(step: RunStep, level: 'secrets' | 'content', redactor: TextRedactor): RunStep {
  const { kind, round, at } = step;
  try {
    const shown = level === 'content' ? withoutContent(step) : step;
    // The kind is a word of the format, whatever a rule of the caller's own makes of it.
    return { ...(withoutSecrets(shown, redactor) as RunStep), kind, round, at } as RunStep;
  } catch {
    return { kind: 'error', round, at, durationMs: 0, code: 'internal', message: REDACTION_FAILED };
  }
}
