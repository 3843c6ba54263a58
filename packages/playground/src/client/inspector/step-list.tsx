import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { focusesSteps } from '../screens/actions.ts';
import { type Stretch, ticksOf, timeAt, zoomed } from '../trace/axis.ts';
import { hasRule, toggleRule } from '../trace/filter.ts';
import type { Row } from '../trace/rows.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { useVirtual } from '../ui/virtual.ts';
import { ContextPanel } from './context-panel.tsx';
import { IdleGaps } from './idle-gaps.tsx';
import { spoken } from './row-text.ts';
import { RowContent } from './step-row.tsx';

/** Pixels, as the stylesheet has them. */
const ROW = { step: 30, round: 27 };
const STACKED_ROW = { step: 50, round: 32 };
const STACKED_BELOW = 480;
/** More than there are rows in sight. */
const SLOTS = 128;

export function StepList() {
  const inspection = useInspection();
  const { rows, hidden } = inspection.rows.value;
  const filter = inspection.filterText.value;
  return (
    <section class="steps" aria-label={t('steps')} id="steps">
      <FilterBar />
      <IdleGaps />
      {rows.length === 0 && hidden > 0 ? (
        <div class="empty">
          <p>{t('filter.nothing', { filter })}</p>
          <p class="muted">{t('filter.hidden', { n: hidden })}</p>
          <button type="button" class="button" onClick={() => (inspection.filterText.value = '')}>
            {t('filter.clear')}
          </button>
        </div>
      ) : (
        <Tree rows={rows} />
      )}
      <News />
      <ContextPanel />
    </section>
  );
}

function FilterBar() {
  const inspection = useInspection();
  const { store } = inspection;
  inspection.version.value;
  const text = inspection.filterText.value;
  const count = (kind: string) => store.steps.filter((step) => step.kind === kind).length;
  const failed = store.steps.filter((step) => step.failed).length;
  const chips = [
    ['kind:request', t('step.request'), count('request'), 'request'],
    ['kind:response', t('chip.model'), count('response'), 'model'],
    ['kind:tool', t('chip.tool'), count('tool'), 'tool'],
    ['err', t('chip.errors'), failed, 'error'],
  ] as const;
  return (
    <div class="filter-bar">
      <label class="field-with-icon">
        <Icon name="find" />
        <span class="visually-hidden">{t('filter.label')}</span>
        <input
          id="filter"
          type="search"
          placeholder={t('filter.placeholder')}
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            inspection.stopFollowing();
            inspection.filterText.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="segments chips-of-kinds" role="group" aria-label={t('filter.kinds')}>
        {chips.map(([rule, label, n, tone]) => (
          <button
            key={rule}
            type="button"
            aria-pressed={hasRule(text, rule)}
            aria-label={`${label} ${format.count(n)}`}
            onClick={() => {
              inspection.stopFollowing();
              inspection.filterText.value = toggleRule(text, rule);
            }}
          >
            <i class={`swatch fill-${tone}`} />
            <span class="chip-label">{label}</span> {format.count(n)}
          </button>
        ))}
      </div>
    </div>
  );
}

