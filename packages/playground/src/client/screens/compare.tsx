import type { RunStep } from '@glassloop/core';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RunSummary } from '../../protocol.ts';
import { api } from '../api.ts';
import type { CompareAnswer, CompareRow } from '../compare-traces.ts';
import { openFile } from '../file-trace.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { stepText } from '../inspector/row-text.ts';
import { followRun } from '../live.ts';
import { go, route, withQuery } from '../route.ts';
import { StatusPill } from '../steps/status.tsx';
import { totalsOf, wallTime } from '../trace/measure.ts';
import { stateOf } from '../trace/run-status.ts';
import { TraceStore } from '../trace/trace-store.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { compare } from '../workers.ts';
import { hasServer, openFiles } from './actions.ts';
import { DifferenceList } from './differences.tsx';
import { FilePicker } from './open-screen.tsx';

interface Side {
  readonly name: string;
  readonly store: TraceStore;
  readonly steps: readonly RunStep[];
}

export function Compare() {
  const sides = useSignal<readonly Side[]>([]);
  const answer = useSignal<CompareAnswer | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const hidesEqual = useSignal(false);
  const ignores = useSignal(true);
  const at = useSignal<number | undefined>(undefined);
  const { query } = route.value;
  const [a, b] = [query.get('a'), query.get('b')];
  const files = openFiles.value;

  useEffect(() => {
    const stop = new AbortController();
    const sources =
      a !== null && b !== null
        ? [() => loadRun(a, stop.signal), () => loadRun(b, stop.signal)]
        : files.length === 2
          ? files.map((file) => () => loadFile(file))
          : [];
    sides.value = [];
    answer.value = undefined;
    if (sources.length === 2) {
      Promise.all(sources.map((load) => load())).then(
        (loaded) => {
          if (!stop.signal.aborted) sides.value = loaded;
        },
        (error: unknown) => {
          fault.value = messageOf(error);
        },
      );
    }
    return () => stop.abort();
  }, [a, b, files]);
  useEffect(() => {
    const [left, right] = sides.value;
    if (left === undefined || right === undefined) return;
    compare({ a: left.steps, b: right.steps, strict: !ignores.value }).then(
      (found) => {
        answer.value = found;
        at.value = firstDifference(found);
      },
      (error: unknown) => {
        fault.value = messageOf(error);
      },
    );
  }, [sides.value, ignores.value]);

  const [left, right] = sides.value;
  if (fault.value !== undefined)
    return (
      <p class="notice error page-note" role="alert">
        {fault.value}
      </p>
    );
  if (a !== null && b === null) return <ChooseOther a={a} />;
  if (left === undefined || right === undefined) {
    return a !== null || files.length === 2 ? <p class="absent page-note">{t('loading')}</p> : <ChooseTwo />;
  }
  const found = answer.value;
  const rows = found?.rows ?? [];
  const shown = hidesEqual.value ? rows.filter((row) => row.sign !== '=') : rows;
  const current = at.value === undefined ? undefined : rows[at.value];
  return (
    <div class="page compare">
      <div class="page-head">
        <h1>{t('nav.compare')}</h1>
        <span class="spacer" />
        {a !== null && b !== null && (
          <button type="button" class="button small" onClick={() => go(withQuery({ a: b, b: a }))}>
            <Icon name="swap" />
            {t('compare.swap')}
          </button>
        )}
      </div>
      <div class="compare-heads">
        <SideHead name="A" side={left} />
        <SideHead name="B" side={right} against={left} />
      </div>
      <div class="compare-bar">
        <b role="status">
          {found === undefined
            ? t('loading')
            : found.same
              ? t('compare.same')
              : t('compare.first', { place: placeOf(found, left, right) })}
        </b>
        {found !== undefined && !found.same && (
          <button type="button" class="text-button" onClick={() => (at.value = firstDifference(found))}>
            {t('compare.jump')}
          </button>
        )}
        <span class="spacer" />
        <label class="check">
          <input
            type="checkbox"
            checked={hidesEqual.value}
            onChange={(event) => (hidesEqual.value = event.currentTarget.checked)}
          />
          {t('compare.hideEqual')}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={ignores.value}
            onChange={(event) => (ignores.value = event.currentTarget.checked)}
          />
          {t('compare.ignore')}
        </label>
      </div>
      {found !== undefined && (
        <div class="compare-body">
          <ol class="compare-rows" aria-label={t('compare.steps')}>
            <li class={found.settings.length === 0 ? 'equal' : 'differs'}>
              <button type="button" aria-pressed={at.value === -1} onClick={() => (at.value = -1)}>
                <span>{t('assembled.settings')}</span>
                <b class="sign">{found.settings.length === 0 ? '=' : '≠'}</b>
                <span>{t('assembled.settings')}</span>
              </button>
            </li>
            {shown.slice(0, 2000).map((row) => {
              const index = rows.indexOf(row);
              return (
                <li key={index} class={row.sign === '=' ? 'equal' : 'differs'}>
                  <button type="button" aria-pressed={at.value === index} onClick={() => (at.value = index)}>
                    <Cell store={left.store} index={row.a} />
                    <b class="sign">{row.sign}</b>
                    <Cell store={right.store} index={row.b} />
                  </button>
                </li>
              );
            })}
          </ol>
          <section class="compare-detail" aria-label={t('detail')}>
            {at.value === -1 ? (
              <DifferenceList differences={found.settings} />
            ) : current === undefined ? (
              <p class="absent">{t('compare.choose')}</p>
            ) : (
              <RowDetail row={current} left={left} right={right} />
            )}
          </section>
        </div>
      )}
    </div>
  );
}

