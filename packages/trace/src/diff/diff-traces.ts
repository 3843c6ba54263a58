import type { Range, RunStep } from '@glassloop/core';
import { align } from './align.ts';
import { alignSteps } from './align-steps.ts';
import { comparableMessage, comparableStep, type DiffOptions } from './comparable.ts';
import { type Difference, differencesBetween } from './difference.ts';
import { digestOf } from './digest.ts';
import { indexSteps, listOf, type StepLabel, type TraceIndex } from './trace-index.ts';

/** One step that is not the same in both traces. */
export interface StepDifference {
  readonly change: 'changed' | 'removed' | 'added';
  readonly kind: RunStep['kind'];
  /** Of the old step, or of the new one where there is no old. */
  readonly round: number;
  /** Of a tool step: the tool. */
  readonly tool?: string;
  /** Index into the steps of the old trace; absent for an added step. */
  readonly oldIndex?: number;
  /** Index into the steps of the new trace; absent for a removed step. */
  readonly newIndex?: number;
  /** The fields that differ; empty for a step that only one trace has. */
  readonly differences: readonly Difference[];
  /** The step that only one trace has. */
  readonly step?: RunStep;
}

export interface TraceDiff {
  readonly same: boolean;
  /** Model, options, rounds and tools: what was asked of the two runs. */
  readonly settings: readonly Difference[];
  /** The steps that differ, in the order of the runs. */
  readonly steps: readonly StepDifference[];
}

/**
 * What is different between two runs, the first difference first. Clock times, ids, signatures and opaque provider
 * state do not count unless asked for. A message is compared where it first appears, not in every request that
 * repeats it. Takes steps, or an index of a file (`indexTraceFile` of "@glassloop/trace/file").
 */
export function diffTraces(
  a: readonly RunStep[] | TraceIndex,
  b: readonly RunStep[] | TraceIndex,
  options: DiffOptions = {},
): TraceDiff {
  const settings: Difference[] = [];
  const steps: StepDifference[] = [];
  for (const found of traceDifferences(a, b, options)) {
    if ('settings' in found) settings.push(...found.settings);
    else steps.push(found);
  }
  return { same: settings.length === 0 && steps.length === 0, settings, steps };
}

/** The same one by one, for traces whose differences do not fit into memory; settings come first, if they differ. */
export function* traceDifferences(
  a: readonly RunStep[] | TraceIndex,
  b: readonly RunStep[] | TraceIndex,
  options: DiffOptions = {},
): Generator<{ readonly settings: readonly Difference[] } | StepDifference> {
  yield* new Comparison(indexed(a, options), indexed(b, options), options).run();
}

function indexed(trace: readonly RunStep[] | TraceIndex, options: DiffOptions): TraceIndex {
  return 'load' in trace ? trace : indexSteps(trace, options);
}

class Comparison {
  readonly #a: TraceIndex;
  readonly #b: TraceIndex;
  readonly #options: DiffOptions;
  /** Of each old message the new one it was paired with, and of each old step; -1: none. */
  readonly #partners: Int32Array;
  readonly #stepPartners: Int32Array;
  readonly #pairedMessages: Uint8Array;
  readonly #pairedSteps: Uint8Array;
  /** Whether all messages so far were paired with the one of the same index. */
  #inStep = true;
  /** Digests of the differences of requests as sent, each told once: a body repeats the conversation. */
  readonly #told = new Set<number>();

  constructor(a: TraceIndex, b: TraceIndex, options: DiffOptions) {
    this.#a = a;
    this.#b = b;
    this.#options = options;
    this.#partners = new Int32Array(a.messages.digests.length).fill(-1);
    this.#stepPartners = new Int32Array(a.length).fill(-1);
    this.#pairedMessages = new Uint8Array(b.messages.digests.length);
    this.#pairedSteps = new Uint8Array(b.length);
  }

