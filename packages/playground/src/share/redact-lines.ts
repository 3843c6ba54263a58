import type { TraceHeader } from '@glassloop/core/trace-file';
import { redactHeader, stepRedactor } from '@glassloop/trace';
import type { Redaction, RunLine, StepLine } from '../protocol.ts';

/** A function that redacts one line of a trace file. A line that cannot be read cannot be redacted, so it becomes ''. */
export function lineRedactor(level: Redaction, secrets: readonly string[]): (line: string) => string {
  if (level === 'none') return (line) => line;
  const options = { level, secrets };
  const redactStep = stepRedactor(options);
  return (line) => {
    let value: RunLine | StepLine;
    try {
      value = JSON.parse(line) as RunLine | StepLine;
    } catch {
      return '';
    }
    if (value?.type === 'step') return `${JSON.stringify({ ...value, step: redactStep(value.step) })}\n`;
    if (value?.type !== 'run') return '';
    const { type, seq, ...header } = value;
    return `${JSON.stringify({ type, seq, ...redactHeader(header as TraceHeader, options) })}\n`;
  };
}
