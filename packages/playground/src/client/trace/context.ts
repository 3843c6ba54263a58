/** What the prompt of each round is made of. Providers count only the whole; the split is by length, and said to be. */

import type { Message, RunStep, Source } from '@glassloop/core';
import { messageText } from './step-summary.ts';
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
  /** Characters. */
  readonly length: number;
}

interface MessageWeight {
  readonly part: ContextPart;
  readonly length: number;
  /** Of `length`, what snippets and skills put there. */
  readonly added: number;
}

/** By round, in order. Reads only steps that are in memory; a step that is not counts with what its summary knows. */
export function contextByRound(store: TraceStore): readonly RoundContext[] {
  const log: MessageWeight[] = [];
  let toolLength = 0;
  const rounds = new Map<number, Omit<RoundContext, 'tokens'>>();
  for (const summary of store.steps) {
    if (summary.kind !== 'assembled' && summary.kind !== 'request') continue;
    const step = inMemory(store, summary.index);
    if (step?.kind === 'assembled') {
      toolLength = JSON.stringify(step.tools).length;
      log.push(...step.added.map((message, index) => weigh(message, index, step.sources)));
    } else if (step?.kind === 'request') {
      log.push(...step.added.map((message, index) => weigh(message, index, [])));
    } else {
      log.push(...(summary.added ?? []).map((role) => ({ part: partOf(role), length: 0, added: 0 })));
    }
    if (summary.kind !== 'request') continue;
    const response = store.rounds.get(summary.round)?.response;
    const usage = response === undefined ? undefined : store.steps[response]?.usage;
    const weights = (summary.sent ?? []).flatMap(([start, end]) => log.slice(start, end));
    rounds.set(summary.round, {
      round: summary.round,
      promptTokens: usage?.promptTokens,
      ...shares(weights, (summary.tools ?? 0) > 0 ? toolLength : 0),
    });
  }
  return withEstimates([...rounds.values()]);
}

function withEstimates(rounds: readonly Omit<RoundContext, 'tokens'>[]): readonly RoundContext[] {
  let perCharacter = 1 / 4;
  return rounds.map((round) => {
    if (round.promptTokens !== undefined && round.length > 0)
      perCharacter = round.promptTokens / round.length;
    return { ...round, tokens: round.promptTokens ?? Math.ceil(round.length * perCharacter) };
  });
}

function inMemory(store: TraceStore, index: number): RunStep | undefined {
  const body = store.bodies.get(index);
  return body instanceof Promise ? undefined : body;
}

function weigh(message: Message, index: number, sources: readonly Source[]): MessageWeight {
  const length =
    messageText(message).length +
    (message.role === 'assistant' ? JSON.stringify(message.toolCalls).length : 0);
  const added = sources
    .filter((source) => source.message === index && (source.kind === 'snippet' || source.kind === 'skill'))
    .reduce(
      (sum, source) => sum + (source.range === undefined ? length : source.range[1] - source.range[0]),
      0,
    );
  return { part: partOf(message.role), length, added: Math.min(added, length) };
}

function partOf(role: Message['role']): ContextPart {
  if (role === 'system') return 'system';
  return role === 'tool' ? 'results' : 'turns';
}

function shares(
  weights: readonly MessageWeight[],
  toolLength: number,
): Pick<RoundContext, 'shares' | 'length'> {
  const sums = { system: 0, added: 0, tools: toolLength, turns: 0, results: 0 };
  for (const { part, length, added } of weights) {
    sums[part] += length - added;
    sums.added += added;
  }
  const length = CONTEXT_PARTS.reduce((sum, part) => sum + sums[part], 0);
  const whole = length === 0 ? 1 : length;
  const split = Object.fromEntries(CONTEXT_PARTS.map((part) => [part, sums[part] / whole]));
  return { shares: split as RoundContext['shares'], length };
}
