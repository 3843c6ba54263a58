/** Small parts that the views of all kinds of steps share. */

import type { ComponentChildren } from 'preact';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { runAgainWithRaw } from '../screens/actions.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useInspection, useStore } from '../ui/context.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Heading, Under } from '../ui/heading.tsx';
import { Icon } from '../ui/icon.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { VisibleText } from '../ui/visible-text.tsx';

export function Section(props: { title: string; note?: string | undefined; children: ComponentChildren }) {
  return (
    <section class="section">
      <Heading>
        {props.title}
        {props.note !== undefined && <small>{props.note}</small>}
      </Heading>
      <Under>{props.children}</Under>
    </section>
  );
}

/** Why something is not here, and how to get it. */
export function Absent({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <p class="absent">
      <Icon name="info" />
      <span>{children}</span>
      {action}
    </p>
  );
}

/** For what only raw capture records. */
export function NotCaptured() {
  const store = useStore();
  if (store.header?.capturesRaw === true) return <Absent>{t('absent.notSent')}</Absent>;
  const run = runAgainWithRaw(store);
  return (
    <Absent
      action={
        run !== undefined && (
          <button type="button" class="button small" onClick={run}>
            {t('absent.captureAgain')}
          </button>
        )
      }
    >
      {t('absent.rawOff')}
    </Absent>
  );
}

export function Facts({
  facts,
}: {
  facts: readonly (readonly [string, ComponentChildren] | false | undefined)[];
}) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function StepLink({ index, children }: { index: number; children?: ComponentChildren }) {
  const inspection = useInspection();
  return (
    <button type="button" class="text-button" onClick={() => inspection.reveal(index)}>
      {children ?? t('step.open', { n: index + 1 })}
    </button>
  );
}

export function StatusTag({ failed, children }: { failed: boolean; children: ComponentChildren }) {
  return (
    <span class={failed ? 'state-tag error' : 'state-tag ok'}>
      <Icon name={failed ? 'close' : 'ok'} />
      {children}
    </span>
  );
}

export function Warnings({ warnings }: { warnings: readonly string[] | undefined }) {
  if (warnings === undefined || warnings.length === 0) return null;
  return (
    <Section title={t('warnings')}>
      <ul class="plain-list">
        {warnings.map((warning) => (
          <li key={warning} class="notice warn">
            <Icon name="warn" />
            <VisibleText text={String(warning)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function JsonPanel({ value, label }: { value: unknown; label: string }) {
  return (
    <div class="json-panel">
      <div class="block-head">
        <Heading>{label}</Heading>
        <span class="spacer" />
        <CopyButton shows text={() => JSON.stringify(value, null, 2) ?? ''} label={t('copy')} />
      </div>
      <JsonTree fills value={value} label={label} />
    </div>
  );
}

/** How a tool call, or anything with a duration, is measured: for the head of the detail. */
export function tokensPerSecond(step: StepSummary): number | undefined {
  const tokens = step.usage?.completionTokens;
  const generating = (step.durationMs ?? 0) - (step.firstTokenMs ?? 0);
  return tokens === undefined || step.firstTokenMs === undefined || generating < 1
    ? undefined
    : Math.round(tokens / (generating / 1000));
}

export function cachedShare(step: StepSummary): string | undefined {
  const { promptTokens, cacheReadTokens } = step.usage ?? {};
  if (promptTokens === undefined || cacheReadTokens === undefined || promptTokens === 0) return undefined;
  return format.percent(cacheReadTokens / promptTokens);
}
