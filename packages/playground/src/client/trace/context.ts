/** What the prompt of each round is made of. Providers count only the whole; the split is by length, and said to be. */

import type { MessageWeight } from './step-summary.ts';
import type { TraceStore } from './trace-store.ts';

export type ContextPart = 'system' | 'added' | 'tools' | 'turns' | 'results';
export const CONTEXT_PARTS: readonly ContextPart[] = ['system', 'added', 'tools', 'turns', 'results'];

export interface RoundContext {
  readonly round: number;
  /** The provider's count; undefined when it named none. */
  readonly promptTokens: number | undefined;
  /** That count; without one, an estimate from the length, by what the counted rounds had for each character. */
  readonly tokens: number;
  /** Shares of the whole, by length; they add up to 1. */
  readonly shares: { readonly [part in ContextPart]: number };
}

type Lengths = { [part in ContextPart]: number };

/** By round, in order. */
export function contextByRound(store: TraceStore): readonly RoundContext[] {
  // Sums of all messages before each, so that a stretch costs the same however long it is.
  const sums: Lengths[] = [nothing()];
  let toolLength = 0;
  let perCharacter = 1 / 4;
  const rounds = new Map<number, RoundContext>();
  for (const step of store.steps) {
    if (step.kind !== 'assembled' && step.kind !== 'request') continue;
    for (const message of step.added ?? []) sums.push(plus(sums.at(-1)!, message));
    if (step.kind === 'assembled') toolLength = step.toolLength ?? 0;
    if (step.kind !== 'request') continue;
    const lengths = nothing();
    lengths.tools = (step.tools ?? 0) > 0 ? toolLength : 0;
    for (const [start, end] of step.sent ?? []) {
      const [from, to] = [sums[clamp(start, sums)]!, sums[clamp(end, sums)]!];
      for (const part of CONTEXT_PARTS) lengths[part] += to[part] - from[part];
    }
    const whole = CONTEXT_PARTS.reduce((sum, part) => sum + lengths[part], 0);
    const response = store.rounds.get(step.round)?.response;
    const promptTokens = response === undefined ? undefined : store.steps[response]?.usage?.promptTokens;
    if (promptTokens !== undefined && whole > 0) perCharacter = promptTokens / whole;
    for (const part of CONTEXT_PARTS) lengths[part] /= Math.max(1, whole);
    rounds.set(step.round, {
      round: step.round,
      promptTokens,
      tokens: promptTokens ?? Math.ceil(whole * perCharacter),
      shares: lengths,
    });
  }
  return [...rounds.values()];
}

function nothing(): Lengths {
  return { system: 0, added: 0, tools: 0, turns: 0, results: 0 };
}

function plus(sum: Lengths, { role, length, inserted }: MessageWeight): Lengths {
  const part = role === 'system' ? 'system' : role === 'tool' ? 'results' : 'turns';
  const next = { ...sum, added: sum.added + inserted };
  next[part] += length - inserted;
  return next;
}

function clamp(at: number, sums: readonly Lengths[]): number {
  return Math.min(Math.max(0, at), sums.length - 1);
}
