import type { ErrorStep } from '@glassloop/core';
import * as format from '../format.ts';
import { isKey, t } from '../i18n/index.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { Icon } from '../ui/icon.tsx';
import { Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { Facts, JsonPanel, Section } from './parts.tsx';
import { Raw } from './response.tsx';
import type { Tab } from './tab.ts';
import { Attempts, Timing } from './timing.tsx';

export function errorTabs(step: ErrorStep, summary: StepSummary): readonly Tab[] {
  return [
    { id: 'structured', label: t('tab.structured'), view: () => <ErrorView step={step} summary={summary} /> },
    { id: 'raw', label: t('tab.raw'), view: () => <Raw value={step.raw} /> },
    {
      id: 'json',
      label: t('tab.stepJson'),
      view: () => <JsonPanel value={step} label={t('tab.stepJson')} />,
    },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

function ErrorView({ step, summary }: { step: ErrorStep; summary: StepSummary }) {
  const key = `error.${step.code}`;
  return (
    <>
      <div class="notice error tall">
        <Icon name="failed" />
        <div>
          <p>
            <b>{isKey(key) ? t(key) : t('error.unknown', { code: String(step.code) })}</b>
          </p>
          <p dir="auto">
            <VisibleText text={step.message} />
          </p>
          {step.hint !== undefined && (
            <p class="muted">
              <VisibleText text={step.hint} />
            </p>
          )}
        </div>
      </div>
      <Facts
        facts={[
          [t('error.code'), <code key="code">{step.code}</code>],
          step.status !== undefined && [t('error.status'), String(step.status)],
          step.requestId !== undefined && [t('error.requestId'), <code key="id">{step.requestId}</code>],
          [
            t('error.next'),
            step.retryInMs === undefined
              ? t('error.noRetry')
              : t('error.retry', { time: format.duration(step.retryInMs) }),
          ],
        ]}
      />
      {step.partial !== undefined && (
        <Section title={t('error.partial')} note={t('error.partialNote')}>
          <Payload bare value={step.partial} label={t('error.partial')} prose />
        </Section>
      )}
      {summary.round > 0 && <Attempts round={summary.round} />}
    </>
  );
}
