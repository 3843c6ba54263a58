import type { ToolStep } from '@glassloop/core';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { estimatedTokens } from '../trace/measure.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useStep, useStore } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { SchemaNote } from './call-card.tsx';
import { Absent, Facts, JsonPanel, Section, StepLink } from './parts.tsx';
import type { Tab } from './tab.ts';
import { Timing } from './timing.tsx';

export function toolTabs(step: ToolStep, summary: StepSummary): readonly Tab[] {
  return [
    { id: 'structured', label: t('tab.structured'), view: () => <ToolView step={step} summary={summary} /> },
    {
      id: 'arguments',
      label: t('tab.arguments'),
      view: () => <Payload value={step.call.argumentsJson} label={t('tab.arguments')} />,
    },
    {
      id: 'result',
      label: t('tab.result'),
      view: () => <Payload value={step.result} label={t('tab.result')} />,
    },
    { id: 'artifacts', label: t('tab.artifacts'), view: () => <Absent>{t('absent.artifacts')}</Absent> },
    {
      id: 'json',
      label: t('tab.stepJson'),
      view: () => <JsonPanel value={step} label={t('tab.stepJson')} />,
    },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

function ToolView({ step, summary }: { step: ToolStep; summary: StepSummary }) {
  const store = useStore();
  const assembled = useStep(store.steps.find((one) => one.kind === 'assembled')?.index);
  const spec =
    assembled?.kind === 'assembled'
      ? assembled.tools.find((tool) => tool.name === step.call.name)
      : undefined;
  const repeat = store.repeatOf(summary.index);
  const asker = store.stepOfCall(step.call.id, 'response', summary.round);
  return (
    <>
      {repeat !== undefined && (
        <p class="notice">
          <Icon name="info" />
          <span>{t('tool.repeat', { n: repeat + 1 })}</span>
          <StepLink index={repeat} />
        </p>
      )}
      {step.isError && (
        <p class="notice error">
          <Icon name="failed" />
          <span>{t('tool.failedNote')}</span>
        </p>
      )}
      {step.fullBytes !== undefined && (
        <p class="notice warn">
          <Icon name="warn" />
          <span>
            {t('tool.cut', {
              kept: format.bytes(format.utf8Length(String(step.result))),
              full: format.bytes(step.fullBytes),
            })}
          </span>
        </p>
      )}
      <Payload
        value={step.call.argumentsJson}
        label={t('tab.arguments')}
        note={<SchemaNote spec={spec} argumentsJson={step.call.argumentsJson} />}
      />
      <Payload
        value={step.result}
        label={step.isError ? t('tool.errorSent') : t('tab.result')}
        note={<small>{t('tokens.about', { n: estimatedTokens(summary.length) })}</small>}
      />
      {step.thrown !== undefined && (
        <Section title={t('tool.thrown')} note={t('tool.thrownNote')}>
          <div class="text-block error-text">
            <VisibleText text={step.thrown} />
          </div>
        </Section>
      )}
      <Facts
        facts={[
          [t('tool.callId'), <code key="id">{step.call.id}</code>],
          asker !== undefined && [t('tool.askedBy'), <StepLink key="step" index={asker} />],
        ]}
      />
    </>
  );
}
