import {
  AdapterError,
  type AdapterErrorCode,
  type ErrorStep,
  type Metadata,
  type ModelResponse,
  type ResponseStep,
} from '@glassloop/core';

/** What an adapter would do: hand over the recorded answer, or throw the recorded failure. */
export function recordedAnswer(outcome: ResponseStep | ErrorStep): ModelResponse {
  if (outcome.kind === 'error') throw failureOf(outcome);
  return responseOf(outcome);
}

/** A recorded answer, as an adapter would hand it over. */
export function responseOf(step: ResponseStep): ModelResponse {
  const {
    kind: _,
    round,
    at,
    durationMs,
    firstTokenMs,
    raw,
    metadata,
    ...response
  } = step as ResponseStep & {
    readonly round: number;
    readonly at: number;
  };
  const facts = metadataOf(step);
  return { ...response, ...(facts === undefined ? {} : { metadata: facts }) };
}

/** A recorded failure, as an adapter would throw it. It is tried again if it was then, and at once. */
export function failureOf(step: ErrorStep): Error {
  if (step.code === 'internal') {
    return new Error(step.message.replace(/^The adapter failed in a way it should not: /, ''));
  }
  return new AdapterError(step.code as AdapterErrorCode, step.message, {
    hint: step.hint,
    status: step.status,
    requestId: step.requestId,
    partial: step.partial,
    metadata: metadataOf(step),
    // A wait longer than any policy allows: fails at once.
    retryAfterMs: step.retryInMs === undefined ? Number.POSITIVE_INFINITY : 0,
  });
}

function metadataOf({ raw, metadata }: ResponseStep | ErrorStep): Metadata | undefined {
  if (raw === undefined) return metadata;
  return { ...metadata, _raw: raw };
}