  *run(): Generator<{ readonly settings: readonly Difference[] } | StepDifference> {
    for (const group of alignSteps(this.#a, this.#b)) {
      for (const [old, fresh] of group) {
        if (old < 0 || fresh < 0) continue;
        this.#stepPartners[old] = fresh;
        this.#pairedSteps[fresh] = 1;
      }
      for (const [old, fresh] of group) {
        if (old < 0 || fresh < 0) yield this.#oneSided(old, fresh);
        else yield* this.#changed(old, fresh);
      }
    }
  }

  *#changed(
    old: number,
    fresh: number,
  ): Generator<{ readonly settings: readonly Difference[] } | StepDifference> {
    const differences = this.#compare(old, fresh);
    if (differences.length === 0) return;
    const { kind, tool } = labelOf(this.#a, old);
    const settings = kind === 'assembled' ? differences.filter(({ path }) => isSetting(path)) : [];
    if (settings.length > 0) yield { settings };
    const rest = settings.length === 0 ? differences : differences.filter(({ path }) => !isSetting(path));
    if (rest.length === 0) return;
    yield {
      change: 'changed',
      kind,
      round: this.#a.load(old).round,
      ...(tool === undefined ? {} : { tool }),
      oldIndex: old,
      newIndex: fresh,
      differences: rest,
    };
  }

  #oneSided(old: number, fresh: number): StepDifference {
    const isRemoved = fresh < 0;
    const trace = isRemoved ? this.#a : this.#b;
    const index = isRemoved ? old : fresh;
    const { kind, tool } = labelOf(trace, index);
    const step = trace.load(index);
    if (messagesOf(trace, index) > 0) this.#inStep = false;
    return {
      change: isRemoved ? 'removed' : 'added',
      kind,
      round: step.round,
      ...(tool === undefined ? {} : { tool }),
      ...(isRemoved ? { oldIndex: old } : { newIndex: fresh }),
      differences: [],
      step,
    };
  }

