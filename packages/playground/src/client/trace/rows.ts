/** The flat list of rows that the step tree shows, made from the store. */

import type { StepFilter } from './filter.ts';
import { endOf, filterFacts, startOf, waitingSince } from './measure.ts';
import type { StepSummary } from './step-summary.ts';
import type { RunningCall, TraceStore } from './trace-store.ts';
import type { UnreadLine } from './unread.ts';

interface Placed {
  /** Stable over all events. */
  readonly key: string;
  readonly level: 1 | 2;
  readonly size: number;
  readonly position: number;
}

export type Row = Placed &
  (
    | { readonly type: 'step'; readonly step: StepSummary }
    | { readonly type: 'round'; readonly round: RoundRow }
    | { readonly type: 'waiting'; readonly round: number; readonly since: number }
    | { readonly type: 'running'; readonly call: RunningCall }
    | { readonly type: 'unread'; readonly line: UnreadLine }
  );

export interface RoundRow {
  readonly round: number;
  readonly isExpanded: boolean;
  readonly calls: number;
  readonly failures: number;
  readonly isAnswer: boolean;
  readonly tokens: number | undefined;
  /** Milliseconds from the start of the run. */
  readonly start: number;
  readonly end: number;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** Steps that the filter hides. */
  readonly hidden: number;
}

type Unplaced = Row extends infer One
  ? One extends Row
    ? Omit<One, keyof Placed> & { key: string }
    : never
  : never;

export function rowsOf(
  store: TraceStore,
  collapsed: ReadonlySet<number>,
  filter: StepFilter | undefined,
): Rows {
  const facts = filterFacts(store);
  let hidden = 0;
  const groups: { head: Unplaced | undefined; items: Unplaced[] }[] = [];
  let open: { round: number; items: Unplaced[]; steps: StepSummary[] } | undefined;
  const unread = [...store.unread];

  const close = () => {
    if (open === undefined) return;
    const isExpanded = !collapsed.has(open.round);
    const head: Unplaced = {
      type: 'round',
      key: `r${open.round}`,
      round: roundRow(store, open.round, isExpanded),
    };
    groups.push({ head, items: isExpanded ? open.items : [] });
    open = undefined;
  };
  const add = (row: Unplaced, round: number, step?: StepSummary) => {
    if (round < 1) {
      close();
      groups.push({ head: undefined, items: [row] });
      return;
    }
    if (open?.round !== round) {
      close();
      open = { round, items: [], steps: [] };
    }
    open!.items.push(row);
    if (step !== undefined) open!.steps.push(step);
  };

  for (const step of store.steps) {
    while (unread[0] !== undefined && unread[0].after <= step.index) add(unreadRow(unread.shift()!), 0);
    if (filter !== undefined && !filter(step, facts)) {
      hidden++;
      continue;
    }
    add({ type: 'step', key: `s${step.index}`, step }, step.kind === 'end' ? 0 : step.round, step);
  }
  if (filter === undefined) {
    const since = waitingSince(store);
    const round = store.steps.at(-1)?.round ?? 0;
    if (since !== undefined) add({ type: 'waiting', key: `w${round}`, round, since }, round);
    for (const call of store.running.values())
      add({ type: 'running', key: `c${call.callId}`, call }, call.round);
  }
  close();
  for (const line of unread) groups.push({ head: undefined, items: [unreadRow(line)] });
  return { rows: placed(groups), hidden };
}

function unreadRow(line: UnreadLine): Unplaced {
  return { type: 'unread', key: `u${line.line}`, line };
}

function roundRow(store: TraceStore, number: number, isExpanded: boolean): RoundRow {
  const facts = store.rounds.get(number);
  const steps = (facts?.steps ?? []).map((index) => store.steps[index]!);
  const response = facts?.response === undefined ? undefined : store.steps[facts.response];
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const step of steps) {
    start = Math.min(start, startOf(store, step));
    end = Math.max(end, endOf(store, step));
  }
  if (store.isRunning && store.steps.at(-1)?.round === number) end = store.latest - store.origin;
  return {
    round: number,
    isExpanded,
    calls: Math.max(facts?.tools.length ?? 0, response?.calls?.length ?? 0),
    failures: facts?.failures ?? 0,
    isAnswer: response !== undefined && (response.calls?.length ?? 0) === 0,
    tokens: response?.usage?.totalTokens,
    start: Number.isFinite(start) ? start : 0,
    end,
  };
}

function placed(
  groups: readonly { head: Unplaced | undefined; items: readonly Unplaced[] }[],
): readonly Row[] {
  const size = groups.length;
  return groups.flatMap(({ head, items }, index) => {
    const position = index + 1;
    if (head === undefined) return items.map((row) => ({ ...row, level: 1, size, position }) as Row);
    const inside = items.map(
      (row, at) => ({ ...row, level: 2, size: items.length, position: at + 1 }) as Row,
    );
    return [{ ...head, level: 1, size, position } as Row, ...inside];
  });
}