function RowDetail({ row, left, right }: { row: CompareRow; left: Side; right: Side }) {
  if (row.sign === '=') return <p class="absent">{t('compare.equal')}</p>;
  if (row.sign === '≠') return <DifferenceList differences={row.differences} />;
  const only = row.sign === '−' ? left.steps[row.a!] : right.steps[row.b!];
  const difference = { path: t('step'), ...(row.sign === '−' ? { old: only } : { new: only }) };
  return (
    <>
      <p class="absent">{row.sign === '−' ? t('compare.onlyA') : t('compare.onlyB')}</p>
      <DifferenceList differences={[difference]} />
    </>
  );
}

function Cell({ store, index }: { store: TraceStore; index: number | undefined }) {
  const step = index === undefined ? undefined : store.steps[index];
  if (step === undefined) return <span />;
  const { icon, tone, name, isCode } = stepText(store, step);
  return (
    <span class="compare-cell">
      <Icon name={icon} class={`tone-${tone}`} />
      <span class={isCode ? 'mono' : undefined}>
        <VisibleText text={name} />
      </span>
      {step.round > 0 && <small>{t('context.round', { n: step.round })}</small>}
      <span class="spacer" />
      <small class="mono">{format.duration(step.durationMs)}</small>
    </span>
  );
}

function SideHead({ name, side, against }: { name: string; side: Side; against?: Side }) {
  const state = stateOf(side.store);
  const totals = totalsOf(side.store);
  const wall = wallTime(side.store).total;
  const delta = (value: number | undefined, other: number | undefined, show: (value: number) => string) =>
    value === undefined || other === undefined || value === other
      ? undefined
      : ` (${value > other ? '+' : '−'}${show(Math.abs(value - other))})`;
  const other =
    against === undefined ? undefined : { ...totalsOf(against.store), wall: wallTime(against.store).total };
  return (
    <div class="card compare-head">
      <b class="side-name">{name}</b>
      <StatusPill status={state.status} round={state.round} />
      <span class="mono" title={side.name}>
        <VisibleText text={side.name} />
      </span>
      <span class="mono">
        {t('history.rounds', { n: totals.answers })}
        {delta(totals.answers, other?.answers, format.count)}
      </span>
      <span class="mono">
        {t('tokens', { n: totals.usage.totalTokens ?? format.UNKNOWN })}
        {delta(totals.usage.totalTokens, other?.usage.totalTokens, format.count)}
      </span>
      <span class="mono">
        {format.cost(totals.usage.estimatedCost)}
        {delta(totals.usage.estimatedCost, other?.usage.estimatedCost, format.cost)}
      </span>
      <span class="mono">
        {format.duration(wall)}
        {delta(wall, other?.wall, format.duration)}
      </span>
    </div>
  );
}

function ChooseTwo() {
  return (
    <div class="empty">
      <Icon name="compare" />
      <h1>{t('nav.compare')}</h1>
      <p>{t('compare.howTo')}</p>
      <FilePicker />
      {hasServer.value && (
        <a class="button" href="#/history">
          {t('nav.history')}
        </a>
      )}
    </div>
  );
}

/** One run is chosen: with which other? */
function ChooseOther({ a }: { a: string }) {
  const runs = useSignal<readonly RunSummary[]>([]);
  useEffect(() => {
    void api.runs(new URLSearchParams()).then((page) => {
      runs.value = page.runs.filter((run) => run.id !== a);
    });
  }, [a]);
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('compare.with')}</h1>
      </div>
      {runs.value.length === 0 && <p class="absent">{t('history.nothing')}</p>}
      <ul class="runs">
        {runs.value.map((run) => (
          <li key={run.id} class="run">
            <StatusPill status={run.status} />
            <a href={`#/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(run.id)}`} dir="auto">
              <VisibleText text={run.title ?? run.prompt} />
            </a>
            <span class="run-facts">
              <time dateTime={run.startedAt}>{format.date(run.startedAt)}</time>
              <span>{run.model}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Index of the row; -1 is the row of the settings. */
function firstDifference(found: CompareAnswer): number | undefined {
  if (found.settings.length > 0) return -1;
  const index = found.rows.findIndex((row) => row.sign !== '=');
  return index < 0 ? undefined : index;
}

function placeOf(found: CompareAnswer, left: Side, right: Side): string {
  if (found.settings.length > 0) return `${t('assembled.settings')}, ${found.settings[0]!.path}`;
  const row = found.rows.find((one) => one.sign !== '=');
  if (row === undefined) return format.UNKNOWN;
  const [store, index] = row.a === undefined ? [right.store, row.b!] : [left.store, row.a];
  const step = store.steps[index]!;
  const name = stepText(store, step).name;
  return [name, step.round > 0 ? t('round.lower', { n: step.round }) : '', row.differences[0]?.path ?? '']
    .filter((part) => part !== '')
    .join(', ');
}

async function loadRun(id: string, signal: AbortSignal): Promise<Side> {
  const store = new TraceStore();
  await followRun(id, store, signal);
  return side(id, store);
}

async function loadFile(file: File): Promise<Side> {
  const opened = openFile(file);
  await opened.loaded;
  return side(file.name, opened.store);
}

async function side(name: string, store: TraceStore): Promise<Side> {
  if (store.newerVersion !== undefined) throw new Error(t('compare.newer', { name }));
  return { name, store, steps: await Promise.all(store.steps.map((step) => store.bodies.get(step.index))) };
}
