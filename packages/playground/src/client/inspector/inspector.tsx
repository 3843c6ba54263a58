import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import type { Inspection, Panel } from '../inspection.ts';
import { go, route, withQuery } from '../route.ts';
import { compareWithMarked, markRun, runFrom } from '../screens/actions.ts';
import { splitAt } from '../settings.ts';
import { InspectionContext } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-names.ts';
import { Announcer, say } from './announcer.tsx';
import { Banners } from './banners.tsx';
import { Detail } from './detail.tsx';
import { FindBar, findNext, isFinding } from './find-bar.tsx';
import { onInspectorKey } from './keyboard.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { StepList } from './step-list.tsx';
import { SummaryStrip } from './summary-strip.tsx';

export interface InspectorProps {
  readonly inspection: Inspection;
  readonly actions?: ComponentChildren;
  /** Absent: this run cannot be stopped from here. */
  readonly onStop?: (() => void) | undefined;
}

export function Inspector({ inspection, actions, onStop }: InspectorProps) {
  const showsKeys = useSignal(false);
  const asksToStop = useSignal(false);
  useUrl(inspection);
  useEffect(() => {
    const listen = (event: KeyboardEvent) =>
      onInspectorKey(event, inspection, {
        showKeys: () => (showsKeys.value = true),
        find: () => {
          isFinding.value = true;
          document.getElementById('find')?.focus();
        },
        findNext,
        stop: () => {
          if (onStop === undefined || !inspection.store.isRunning) return;
          // Asks once: the second press means it.
          if (asksToStop.value) onStop();
          else say(t('stop.again'));
          asksToStop.value = !asksToStop.value;
        },
        runFromHere: () => {
          const row = inspection.row();
          const fork = runFrom(inspection);
          if (row?.type === 'step' && fork !== undefined) fork(row.step.index);
          else say(t('say.noFork'));
        },
        mark: () => say(markRun(inspection)),
        compareWithMarked: () => compareWithMarked(inspection),
        say: (what) => say(t(`say.${what}`)),
      });
    document.addEventListener('keydown', listen);
    const showKeys = () => (showsKeys.value = true);
    document.addEventListener('glassloop:keys', showKeys);
    return () => {
      document.removeEventListener('keydown', listen);
      document.removeEventListener('glassloop:keys', showKeys);
    };
  }, [inspection, onStop]);
  const panel = inspection.panel.value;
  return (
    <InspectionContext.Provider value={inspection}>
      <SummaryStrip
        actions={
          <>
            {onStop !== undefined && (
              <StopButton inspection={inspection} asks={asksToStop.value} onStop={onStop} />
            )}
            {actions}
          </>
        }
      />
      <Banners />
      <div class="inspector" data-panel={panel} style={{ '--split': `${splitAt.value}%` }}>
        <StepList />
        <Splitter />
        <Detail />
        {isFinding.value && <FindBar />}
      </div>
      <Footer inspection={inspection} />
      <BottomBar inspection={inspection} />
      <Announcer />
      {showsKeys.value && <KeysDialog onClose={() => (showsKeys.value = false)} />}
    </InspectionContext.Provider>
  );
}

function StopButton(props: { inspection: Inspection; asks: boolean; onStop: () => void }) {
  const { inspection, asks, onStop } = props;
  inspection.version.value;
  if (!inspection.store.isRunning) return null;
  const isStopping = inspection.isStopping.value;
  return (
    <button type="button" class="button small danger" disabled={isStopping} onClick={onStop}>
      <Icon name="stop" />
      {isStopping ? t('status.stopping') : asks ? t('stop.confirm') : t('stop')}
    </button>
  );
}

/** Rounds that an address has room for. */
const MOST_CLOSED = 100;

