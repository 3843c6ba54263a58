import type { Adapter, ModelRequest, ModelResponse, RunStep } from '@glassloop/core';
import { comparableStep } from '../diff/comparable.ts';
import { differencesBetween } from '../diff/difference.ts';
import { type Divergence, divergence } from './divergence.ts';
import { failureOf, responseOf } from './recorded-outcome.ts';
import type { RecordedProvider } from './recorded-provider.ts';
import type { RecordedAttempt } from './recording.ts';

/** Serves a recorded body to an adapter: what it sends and what it reads must be what was recorded. */
export async function judge(
  adapter: Adapter,
  provider: RecordedProvider,
  { round, request, outcome }: RecordedAttempt,
  asked: ModelRequest,
): Promise<Divergence | undefined> {
  if (outcome === undefined) return undefined;
  const exchange = provider.serve(outcome);
  let found: ModelResponse | Error;
  try {
    found = await adapter.chat(asked);
  } catch (error) {
    found = error as Error;
  }
  const at = { round, attempt: request.attempt };
  const [wire] = exchange.differences();
  if (wire !== undefined) return divergence({ ...at, where: 'wire', ...wire });
  const old = outcome.kind === 'error' ? failureOf(outcome) : responseOf(outcome);
  const [first] = differencesBetween(readable(old), readable(withIdsOf(old, found)));
  return first && divergence({ ...at, where: 'response', ...first });
}

/** The answer with the recorded call ids: an adapter makes ids up where its provider gives none, also in its state. */
function withIdsOf(old: ModelResponse | Error, found: ModelResponse | Error): ModelResponse | Error {
  if (old instanceof Error || found instanceof Error) return found;
  const calls = found.message.toolCalls;
  let text = JSON.stringify(found.message);
  for (const [index, { id }] of old.message.toolCalls.entries()) {
    const made = calls[index]?.id;
    if (made !== undefined && made !== '') text = text.replaceAll(JSON.stringify(made), JSON.stringify(id));
  }
  return { ...found, message: JSON.parse(text) };
}

/** What of an answer is compared: all but what was captured, and prices, which only the loop knows. */
function readable(found: ModelResponse | Error): Record<string, unknown> {
  if (found instanceof Error) {
    const { code, message } = found as Error & { code?: unknown };
    return { error: { code, message } };
  }
  const { metadata: _, usage, ...rest } = found;
  const { estimatedCost: __, ...counts } = usage;
  return comparableStep({ kind: 'response', ...rest, usage: counts } as unknown as RunStep, {
    ids: true,
    opaque: true,
  });
}
