import { Component, type ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { withQuery } from '../route.ts';
import { runFrom } from '../screens/actions.ts';
import { cachedShare, tokensPerSecond } from '../steps/parts.tsx';
import type { Tab } from '../steps/tab.ts';
import { kindOf, tabsOfRow, tabsOfStep } from '../steps/tabs-of.ts';
import type { Row } from '../trace/rows.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { messageOf, useInspection, useLoaded, useStore } from '../ui/context.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { stepText } from './row-text.ts';

export function Detail() {
  const inspection = useInspection();
  const row = useSelectedRow();
  return (
    <section class="detail" aria-label={t('detail')} id="detail" tabIndex={-1}>
      {row === undefined ? (
        <div class="empty">
          <p>{inspection.store.steps.length === 0 ? t('detail.noSteps') : t('detail.choose')}</p>
        </div>
      ) : row.type === 'step' ? (
        <StepDetail key={row.key} step={row.step} />
      ) : (
        <OtherDetail key={row.key} row={row} />
      )}
    </section>
  );
}

/** The selected row; renders again only for events that concern it. */
function useSelectedRow(): Row | undefined {
  const inspection = useInspection();
  const key = inspection.selected.value;
  const { rows } = inspection.rows.value;
  return rows.find((row) => row.key === key) ?? hiddenRow();

  // A step that a filter hides stays open beside the list.
  function hiddenRow(): Row | undefined {
    const step = key?.startsWith('s') ? inspection.store.steps[Number(key.slice(1))] : undefined;
    return step === undefined || key === undefined
      ? undefined
      : { type: 'step', key, step, level: 2, size: 1, position: 1 };
  }
}

function StepDetail({ step: summary }: { step: StepSummary }) {
  const inspection = useInspection();
  const { origin } = inspection;
  const fork = runFrom(inspection);
  const store = useStore();
  const loaded = useLoaded(() => store.bodies.get(summary.index), [store, summary.index]);
  const text = stepText(store, summary);
  return (
    <>
      <header class="detail-head">
        <div class="detail-title">
          <h2>
            <Icon name={text.icon} class={`tone-${text.tone}`} />
            <span class={text.isCode ? 'mono' : undefined}>
              <VisibleText text={text.name} />
            </span>
            {summary.round > 0 && summary.kind !== 'end' && (
              <span>{t('title.round', { n: summary.round })}</span>
            )}
          </h2>
          {summary.finishReason !== undefined && (
            <span class="tag">{t('finish.tag', { reason: summary.finishReason })}</span>
          )}
          <span class="tag">{t('step.nOf', { n: summary.index + 1, all: store.steps.length })}</span>
          {summary.hidden > 0 && (
            <span class="tag warn">
              <Icon name="hidden" />
              {t('hidden.count', { n: summary.hidden })}
            </span>
          )}
          <span class="spacer" />
          {fork !== undefined && (summary.kind === 'request' || summary.kind === 'response') && (
            <button type="button" class="button small" onClick={() => fork(summary.index)}>
              <Icon name="fork" />
              {t('run.fromHere')}
            </button>
          )}
          {origin.kind === 'run' && (
            <CopyButton icon="link" text={() => linkTo(summary.index)} label={t('copy.link')} />
          )}
          <CopyButton text={() => copyOf(loaded.value)} label={t('copy.stepJson')} />
        </div>
        <Metrics step={summary} />
      </header>
      {loaded.error !== undefined ? (
        <div class="pane">
          <p class="notice error">
            <Icon name="failed" />
            <span>{loaded.error}</span>
          </p>
        </div>
      ) : loaded.value === undefined ? (
        <div class="pane">
          <p class="absent">{t('loading')}</p>
        </div>
      ) : (
        <Tabs kind={summary.kind} tabs={tabsOfStep(loaded.value, summary, store)} />
      )}
    </>
  );
}

function OtherDetail({ row }: { row: Exclude<Row, { type: 'step' }> }) {
  const store = useStore();
  const title = {
    round: () => t('round.n', { n: (row as Row & { type: 'round' }).round.round }),
    waiting: () => {
      const { round } = row as Row & { type: 'waiting' };
      const word = store.open?.round === round ? t('waiting.receiving') : t('waiting.model');
      return `${word}${t('title.round', { n: round })}`;
    },
    running: () => (row as Row & { type: 'running' }).call.name,
    unread: () => {
      const { line } = row as Row & { type: 'unread' };
      return line.isRaw ? t('unread.line', { n: line.line }) : t('unread.event');
    },
  }[row.type]();
  return (
    <>
      <header class="detail-head">
        <div class="detail-title">
          <h2>
            <VisibleText text={title} />
          </h2>
        </div>
      </header>
      <Tabs kind={kindOf(row)} tabs={tabsOfRow(row)} />
    </>
  );
}

function Metrics({ step }: { step: StepSummary }) {
  const { usage } = step;
  const rate = tokensPerSecond(step);
  const cached = cachedShare(step);
  const facts: (readonly [string, string])[] = [];
  if (step.durationMs !== undefined && step.kind !== 'end')
    facts.push([format.duration(step.durationMs), t('metric.total')]);
  if (step.firstTokenMs !== undefined)
    facts.push([format.duration(step.firstTokenMs), t('metric.firstToken')]);
  if (rate !== undefined) facts.push([format.count(rate), t('metric.rate')]);
  if (usage !== undefined) {
    facts.push(
      [
        format.count(usage.promptTokens),
        cached === undefined ? t('metric.in') : t('metric.inCached', { share: cached }),
      ],
      [
        format.count(usage.completionTokens),
        usage.reasoningTokens === undefined
          ? t('metric.out')
          : t('metric.outThinking', { n: format.count(usage.reasoningTokens) }),
      ],
    );
    if (usage.estimatedCost !== undefined) facts.push([format.cost(usage.estimatedCost), '']);
  }
  if (facts.length === 0) return null;
  return (
    <ul class="metrics">
      {facts.map(([value, name]) => (
        <li key={`${name}${value}`}>
          <b>{value}</b> {name}
        </li>
      ))}
    </ul>
  );
}

function Tabs({ kind, tabs }: { kind: string; tabs: readonly Tab[] }) {
  const inspection = useInspection();
  const chosen = inspection.tabs.value[kind];
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0]!;
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const isBack = document.documentElement.dir === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const isOn = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const next = { [isOn]: at + 1, [isBack]: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(next + buttons.length) % buttons.length]?.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={t('detail')} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === current}
            aria-controls="tab-panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => {
              inspection.stopFollowing();
              inspection.setTab(kind, tab.id);
            }}
          >
            {tab.label}
            {tab.badge !== undefined && <em>{tab.badge}</em>}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div id="tab-panel" class="pane" role="tabpanel" aria-labelledby={`tab-${current.id}`} tabIndex={0}>
        <Guard key={current.id}>
          <TabView tab={current} />
        </Guard>
      </div>
    </>
  );
}

function TabView({ tab }: { tab: Tab }) {
  return <>{tab.view()}</>;
}

/** A fault in one view is said there; everything else goes on. */
class Guard extends Component<{ children: ComponentChildren }, { fault?: unknown }> {
  override state: { fault?: unknown } = {};
  override componentDidCatch(fault: unknown) {
    this.setState({ fault });
  }
  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <div class="notice error tall">
        <Icon name="failed" />
        <div>
          <p>{t('fault')}</p>
          <p class="mono">
            <VisibleText text={messageOf(fault)} />
          </p>
          <CopyButton
            shows
            text={() => (fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))}
            label={t('fault.copy')}
          />
        </div>
      </div>
    );
  }
}

export function linkTo(index: number): string {
  return `${location.href.split('#')[0]}${withQuery({ step: String(index + 1) })}`;
}

function copyOf(step: unknown): string {
  return JSON.stringify(step, null, 2) ?? '';
}
