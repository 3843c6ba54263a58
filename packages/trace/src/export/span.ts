import type { ErrorStep } from '@glassloop/core';
import type { SpanFacts } from './run-spans.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = { readonly [name: string]: AttributeValue };

/** A span in words of OpenTelemetry, before it is written in any form. */
export interface Span {
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Present: it failed. Without content the message is left out, because a provider may quote the prompt. */
  readonly error?: { readonly message?: string };
}

/** Attributes without those that are not known. */
export function known(values: { readonly [name: string]: AttributeValue | undefined }): Attributes {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Attributes;
}

/** Whether what a span stands for failed, and the reason that may be told. */
export function failureOf(
  facts: SpanFacts,
  content: boolean,
): { readonly type: string; readonly message?: string } | undefined {
  const failure = (type: string, message: string | undefined) =>
    content && message !== undefined ? { type, message } : { type };
  switch (facts.span) {
    case 'run': {
      const { end } = facts;
      if (end?.stopReason !== 'failed' && end?.stopReason !== 'aborted') return undefined;
      return failure(end.stopReason, end.detail);
    }
    case 'chat':
      return facts.outcome?.kind === 'error'
        ? failure(codeOf(facts.outcome), facts.outcome.message)
        : undefined;
    case 'tool':
      return facts.step.isError ? failure('tool_error', facts.step.thrown ?? facts.step.result) : undefined;
  }
}

function codeOf({ code }: ErrorStep): string {
  return code;
}
