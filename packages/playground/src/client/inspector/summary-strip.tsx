import type { ComponentChildren } from 'preact';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { contextWindowOf, pricesDate } from '../screens/catalog-facts.ts';
import { StatusPill } from '../steps/status.tsx';
import { totalsOf, wallTime } from '../trace/measure.ts';
import { stateOf } from '../trace/run-status.ts';
import { useInspection } from '../ui/context.ts';

export function SummaryStrip({ actions }: { actions: ComponentChildren }) {
  const inspection = useInspection();
  inspection.version.value;
  const { store } = inspection;
  const state = stateOf(store);
  const totals = totalsOf(store);
  const { usage } = totals;
  const assembled = store.steps[0]?.kind === 'assembled' ? store.bodies.get(0) : undefined;
  const settings =
    assembled !== undefined && !(assembled instanceof Promise) && assembled.kind === 'assembled'
      ? assembled.settings
      : undefined;
  const window = contextWindowOf(settings?.adapter, settings?.model);
  const isDryRun = state.status === 'dry_run';
  return (
    <section class="strip" aria-label={t('summary')}>
      <dl>
        <Cell name={t('status')} class="cell-status" hideName>
          <StatusPill status={state.status} round={state.round} isStopping={inspection.isStopping.value} />
        </Cell>
        <Cell
          name={t('rounds')}
          more={settings === undefined ? undefined : t('of', { n: settings.maxRounds })}
        >
          {format.count(totals.answers)}
        </Cell>
        <Cell
          name={t('toolCalls')}
          more={totals.failedCalls > 0 ? t('failed.count', { n: totals.failedCalls }) : undefined}
        >
          {format.count(totals.toolCalls)}
        </Cell>
        <Cell name={t('tokens.name')} more={tokenSplit(usage)} stack={<TokenStack usage={usage} />}>
          {atLeast(totals.uncounted > 0 && usage.totalTokens !== undefined)}
          {totals.answers === 0 && !isDryRun
            ? format.count(0)
            : isDryRun
              ? t('notSent')
              : format.count(usage.totalTokens)}
        </Cell>
        <Cell name={t('cost.estimated')} title={priceTitle()} more={costNote(totals)}>
          {isDryRun ? (
            t('notSent')
          ) : totals.answers === 0 ? (
            format.UNKNOWN
          ) : (
            <>
              {atLeast(totals.unpriced > 0 && usage.estimatedCost !== undefined)}
              {format.cost(usage.estimatedCost)}
            </>
          )}
        </Cell>
        <WallCell />
        <Cell name={t('firstToken')} class="optional">
          {format.duration(totals.firstTokenMs)}
        </Cell>
        <Cell
          name={t('contextPeak')}
          class="optional"
          more={
            window === undefined || totals.contextPeak === undefined
              ? undefined
              : t('ofWindow', {
                  share: format.percent(totals.contextPeak / window),
                  window: format.count(window),
                })
          }
        >
          {format.count(totals.contextPeak)}
        </Cell>
      </dl>
      <div class="strip-actions">{actions}</div>
    </section>
  );
}

function Cell(props: {
  name: string;
  children: ComponentChildren;
  more?: string | undefined;
  stack?: ComponentChildren;
  class?: string;
  hideName?: boolean;
  title?: string | undefined;
}) {
  return (
    <div class={props.class} title={props.title}>
      <dt class={props.hideName ? 'visually-hidden' : undefined}>{props.name}</dt>
      <dd>
        {props.children}
        {props.more !== undefined && <small>{props.more}</small>}
        {props.stack}
      </dd>
    </div>
  );
}

/** The time that really passed, and what it was spent on. */
function WallCell() {
  const inspection = useInspection();
  inspection.version.value;
  inspection.clock.value;
  const wall = wallTime(inspection.store);
  const share = (part: number) => ({ width: `${wall.total === 0 ? 0 : (part / wall.total) * 100}%` });
  return (
    <Cell
      name={t('wallTime')}
      more={t('wall.split', { model: format.duration(wall.model), tools: format.duration(wall.tools) })}
      stack={
        <span class="stack" aria-hidden="true">
          <i class="fill-model" style={share(wall.model)} />
          <i class="fill-tool" style={share(wall.tools)} />
          <i class="fill-request" style={share(wall.other)} />
        </span>
      }
    >
      {format.duration(wall.total)}
    </Cell>
  );
}

function TokenStack({ usage }: { usage: ReturnType<typeof totalsOf>['usage'] }) {
  const { promptTokens: prompt = 0, completionTokens: completion = 0, cacheReadTokens: cached = 0 } = usage;
  const total = prompt + completion;
  if (total === 0) return <span class="stack" aria-hidden="true" />;
  const share = (part: number) => ({ width: `${(part / total) * 100}%` });
  return (
    <span class="stack" aria-hidden="true">
      <i class="fill-context" style={share(cached)} />
      <i class="fill-request" style={share(prompt - cached)} />
      <i class="fill-model" style={share(completion)} />
    </span>
  );
}

function tokenSplit(usage: ReturnType<typeof totalsOf>['usage']): string | undefined {
  if (usage.promptTokens === undefined && usage.completionTokens === undefined) return undefined;
  return t('tokens.split', {
    prompt: format.count(usage.promptTokens),
    completion: format.count(usage.completionTokens),
  });
}

function costNote(totals: ReturnType<typeof totalsOf>): string | undefined {
  const { promptTokens, cacheReadTokens } = totals.usage;
  if (promptTokens !== undefined && cacheReadTokens !== undefined && promptTokens > 0)
    return t('cached.share', { share: format.percent(cacheReadTokens / promptTokens) });
  return undefined;
}

function priceTitle(): string | undefined {
  const date = pricesDate();
  return date === undefined ? undefined : t('prices.of', { date: format.day(date) });
}

function atLeast(is: boolean): string {
  return is ? '≥ ' : '';
}
