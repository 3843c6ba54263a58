import { align, EQUAL, type Pair } from './align.ts';
import { digestOf } from './digest.ts';
import type { TraceIndex } from './trace-index.ts';

/**
 * Which steps belong together: first rounds by what happened in them, then the steps of each by kind, tool and order.
 * Group by group: what comes before the rounds, the rounds, the end.
 */
export function* alignSteps(a: TraceIndex, b: TraceIndex): Generator<readonly Pair[]> {
  const olds = new Rounds(a);
  const news = new Rounds(b);
  yield pairSteps(a, b, olds.head, news.head);
  for (const [old, fresh] of alignRounds(olds, news)) {
    yield pairSteps(a, b, old < 0 ? [] : olds.steps(old), fresh < 0 ? [] : news.steps(fresh));
  }
  yield pairSteps(a, b, olds.end, news.end);
}

function* alignRounds(olds: Rounds, news: Rounds): Generator<Pair> {
  const [oldShapes, newShapes] = [olds.shapes(), news.shapes()];
  if (olds.count === news.count && oldShapes.every((shape, at) => shape === newShapes[at])) {
    // Runs of the same shape are compared round by round, whatever was said in them.
    for (let at = 0; at < olds.count; at++) yield [at, at];
    return;
  }
  yield* align({
    olds: olds.digests(),
    news: news.digests(),
    similarity: (old, fresh) => (oldShapes[old] === newShapes[fresh] ? EQUAL - 1 : 1),
  });
}

/** The steps of a trace by rounds, as indexes. */
class Rounds {
  readonly #trace: TraceIndex;

  constructor(trace: TraceIndex) {
    this.#trace = trace;
  }

  get count(): number {
    return this.#trace.rounds.length;
  }

  get head(): number[] {
    return this.#between(0, this.#start(0)).filter((index) => !this.#isEnd(index));
  }

  get end(): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#trace.length; index++) if (this.#isEnd(index)) found.push(index);
    return found;
  }

  /** Tools in the order of their calls: they are recorded as they end, and the same calls may end in another order. */
  steps(round: number): number[] {
    const { callPlaces } = this.#trace.steps;
    const indexes = this.#between(this.#start(round), this.#start(round + 1));
    const steps = indexes.filter((index) => !this.#isEnd(index));
    const tools = steps.filter((index) => this.#isTool(index));
    if (tools.length < 2) return steps;
    // Those of unknown place come last; the sort keeps their order.
    const ordered = tools.toSorted((left, right) => callPlaces.at(left) - callPlaces.at(right));
    let next = 0;
    return steps.map((index) => (this.#isTool(index) ? ordered[next++]! : index));
  }

  /** Of each round, a digest of what happened, whatever was said. */
  shapes(): Float64Array {
    return this.#each((index) => this.#trace.labels[this.#trace.steps.labels.at(index)]);
  }

  /** Of each round, a digest of its steps. */
  digests(): Float64Array {
    return this.#each((index) => this.#trace.steps.digests.at(index));
  }

  #each(of: (index: number) => unknown): Float64Array {
    return Float64Array.from({ length: this.count }, (_, round) => digestOf(this.steps(round).map(of)));
  }

  #start(round: number): number {
    return round < this.count ? this.#trace.rounds.at(round) : this.#trace.length;
  }

  #between(start: number, end: number): number[] {
    return Array.from({ length: end - start }, (_, at) => start + at);
  }

  #isTool(index: number): boolean {
    return kindOf(this.#trace, index) === 'tool';
  }

  #isEnd(index: number): boolean {
    return kindOf(this.#trace, index) === 'end';
  }
}

function kindOf({ labels, steps }: TraceIndex, index: number): string {
  return labels[steps.labels.at(index)]!.kind;
}

function pairSteps(
  a: TraceIndex,
  b: TraceIndex,
  olds: readonly number[],
  news: readonly number[],
): readonly Pair[] {
  const oldKeys = keysOf(a, olds);
  const newKeys = keysOf(b, news);
  const places = new Map(newKeys.map((key, place) => [key, place]));
  const known = new Set(oldKeys);
  const pairs: Pair[] = [];
  let told = 0;
  const tellUnpaired = (end: number) => {
    for (; told < end; told++) if (!known.has(newKeys[told]!)) pairs.push([-1, news[told]!]);
  };
  for (const [place, key] of oldKeys.entries()) {
    const partner = places.get(key);
    if (partner !== undefined) tellUnpaired(partner);
    pairs.push([olds[place]!, partner === undefined ? -1 : news[partner]!]);
  }
  tellUnpaired(news.length);
  return pairs;
}

/** A key for each step that no other step of the round has: kind, tool, and the how-many-eth it is. */
function keysOf({ labels, steps }: TraceIndex, indexes: readonly number[]): string[] {
  const counts = new Map<string, number>();
  return indexes.map((index) => {
    const { kind, tool = '' } = labels[steps.labels.at(index)]!;
    const base = `${kind} ${tool}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return `${base} ${count}`;
  });
}
