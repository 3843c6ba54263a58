import type { EndStep } from '@glassloop/core';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { stateOf } from '../trace/run-status.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useStore } from '../ui/context.ts';
import { VisibleText } from '../ui/visible-text.tsx';
import { Facts, JsonPanel, Section } from './parts.tsx';
import { UsageFacts } from './response.tsx';
import { StatusPill, statusName } from './status.tsx';
import type { Tab } from './tab.ts';
import { Timing } from './timing.tsx';

export function endTabs(step: EndStep, summary: StepSummary): readonly Tab[] {
  return [
    { id: 'structured', label: t('tab.structured'), view: () => <End step={step} /> },
    {
      id: 'json',
      label: t('tab.stepJson'),
      view: () => <JsonPanel value={step} label={t('tab.stepJson')} />,
    },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

function End({ step }: { step: EndStep }) {
  const { round } = stateOf(useStore());
  return (
    <>
      <p>
        <StatusPill status={step.stopReason} round={round} />
      </p>
      {step.detail !== undefined && (
        <p class="notice" dir="auto">
          <VisibleText text={step.detail} />
        </p>
      )}
      <Facts
        facts={[
          [t('status'), statusName(step.stopReason, round)],
          [t('rounds'), format.count(step.rounds)],
          [t('wallTime'), format.duration(step.durationMs)],
          step.unpricedRounds > 0 && [t('end.unpriced'), format.count(step.unpricedRounds)],
        ]}
      />
      <Section title={t('usage')} note={t('end.usageNote')}>
        <UsageFacts usage={step.usage} />
      </Section>
    </>
  );
}
