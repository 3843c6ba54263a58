/** One open trace as the page shows it: what is selected, filtered, collapsed, followed. The store knows none of this. */

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { AnswerTimes, BlobRef, ReportData } from '../protocol.ts';
import type { Tail } from './follow-file.ts';
import { type Fold, foldsOf, placeOf, type Stretch, wholeOf } from './trace/axis.ts';
import { parseFilter, type StepFilter } from './trace/filter.ts';
import { idleGaps } from './trace/measure.ts';
import { type Row, type Rows, rowsOf } from './trace/rows.ts';
import type { TraceStore } from './trace/trace-store.ts';

export type TraceOrigin =
  | { readonly kind: 'run'; readonly id: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      /** Bytes; absent while it may grow. */
      readonly size?: number;
      /** As it is now. */
      readonly file: () => File | Promise<File>;
    }
  | { readonly kind: 'report'; readonly data: ReportData };

/** What only a server can tell of a run. */
export interface RunServer {
  blob(ref: BlobRef): Promise<string>;
  answerTimes(model: string): Promise<AnswerTimes>;
}

export type Panel = 'steps' | 'detail' | 'context';

/** One and the same, so that nothing is drawn again for it. */
const NOTHING: readonly never[] = [];

export class Inspection {
  readonly store: TraceStore;
  readonly origin: TraceOrigin;
  /** Grows at most once a frame, whatever number of events came. */
  readonly version = signal(0);
  /** Grows ten times a second while the run goes on: for elapsed times and bars that grow. */
  readonly clock = signal(0);
  /** Key of a row. */
  readonly selected = signal<string | undefined>(undefined);
  readonly follow = signal(false);
  readonly filterText = signal('');
  readonly collapsed = signal<ReadonlySet<number>>(new Set());
  /** Places on the axis; undefined: the whole run. */
  readonly zoom = signal<Stretch | undefined>(undefined);
  readonly panel = signal<Panel>('steps');
  /** Tab by kind of row: stays while stepping. */
  readonly tabs = signal<{ readonly [kind: string]: string }>({});
  /** Steps that came since the reader stopped following. */
  readonly news = signal(0);
  readonly isStopping = signal(false);
  /** 0 to 1 while a file is being read. */
  readonly progress = signal<number | undefined>(undefined);
  /** Of a file that is followed, or was. */
  tail: Tail | undefined;
  /** Resolves when the file is read to its end, or cannot be read any further. */
  loaded: Promise<void> = Promise.resolve();
  readonly server: RunServer | undefined;
  /** How long answers of this run's model usually take; once somebody asked. */
  readonly usual = signal<AnswerTimes | undefined>(undefined);
  /** Long stretches in which nothing happened. */
  readonly gaps: ReadonlySignal<readonly Stretch[]>;
  /** Whether they are drawn short; only ever by the reader's wish. */
  readonly foldsGaps = signal(false);
  readonly folds: ReadonlySignal<readonly Fold[]>;
  readonly filter: ReadonlySignal<StepFilter | undefined>;
  readonly rows: ReadonlySignal<Rows>;

  #frame: number | undefined;
  #seenSteps = 0;
  #hasAsked = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #stop = new AbortController();

