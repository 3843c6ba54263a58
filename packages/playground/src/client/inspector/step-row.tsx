import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { placeOf } from '../trace/axis.ts';
import { endOf, startOf, tokensOf } from '../trace/measure.ts';
import type { Row } from '../trace/rows.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import type { TraceStore } from '../trace/trace-store.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { roundNote, stepText, tokenText } from './row-text.ts';
import { useUsualWait } from './usual-wait.ts';

/** One row of the list, without its place. */
export function RowContent({ row, store, changes }: { row: Row; store: TraceStore; changes: string }) {
  switch (row.type) {
    case 'round':
      return <RoundContent row={row} />;
    case 'step':
      return <StepContent step={row.step} store={store} changes={changes} />;
    case 'waiting':
      return <Growing since={row.since} name={t('waiting.model')} tone="waiting" round={row.round} />;
    case 'running':
      return <Growing since={row.call.since} name={row.call.name} tone="tool" isCode />;
    case 'unread':
      return (
        <>
          <span class="row-icon tone-unread">
            <Icon name={row.line.isRaw ? 'document' : 'unknown'} />
          </span>
          <span class="row-name">
            <b>{row.line.isRaw ? t('unread.line', { n: row.line.line }) : t('unread.event')}</b>
            <small class={row.line.isRaw ? undefined : 'bad'}>
              <VisibleText text={row.line.message || row.line.text.slice(0, 200)} />
            </small>
          </span>
        </>
      );
  }
}

function RoundContent({ row }: { row: Row & { type: 'round' } }) {
  const { round, isExpanded, tokens, start, end, failures } = row.round;
  return (
    <>
      <span class="round-name">
        <Icon name={isExpanded ? 'down' : 'right'} class="twist" />
        {t('round.n', { n: round })}
        <small class={failures > 0 ? 'bad' : undefined}>{roundNote(row)}</small>
      </span>
      <span class="row-number muted">{tokens === undefined ? '' : format.count(tokens)}</span>
      <span class="row-number muted">{format.duration(end - start)}</span>
      <span class="waterfall">
        <i class="span" style={useBar(start, end)} />
      </span>
    </>
  );
}

/** `changes`: what it shows that is not in the step itself; a component renders again only for new properties. */
function StepContent({ step, store }: { step: StepSummary; store: TraceStore; changes: string }) {
  const text = stepText(store, step);
  const shownTime =
    step.kind === 'end' || step.durationMs === undefined ? '' : format.duration(step.durationMs);
  return (
    <>
      <span class={`row-icon tone-${text.tone}`}>
        <Icon name={text.icon} />
      </span>
      <span class="row-name">
        <b class={text.isCode ? 'mono' : undefined}>
          <VisibleText text={text.name} />
        </b>
        <small class={text.isBad ? 'bad' : undefined}>
          <VisibleText text={text.note} />
        </small>
        {step.hidden > 0 && <Icon name="hidden" class="bad" />}
      </span>
      <span class="row-number muted tokens">{tokenText(tokensOf(store, step))}</span>
      <span class="row-number">{shownTime}</span>
      <span class="waterfall">
        <Bar step={step} store={store} tone={text.tone} />
      </span>
    </>
  );
}

function Bar({ step, store, tone }: { step: StepSummary; store: TraceStore; tone: string }) {
  const start = startOf(store, step);
  const end = endOf(store, step);
  const length = end - start;
  const first = step.firstTokenMs;
  // Without streaming nobody knows where waiting ended; the bar is then one piece.
  const waited = first === undefined || length <= 0 ? 0 : Math.min(100, (first / length) * 100);
  const title = `${format.duration(start)} – ${format.duration(end)}`;
  return (
    <i
      class={`bar tone-${tone}${(step.thinkingLength ?? 0) > 0 ? ' thought' : ''}`}
      title={title}
      style={{ ...useBar(start, end), '--waited': `${waited}%` }}
    />
  );
}

/** Where a stretch of time is on the axis. */
function useBar(start: number, end: number) {
  const folds = useInspection().folds.value;
  const from = placeOf(start, folds);
  return { '--s': from, '--w': placeOf(end, folds) - from };
}

/** A row for what is not over yet: its time comes from the server's clock, so that it is right on return to a tab. */
function Growing(props: { since: number; name: string; tone: string; isCode?: boolean; round?: number }) {
  const inspection = useInspection();
  inspection.clock.value;
  inspection.version.value;
  const { store } = inspection;
  const elapsed = Math.max(0, store.serverNow() - props.since);
  const usual = useUsualWait(props.isCode ? 0 : elapsed);
  const open = props.round === undefined || store.open?.round !== props.round ? undefined : store.open;
  const waited =
    open === undefined ? 100 : Math.min(100, ((open.since - props.since) / Math.max(1, elapsed)) * 100);
  return (
    <>
      <span class={`row-icon tone-${props.tone} pulses`}>
        <Icon name="waiting" />
      </span>
      <span class="row-name">
        <b class={props.isCode ? 'mono' : undefined}>
          {open === undefined ? props.name : t('waiting.receiving')}
        </b>
        <small>
          {props.isCode
            ? t('running.word')
            : open === undefined
              ? usual
              : lastWords(open.text || open.thinking)}
        </small>
      </span>
      <span class="row-number tokens" />
      <span class="row-number">{format.duration(elapsed)}</span>
      <span class="waterfall">
        <i
          class={`bar growing tone-${props.isCode ? 'tool' : 'model'}`}
          style={{ '--s': props.since - store.origin, '--w': elapsed, '--waited': `${waited}%` }}
        />
      </span>
    </>
  );
}

function lastWords(text: string): string {
  return text.slice(-80).replace(/\s+/g, ' ');
}
