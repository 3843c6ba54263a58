import { align, EQUAL, type Pair } from './align.ts';
import { digestOf } from './digest.ts';
import type { StepEntry, TraceIndex } from './trace-index.ts';

/** Steps of one round, as indexes; those of tools in the order of their calls. */
interface Round {
  readonly steps: readonly number[];
  /** A digest of what happened, whatever was said. */
  readonly shape: number;
  readonly digest: number;
}

/** Which steps belong together: first rounds by what happened in them, then the steps of each by kind, tool and order. */
export function alignSteps(a: TraceIndex, b: TraceIndex): readonly Pair[] {
  const olds = partsOf(a);
  const news = partsOf(b);
  // Columns, because the score is asked for every pair of rounds.
  const oldDigests = olds.rounds.map(({ digest }) => digest);
  const newDigests = news.rounds.map(({ digest }) => digest);
  const oldShapes = olds.rounds.map(({ shape }) => shape);
  const newShapes = news.rounds.map(({ shape }) => shape);
  // Runs of the same shape are compared round by round, whatever was said in them.
  const isSameShape =
    oldShapes.length === newShapes.length && oldShapes.every((shape, at) => shape === newShapes[at]);
  const rounds = align(olds.rounds.length, news.rounds.length, (old, fresh) =>
    isSameShape || oldDigests[old] === newDigests[fresh]
      ? EQUAL
      : oldShapes[old] === newShapes[fresh]
        ? EQUAL - 1
        : 1,
  );
  return [
    ...pairSteps(a, b, olds.head, news.head),
    ...rounds.flatMap(([old, fresh]) =>
      pairSteps(a, b, olds.rounds[old]?.steps ?? [], news.rounds[fresh]?.steps ?? []),
    ),
    ...pairSteps(a, b, olds.end, news.end),
  ];
}

/** Before the first request, the rounds, and the end. */
function partsOf({ entries }: TraceIndex): { head: number[]; rounds: Round[]; end: number[] } {
  const head: number[] = [];
  const end: number[] = [];
  const groups: number[][] = [];
  let current: number | undefined;
  for (const [index, { kind, round }] of entries.entries()) {
    if (kind === 'end') end.push(index);
    else if (groups.length === 0 && kind !== 'request' && kind !== 'response' && kind !== 'tool')
      head.push(index);
    else if (round === current) groups.at(-1)!.push(index);
    else groups.push([index]);
    if (groups.length > 0 && kind !== 'end') current = round;
  }
  return { head, end, rounds: groups.map((steps) => roundOf(entries, steps)) };
}

function roundOf(entries: readonly StepEntry[], indexes: readonly number[]): Round {
  const steps = inCallOrder(entries, indexes);
  return {
    steps,
    shape: digestOf(steps.map((index) => `${entries[index]!.kind} ${entries[index]!.label}`)),
    digest: digestOf(steps.map((index) => entries[index]!.digest)),
  };
}

/** Tool steps are recorded when their call ends; the same calls may end in another order. */
function inCallOrder(entries: readonly StepEntry[], indexes: readonly number[]): number[] {
  const tools = indexes.filter((index) => entries[index]!.kind === 'tool');
  const position = (index: number) =>
    entries[index]!.callPlace ?? Number.MAX_SAFE_INTEGER - entries.length + index;
  const ordered = tools.toSorted((left, right) => position(left) - position(right));
  let next = 0;
  return indexes.map((index) => (entries[index]!.kind === 'tool' ? ordered[next++]! : index));
}

function pairSteps(
  a: TraceIndex,
  b: TraceIndex,
  olds: readonly number[],
  news: readonly number[],
): readonly Pair[] {
  const oldKeys = keysOf(a.entries, olds);
  const newKeys = keysOf(b.entries, news);
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
function keysOf(entries: readonly StepEntry[], indexes: readonly number[]): string[] {
  const counts = new Map<string, number>();
  return indexes.map((index) => {
    const { kind, label } = entries[index]!;
    const base = kind === 'tool' ? `tool ${label}` : kind;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return `${base} ${count}`;
  });
}