function Tree({ rows }: { rows: readonly Row[] }) {
  const inspection = useInspection();
  const { store } = inspection;
  const scroller = useRef<HTMLDivElement>(null);
  const [isStacked, setStacked] = useState(false);
  const selected = inspection.selected.value;
  const at = rows.findIndex((row) => row.key === selected);
  const heights = isStacked ? STACKED_ROW : ROW;
  const keyOf = useCallback((index: number) => rows[index]?.key ?? String(index), [rows, isStacked]);
  const virtual = useVirtual({
    count: rows.length,
    rowHeight: (index) => (rows[index]?.type === 'round' ? heights.round : heights.step),
    keyOf,
    scroller,
    keep: at,
  });
  const isFollowing = inspection.follow.value;
  const shown = useShownStretch();

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setStacked(element.clientWidth < STACKED_BELOW));
    observer.observe(element);
    if (focusesSteps.value) element.focus();
    focusesSteps.value = false;
    return () => observer.disconnect();
  }, []);

  // A row that was selected by a key comes into sight; an event of the run moves nothing.
  const lastKey = useRef(selected);
  useLayoutEffect(() => {
    if (at >= 0 && (selected !== lastKey.current || isFollowing)) virtual.scrollTo(at);
    lastKey.current = selected;
  }, [selected, isFollowing, rows.length, isStacked]);

  const length = shown.to - shown.from;
  const folds = inspection.folds.value;
  const ticks = ticksOf(shown, folds);
  // Across a fold the distance says nothing about how fine the axis is.
  const stepMs = Math.min(length, ...ticks.slice(1).map(({ time }, index) => time - ticks[index]!.time));
  const inSeconds = (ticks.at(-1)?.time ?? 0) >= 1000;
  const label = (tick: number, isLast: boolean) => {
    const text = format.axisTick(tick, stepMs, inSeconds);
    return isLast ? `${text} ${t(inSeconds ? 'unit.seconds' : 'unit.milliseconds')}` : text;
  };
  const axis = { '--from': shown.from, '--scale': 100 / length };
  return (
    <div class={isStacked ? 'tree-frame stacked' : 'tree-frame'} style={axis} onWheel={onWheel}>
      <div class="column-heads" aria-hidden="true">
        <span class="head-step">{t('step')}</span>
        <span class="row-number">{t('tokens.name')}</span>
        <span class="row-number">{t('time')}</span>
        <span
          class="axis"
          title={t('axis.drag')}
          onPointerDown={(event) => selectRange(event, inspection, shown)}
        >
          {ticks.map(({ time, at }, index) => (
            <span
              key={time}
              class={(at - shown.from) / length > 0.9 ? 'at-end' : undefined}
              style={{ '--s': at }}
            >
              {label(time, index === ticks.length - 1)}
            </span>
          ))}
          {folds.map(({ from, to, at, width }) => (
            <span key={`fold ${from}`} class="fold-label" style={{ '--s': at + width / 2 }}>
              {format.duration(to - from)}
            </span>
          ))}
        </span>
      </div>
      <div class="grid-lines" aria-hidden="true">
        {ticks.map(({ time, at }) => (
          <i key={time} style={{ '--s': at }} />
        ))}
        {folds.map(({ from, at, width }) => (
          <i key={`fold ${from}`} class="folded" style={{ '--s': at, '--w': width }} />
        ))}
      </div>
      <div
        ref={scroller}
        id="tree"
        class="tree"
        role="tree"
        tabIndex={0}
        aria-label={t('steps.of')}
        aria-activedescendant={at >= 0 ? `row-${selected}` : undefined}
        onWheel={(event) => event.deltaY !== 0 && inspection.stopFollowing()}
        onTouchMove={() => inspection.stopFollowing()}
        onPointerDown={() => inspection.stopFollowing()}
      >
        <div role="none" class="virtual" style={{ height: `${virtual.height}px` }}>
          {virtual.items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree, which names its active row
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard for the whole inspector
              <div
                // Rows that come into sight take the elements of those that left; only the kept one may be elsewhere.
                key={index === at ? 'selected' : index % SLOTS}
                id={`row-${row.key}`}
                class={row.type === 'round' ? 'row round' : `row ${row.type}`}
                role="treeitem"
                aria-level={row.level}
                aria-setsize={row.size}
                aria-posinset={row.position}
                aria-selected={index === at}
                aria-expanded={row.type === 'round' ? row.round.isExpanded : undefined}
                style={{ top: `${start}px` }}
                onClick={(event) => {
                  const isTwist = (event.target as Element).closest('.twist') !== null;
                  inspection.select(row.key);
                  if (row.type === 'round' && isTwist) inspection.toggleRound(row.round.round);
                  else if (row.type !== 'round') inspection.panel.value = 'detail';
                }}
                onDblClick={() => row.type === 'round' && inspection.toggleRound(row.round.round)}
              >
                <span class="visually-hidden">{spoken(store, row)}</span>
                <div class="row-cells" aria-hidden="true">
                  <RowContent row={row} store={store} changes={changesOf(row, store)} />
                </div>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );

  function onWheel(event: WheelEvent) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const bar = (event.currentTarget as Element).querySelector('.axis')?.getBoundingClientRect();
    const anchor = bar === undefined || bar.width === 0 ? 0.5 : (event.clientX - bar.left) / bar.width;
    zoomBy(inspection, event.deltaY < 0 ? 0.8 : 1.25, Math.min(1, Math.max(0, anchor)));
  }
}

export function zoomBy(inspection: ReturnType<typeof useInspection>, factor: number, anchor = 0.5): void {
  const { whole } = inspection;
  const next = zoomed(inspection.zoom.value ?? whole, factor, anchor, whole);
  const isWhole = next.to - next.from >= (whole.to - whole.from) * 0.999;
  inspection.zoom.value = isWhole ? undefined : next;
}

/** Dragging over the axis filters by that stretch of time, as typing `t:2s..5s` does. */
function selectRange(
  event: PointerEvent,
  inspection: ReturnType<typeof useInspection>,
  shown: Stretch,
): void {
  const axis = event.currentTarget as HTMLElement;
  const frame = axis.getBoundingClientRect();
  const at = (x: number) => {
    const isRtl = document.documentElement.dir === 'rtl';
    const share = (isRtl ? frame.right - x : x - frame.left) / Math.max(1, frame.width);
    return shown.from + Math.min(1, Math.max(0, share)) * (shown.to - shown.from);
  };
  const start = event.clientX;
  axis.setPointerCapture(event.pointerId);
  axis.onpointerup = (released) => {
    axis.onpointerup = null;
    const others = inspection.filterText.value.split(' ').filter((rule) => !/^$|^t:/.test(rule));
    const isDrag = Math.abs(released.clientX - start) > 4;
    const [from, to] = [start, released.clientX]
      .sort((a, b) => a - b)
      .map((x) => timeAt(at(x), inspection.folds.value)) as [number, number];
    const range = isDrag ? [`t:${Math.round(from)}ms..${Math.round(to)}ms`] : [];
    inspection.stopFollowing();
    inspection.filterText.value = [...others, ...range].join(' ');
  };
}

/** The stretch that is shown: while the run goes on it grows with the clock. */
function useShownStretch(): Stretch {
  const inspection = useInspection();
  inspection.version.value;
  if (inspection.store.isRunning) inspection.clock.value;
  return inspection.zoom.value ?? inspection.whole;
}

/** A row object is made anew with every event; this tells whether what it shows is new. */
function changesOf(row: Row, store: TraceStoreLike): string {
  switch (row.type) {
    case 'round':
      return `${row.round.isExpanded}${row.round.end}${row.round.tokens}${row.round.failures}`;
    case 'step':
      return row.step.kind === 'request' ? String(store.rounds.get(row.step.round)?.response) : '';
    case 'waiting':
    case 'running':
    case 'unread':
      return '';
  }
}

type TraceStoreLike = ReturnType<typeof useInspection>['store'];

function News() {
  const inspection = useInspection();
  const news = inspection.news.value;
  inspection.version.value;
  if (!inspection.store.isRunning && news === 0) return null;
  if (inspection.follow.value) return null;
  return (
    <button type="button" class="news" onClick={() => inspection.startFollowing()}>
      {news > 0 ? t('follow.news', { n: news }) : t('follow.resume')}
      <Icon name="response" />
    </button>
  );
}
