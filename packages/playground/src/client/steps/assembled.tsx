import type { AssembledStep } from '@glassloop/core';
import * as format from '../format.ts';
import { isKey, type Key, t } from '../i18n/index.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { VisibleText } from '../ui/visible-text.tsx';
import { MessageList, sourceName } from './message-view.tsx';
import { Absent, Facts, JsonPanel, Section, Warnings } from './parts.tsx';
import type { Tab } from './tab.ts';
import { Timing } from './timing.tsx';
import { ToolSpecs } from './tools-offered.tsx';

export function assembledTabs(step: AssembledStep, summary: StepSummary): readonly Tab[] {
  return [
    { id: 'structured', label: t('tab.structured'), view: () => <Assembled step={step} /> },
    {
      id: 'messages',
      label: t('tab.messages'),
      badge: format.count(step.added.length),
      view: () => <MessageList openAll messages={step.added} sources={step.sources} />,
    },
    {
      id: 'tools',
      label: t('tab.tools'),
      badge: format.count(step.tools.length),
      view: () =>
        step.tools.length === 0 ? <Absent>{t('tools.none')}</Absent> : <ToolSpecs tools={step.tools} />,
    },
    {
      id: 'json',
      label: t('tab.stepJson'),
      view: () => <JsonPanel value={step} label={t('tab.stepJson')} />,
    },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

function Assembled({ step }: { step: AssembledStep }) {
  const { settings } = step;
  const options = Object.entries(settings.options ?? {});
  return (
    <>
      <Section title={t('assembled.settings')}>
        <Facts
          facts={[
            [t('provider'), settings.adapter],
            [t('model'), settings.model],
            [t('rounds'), t('rounds.most', { n: settings.maxRounds })],
            ...options.map(
              ([name, value]) => [name, <code key={name}>{JSON.stringify(value)}</code>] as const,
            ),
          ]}
        />
      </Section>
      <Section title={t('assembled.sources')} note={t('assembled.sourcesNote')}>
        {step.sources.length === 0 ? (
          <Absent>{t('absent.notRecorded')}</Absent>
        ) : (
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t('source')}</th>
                <th scope="col">{t('message')}</th>
                <th scope="col">{t('size')}</th>
                <th scope="col">{t('file')}</th>
              </tr>
            </thead>
            <tbody>
              {step.sources.map((source, index) => (
                <tr key={index}>
                  <td>
                    <span class={`tag from-${source.kind}`}>{sourceName(source)}</span>
                  </td>
                  <td class="number">{source.message + 1}</td>
                  <td class="number">{format.bytes(source.bytes)}</td>
                  <td>
                    {source.origin === undefined ? format.UNKNOWN : <code>{place(source.origin)}</code>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Section>
      {step.dropped.length > 0 && (
        <Section title={t('assembled.dropped')}>
          <ul class="plain-list">
            {step.dropped.map((dropped) => (
              <li key={`${dropped.kind} ${dropped.id}`} class="notice warn">
                <b>{t(`dropped.${dropped.kind}` as Key)}</b>
                <code>{dropped.id}</code>
                <span>{reason(dropped.reason)}</span>
                {dropped.detail !== undefined && <VisibleText text={dropped.detail} />}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Warnings warnings={step.warnings} />
      <Section title={t('tab.messages')}>
        <MessageList openAll messages={step.added} sources={step.sources} />
      </Section>
    </>
  );
}

function reason(code: string): string {
  const key = `drop.${code}`;
  return isKey(key) ? t(key) : code;
}

function place(origin: { file: string; fromLine?: number; toLine?: number }): string {
  return origin.fromLine === undefined
    ? origin.file
    : `${origin.file}:${origin.fromLine}–${origin.toLine ?? ''}`;
}
