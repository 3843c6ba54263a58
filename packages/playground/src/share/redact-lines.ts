import type { RunStep } from '@glassloop/core';
import { stepRedactor } from '@glassloop/trace';
import type { Redaction, RunLine, StepLine } from '../protocol.ts';

/** A function that redacts one line of a trace file. A line that cannot be read cannot be redacted, so it becomes ''. */
export function lineRedactor(level: Redaction, secrets: readonly string[]): (line: string) => string {
  if (level === 'none') return (line) => line;
  const redact = stepRedactor({ level, secrets });
  return (line) => {
    let value: RunLine | StepLine;
    try {
      value = JSON.parse(line) as RunLine | StepLine;
    } catch {
      return '';
    }
    if (value?.type === 'step') return `${JSON.stringify({ ...value, step: redact(value.step) })}\n`;
    if (value?.type !== 'run') return '';
    const { request, ...header } = value;
    const clean = level === 'content' || request === undefined ? undefined : redactedValue(request, redact);
    return `${JSON.stringify({ ...header, ...(clean === undefined ? {} : { request: clean }) })}\n`;
  };
}

/** The request is no step, and holds what steps hold: it is redacted as the metadata of one. */
function redactedValue(request: object, redact: (step: RunStep) => RunStep): unknown {
  const step = redact({
    kind: 'error',
    round: 0,
    at: 0,
    durationMs: 0,
    code: 'internal',
    message: '',
    metadata: { request },
  });
  return step.kind === 'error' ? step.metadata?.['request'] : undefined;
}
