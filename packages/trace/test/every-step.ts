import type { RunStep } from '@glassloop/core';

/** Steps of every kind that a recorded run does not have. */
export const MORE_STEPS: readonly RunStep[] = [
  {
    kind: 'error',
    round: 2,
    at: 1,
    durationMs: 1,
    code: 'network',
    message: 'It broke',
    hint: 'Try again',
    status: 502,
    requestId: 'req-1',
    partial: 'So far',
    raw: { error: { message: 'It broke' } },
    metadata: {
      _wire: {
        method: 'POST',
        url: 'http://x.test/v1?a=b',
        headers: { 'x-note': 'note' },
        body: '{"a":"b"}',
      },
      note: 'noted',
    },
  },
  { kind: 'request', round: 3, at: 2, added: [], sent: [[0, 1]], toolsOffered: ['look'], attempt: 1 },
  {
    kind: 'response',
    round: 3,
    at: 3,
    durationMs: 1,
    firstTokenMs: 1,
    model: 'gpt-test',
    thinking: 'Hm.',
    message: {
      role: 'assistant',
      content: 'Look',
      toolCalls: [{ id: 'c9', name: 'look', argumentsJson: '{"city":"Oslo"}' }],
      providerState: { openai: { items: [{ signature: 'abc' }] } },
    },
    finishReason: 'tool_calls',
    rawFinishReason: 'tool_calls',
    usage: {},
    warnings: ['Something was left out'],
    requestId: 'req-2',
  },
  {
    kind: 'tool',
    round: 3,
    at: 4,
    durationMs: 1,
    call: { id: 'c9', name: 'look', argumentsJson: '{"city":"Oslo"}' },
    result: 'Cold',
    isError: true,
    thrown: 'Error: cold',
  },
  {
    kind: 'end',
    round: 3,
    at: 5,
    durationMs: 1,
    stopReason: 'failed',
    detail: 'It broke',
    rounds: 3,
    usage: {},
    unpricedRounds: 0,
  },
] as unknown as RunStep[];

export type Path = readonly (string | number)[];

/** All places in a trace at which a value stands, but for the kinds of steps. */
export function placesIn(value: unknown, path: Path = []): Path[] {
  const here = path.length < 2 || (path.length === 2 && path[1] === 'kind') ? [] : [path];
  if (typeof value !== 'object' || value === null) return here;
  return Object.entries(value).reduce<Path[]>((found, [key, inner]) => {
    found.push(...placesIn(inner, [...path, Array.isArray(value) ? Number(key) : key]));
    return found;
  }, here);
}

/** A copy in which the values at some places are others. */
export function edited(
  steps: readonly RunStep[],
  paths: readonly Path[],
  change: (value: unknown) => unknown,
): readonly RunStep[] {
  const copy = structuredClone(steps) as unknown as Record<string | number, unknown>;
  for (const path of paths) {
    let holder = copy;
    for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
    const key = path.at(-1)!;
    holder[key] = change(holder[key]);
  }
  return copy as unknown as readonly RunStep[];
}