  constructor(store: TraceStore, origin: TraceOrigin, server?: RunServer) {
    this.store = store;
    this.origin = origin;
    this.server = server;
    this.filter = computed(() => parseFilter(this.filterText.value));
    this.rows = computed(() => {
      this.version.value;
      return rowsOf(this.store, this.collapsed.value, this.filter.value);
    });
    this.gaps = computed(() => {
      this.version.value;
      const gaps = idleGaps(this.store);
      return gaps.length === 0 ? NOTHING : gaps;
    });
    this.folds = computed(() => (this.foldsGaps.value ? foldsOf(this.gaps.value, this.#duration) : NOTHING));
    store.onChange(() => this.#schedule());
    this.#publish();
  }

  /** Aborts when the inspection is closed. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  close(): void {
    this.#stop.abort();
    clearInterval(this.#timer);
  }

  get whole(): Stretch {
    return wholeOf(placeOf(this.#duration, this.folds.value));
  }

  get #duration(): number {
    return this.store.latest - this.store.origin;
  }

  row(key: string | undefined = this.selected.value): Row | undefined {
    return key === undefined ? undefined : this.rows.value.rows.find((row) => row.key === key);
  }

  /** Asks once how long one usually waits. */
  askUsual(): void {
    if (this.#hasAsked || this.store.steps[0]?.kind !== 'assembled') return;
    const first = this.store.bodies.get(0);
    if (first instanceof Promise || first.kind !== 'assembled') return;
    this.#hasAsked = true;
    this.server?.answerTimes(first.settings.model).then(
      (times) => (this.usual.value = times),
      // Without it one waits just the same.
      () => {},
    );
  }

  /** The reader chose a row: from here on their place is theirs. */
  select(key: string | undefined, isReader = true): void {
    if (isReader) this.stopFollowing();
    if (key !== this.selected.value) this.selected.value = key;
  }

  /** Selects a step wherever it is: unhides it when a filter or a collapsed round hides it. */
  reveal(index: number): void {
    const step = this.store.steps[index];
    if (step === undefined) return;
    const key = `s${index}`;
    if (this.collapsed.value.has(step.round)) this.toggleRound(step.round, true);
    if (this.row(key) === undefined) this.filterText.value = '';
    this.select(key);
  }

  /** Selects the row `by` places away. */
  move(by: number): void {
    const { rows } = this.rows.value;
    if (rows.length === 0) return;
    const at = rows.findIndex((row) => row.key === this.selected.value);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
    this.select(rows[next]!.key);
  }

  /** Selects the next row, from the selected one on, for which `is` holds; false when there is none. */
  moveTo(is: (row: Row) => boolean, direction: 1 | -1): boolean {
    const { rows } = this.rows.value;
    const at = rows.findIndex((row) => row.key === this.selected.value);
    const from = at < 0 ? (direction > 0 ? -1 : rows.length) : at;
    for (let index = from + direction; index >= 0 && index < rows.length; index += direction) {
      if (!is(rows[index]!)) continue;
      this.select(rows[index]!.key);
      return true;
    }
    return false;
  }

  toggleRound(round: number, isExpanded?: boolean): void {
    const collapsed = new Set(this.collapsed.value);
    const expand = isExpanded ?? collapsed.has(round);
    if (expand) collapsed.delete(round);
    else collapsed.add(round);
    this.collapsed.value = collapsed;
    if (!expand && this.row() === undefined && this.selected.value !== undefined)
      this.selected.value = `r${round}`;
  }

  setTab(kind: string, tab: string): void {
    this.tabs.value = { ...this.tabs.value, [kind]: tab };
  }

  startFollowing(): void {
    this.follow.value = true;
    this.news.value = 0;
    this.#selectLast();
  }

  stopFollowing(): void {
    if (!this.follow.value) return;
    this.follow.value = false;
    this.#seenSteps = this.store.steps.length;
  }

  #schedule(): void {
    if (this.#frame !== undefined) return;
    // A hidden tab has no frames, and nothing to paint; a timer keeps the state fresh there.
    if (document.hidden) {
      const timer = setTimeout(() => this.#publish(), 250);
      this.#frame = timer as unknown as number;
    } else this.#frame = requestAnimationFrame(() => this.#publish());
  }

  #publish(): void {
    this.#frame = undefined;
    this.version.value++;
    this.#keepSelection();
    if (this.follow.value) this.#selectLast();
    else if (this.#seenSteps > 0) this.news.value = Math.max(0, this.store.steps.length - this.#seenSteps);
    if (this.store.isRunning && this.#timer === undefined) {
      this.#timer = setInterval(() => {
        this.clock.value++;
        if (!this.store.isRunning) this.#endClock();
      }, 100);
    }
    if (!this.store.isRunning) this.#endClock();
  }

  #endClock(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.isStopping.value = false;
  }

  #selectLast(): void {
    const last = this.rows.value.rows.findLast((row) => row.type !== 'round' && row.type !== 'unread');
    if (last !== undefined) this.selected.value = last.key;
  }

  /** A waiting or running row that was selected became a step: the selection goes with it. */
  #keepSelection(): void {
    const key = this.selected.value;
    if (key === undefined || this.row(key) !== undefined) return;
    if (key.startsWith('w')) {
      const facts = this.store.rounds.get(Number(key.slice(1)));
      const step = facts?.response ?? facts?.steps.at(-1);
      if (step !== undefined) this.selected.value = `s${step}`;
    } else if (key.startsWith('c')) {
      const step = this.store.steps.findLast((one) => one.callId === key.slice(1));
      if (step !== undefined) this.selected.value = `s${step.index}`;
    }
  }
}