/** Selected step, its tab, the filter and the collapsed rounds are in the address, so that a step can be linked. */
function useUrl(inspection: Inspection) {
  /** The tab of the address; it is of the step of the address, and of no other. */
  const linkedTab = useRef(route.value.query.get('tab'));
  useEffect(() => {
    const { query } = route.value;
    const step = Number(query.get('step'));
    if (Number.isInteger(step) && step >= 1) {
      inspection.follow.value = false;
      inspection.selected.value = `s${step - 1}`;
    }
    const filter = query.get('q');
    if (filter !== null) inspection.filterText.value = filter;
    const closed = (query.get('closed') ?? '')
      .split(',')
      .map(Number)
      .filter((round) => round >= 1);
    if (closed.length > 0) inspection.collapsed.value = new Set(closed);
  }, [inspection]);
  const key = inspection.selected.value;
  const row = inspection.row(key);
  const kind = row?.type === 'step' ? row.step.kind : undefined;
  const tab = kind === undefined ? undefined : inspection.tabs.value[kind];
  const isReader = !inspection.follow.value;
  const filter = inspection.filterText.value;
  const closed = [...inspection.collapsed.value]
    .sort((a, b) => a - b)
    .slice(0, MOST_CLOSED)
    .join();
  useEffect(() => {
    // What was selected when this was drawn may be another step than the one of the address, selected just now.
    const linked = inspection.row(inspection.selected.value);
    if (linkedTab.current === null || linked?.type !== 'step') return;
    inspection.setTab(linked.step.kind, linkedTab.current);
    linkedTab.current = null;
  }, [kind, key]);
  useEffect(() => {
    if (!isReader || inspection.origin.kind === 'report' || linkedTab.current !== null) return;
    const step = key?.startsWith('s') ? String(Number(key.slice(1)) + 1) : undefined;
    go(withQuery({ step, tab, q: filter, closed }), true);
  }, [key, tab, filter, closed, isReader]);
}

function Splitter() {
  const move = (clientX: number, frame: DOMRect) => {
    const isRtl = document.documentElement.dir === 'rtl';
    const share = ((isRtl ? frame.right - clientX : clientX - frame.left) / frame.width) * 100;
    splitAt.value = Math.min(75, Math.max(25, share));
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('splitter')}
      aria-valuenow={Math.round(splitAt.value)}
      aria-valuemin={25}
      aria-valuemax={75}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        splitAt.value = Math.min(75, Math.max(25, splitAt.value + by));
      }}
      onPointerDown={(event) => {
        const element = event.currentTarget;
        const frame = element.parentElement!.getBoundingClientRect();
        element.setPointerCapture(event.pointerId);
        element.onpointermove = (moved) => move(moved.clientX, frame);
        element.onpointerup = () => {
          element.onpointermove = null;
        };
      }}
    />
  );
}

function Footer({ inspection }: { inspection: Inspection }) {
  inspection.version.value;
  const { store, origin } = inspection;
  const name =
    origin.kind === 'file'
      ? origin.name
      : origin.kind === 'report'
        ? (origin.data.name ?? t('report'))
        : origin.id;
  const keys: readonly (readonly [readonly string[], string])[] = [
    [['j', 'k'], t('hint.step')],
    [['h', 'l'], t('hint.round')],
    [['1', '6'], t('hint.tab')],
    [['e'], t('hint.error')],
    [['/'], t('hint.filter')],
    [['?'], t('hint.keys')],
  ];
  return (
    <footer class="footer">
      <span>
        {t('run.name')} <b class="mono">{name}</b>
      </span>
      <span>{t('footer.trace', { version: store.header?.version ?? '?', n: store.steps.length })}</span>
      {origin.kind === 'file' && origin.size !== undefined && <span>{format.bytes(origin.size)}</span>}
      <span>{format.date(store.header?.startedAt)}</span>
      <span class="spacer" />
      {keys.map(([letters, text]) => (
        <span key={text} class="hint">
          {letters.map((letter) => (
            <kbd key={letter}>{letter}</kbd>
          ))}
          {text}
        </span>
      ))}
    </footer>
  );
}

const PANELS: readonly (readonly [Panel, IconName])[] = [
  ['steps', 'steps'],
  ['detail', 'document'],
  ['context', 'assembled'],
];

/** On a narrow page one panel is shown at a time. */
function BottomBar({ inspection }: { inspection: Inspection }) {
  const panel = inspection.panel.value;
  return (
    <nav class="bottom-bar" aria-label={t('panels')}>
      {PANELS.map(([name, icon]) => (
        <button
          key={name}
          type="button"
          aria-current={panel === name ? 'true' : undefined}
          onClick={() => (inspection.panel.value = name)}
        >
          <Icon name={icon} />
          {t(`panel.${name}`)}
        </button>
      ))}
      {inspection.origin.kind !== 'report' && (
        <a href="#/history">
          <Icon name="history" />
          {t('nav.history')}
        </a>
      )}
    </nav>
  );
}