  #compare(old: number, fresh: number): Difference[] {
    const found = this.#compareMessages(old, fresh);
    if (this.#a.steps.digests.at(old) !== this.#b.steps.digests.at(fresh)) {
      const before = comparableStep(this.#a.load(old), this.#options);
      const after = comparableStep(this.#b.load(fresh), this.#options);
      found.push(...this.#fields(before, after));
    }
    if (labelOf(this.#a, old).kind === 'request') found.push(...this.#compareSent(old, fresh));
    return found;
  }

  #fields(before: Record<string, unknown>, after: Record<string, unknown>): Difference[] {
    const { tools: oldTools, ...oldRest } = before;
    const { tools: newTools, ...newRest } = after;
    const found = [...differencesBetween(oldRest, newRest), ...toolDifferences(oldTools, newTools)];
    // What was sent and captured repeats the conversation of all rounds before it.
    return found.filter((difference) => {
      if (!difference.path.startsWith('metadata._wire')) return true;
      const key = digestOf(difference);
      const isNew = !this.#told.has(key);
      this.#told.add(key);
      return isNew;
    });
  }

  #compareMessages(old: number, fresh: number): Difference[] {
    const [olds, news] = [this.#a.messages, this.#b.messages];
    const [firstOld, firstNew] = [this.#a.steps.firstMessages.at(old), this.#b.steps.firstMessages.at(fresh)];
    const pairs = align({
      olds: digestsOf(this.#a, old),
      news: digestsOf(this.#b, fresh),
      similarity: (i, j) => (olds.roles.at(firstOld + i) === news.roles.at(firstNew + j) ? 2 : 0),
    });
    const found: Difference[] = [];
    for (const [i, j] of pairs) {
      const oldAt = firstOld + i;
      const newAt = firstNew + j;
      if (i >= 0 && j >= 0) {
        this.#partners[oldAt] = newAt;
        this.#pairedMessages[newAt] = 1;
      }
      if (i < 0 || j < 0 || oldAt !== newAt) this.#inStep = false;
      if (i >= 0 && j >= 0 && olds.digests.at(oldAt) === news.digests.at(newAt)) continue;
      if (
        this.#isTold(i < 0 ? undefined : olds.origins.at(oldAt), j < 0 ? undefined : news.origins.at(newAt))
      )
        continue;
      const before = i < 0 ? undefined : this.#message('a', old, i);
      const after = j < 0 ? undefined : this.#message('b', fresh, j);
      const path = `added[${j < 0 ? i : j}]`;
      if (before === undefined) found.push({ path, new: after });
      else if (after === undefined) found.push({ path, old: before });
      else found.push(...differencesBetween(before, after, path));
    }
    return found;
  }

  /** By origins; undefined: the message is not there. Whether the messages repeat steps that were compared with one another, or a step that only one trace has. */
  #isTold(old: number | undefined, fresh: number | undefined): boolean {
    if (old === undefined) return fresh !== undefined && fresh >= 0 && this.#pairedSteps[fresh] === 0;
    if (old < 0) return false;
    const partner = this.#stepPartners[old]!;
    return fresh === undefined ? partner < 0 : partner >= 0 && partner === fresh;
  }

  #message(side: 'a' | 'b', step: number, index: number): unknown {
    const loaded = (side === 'a' ? this.#a : this.#b).load(step);
    if (loaded.kind !== 'assembled' && loaded.kind !== 'request') return undefined;
    return comparableMessage(listOf(loaded.added)[index]!, this.#options);
  }

  /** Whether both requests sent the same stretch of the conversation; messages that only one trace has do not count here. */
  #compareSent(old: number, fresh: number): Difference[] {
    if (this.#a.steps.sentWhole.at(old) === 1 && this.#b.steps.sentWhole.at(fresh) === 1) return [];
    const [before, after] = [sentBy(this.#a.load(old)), sentBy(this.#b.load(fresh))];
    if (this.#inStep && sameRanges(before, after)) return [];
    const sentBefore = expand(before)
      .map((index) => this.#partners[index] ?? -1)
      .filter((index) => index >= 0);
    const sentAfter = expand(after).filter((index) => this.#pairedMessages[index] === 1);
    const isSame =
      sentBefore.length === sentAfter.length &&
      sentBefore.every((index, place) => index === sentAfter[place]);
    return isSame ? [] : [{ path: 'sent', old: before, new: after }];
  }
}

function isSetting(path: string): boolean {
  return /^(settings|tools)\b/.test(path);
}

function labelOf({ labels, steps }: TraceIndex, index: number): StepLabel {
  return labels[steps.labels.at(index)]!;
}

/** How many messages a step has of its own. */
function messagesOf({ length, steps, messages }: TraceIndex, index: number): number {
  const next = index + 1 < length ? steps.firstMessages.at(index + 1) : messages.digests.length;
  return next - steps.firstMessages.at(index);
}

function digestsOf(trace: TraceIndex, index: number): Float64Array {
  const first = trace.steps.firstMessages.at(index);
  const digests = new Float64Array(messagesOf(trace, index));
  for (let at = 0; at < digests.length; at++) digests[at] = trace.messages.digests.at(first + at);
  return digests;
}

function sentBy(step: RunStep): readonly Range[] {
  return step.kind === 'request' ? listOf(step.sent).filter(Array.isArray) : [];
}

function sameRanges(a: readonly Range[], b: readonly Range[]): boolean {
  return (
    a.length === b.length && a.every(([start, end], index) => start === b[index]![0] && end === b[index]![1])
  );
}

/** The indexes that ranges stand for. */
function expand(ranges: readonly Range[]): number[] {
  return ranges.flatMap(([start, end]) =>
    Array.from({ length: Math.max(0, Math.min(end - start, 1_000_000)) }, (_, index) => start + index),
  );
}

/** Tools by name, so that one tool more does not make all behind it differ; then their order. */
function toolDifferences(before: unknown, after: unknown): Difference[] {
  const [olds, news] = [namedTools(before), namedTools(after)];
  if (olds === undefined || news === undefined) return differencesBetween(before, after, 'tools');
  const found: Difference[] = [];
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    found.push(...differencesBetween(olds.get(name), news.get(name), `tools[${JSON.stringify(name)}]`));
  }
  const shared = (tools: Map<string, unknown>, others: Map<string, unknown>) =>
    [...tools.keys()].filter((name) => others.has(name));
  const [oldOrder, newOrder] = [shared(olds, news), shared(news, olds)];
  if (oldOrder.some((name, index) => name !== newOrder[index])) {
    found.push({ path: 'tools', old: oldOrder, new: newOrder });
  }
  return found;
}

function namedTools(tools: unknown): Map<string, unknown> | undefined {
  if (!Array.isArray(tools)) return undefined;
  const named = new Map<string, unknown>(
    tools.map((tool) => [String((tool as { name?: unknown } | null)?.name), tool]),
  );
  return named.size === tools.length ? named : undefined;
}
