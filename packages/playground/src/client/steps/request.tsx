import type { Message, RequestStep } from '@glassloop/core';
import { useMemo } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { prefixOf } from '../trace/prefix.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useLoaded, useStep, useStore } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { MessageList } from './message-view.tsx';
import { JsonPanel, Section } from './parts.tsx';
import type { Tab } from './tab.ts';
import { Timing } from './timing.tsx';
import { ToolsOffered } from './tools-offered.tsx';
import { Wire } from './wire.tsx';

export function requestTabs(step: RequestStep, summary: StepSummary): readonly Tab[] {
  return [
    { id: 'structured', label: t('tab.structured'), view: () => <Request index={summary.index} /> },
    {
      id: 'messages',
      label: t('tab.messages'),
      badge: format.count(lengthOf(summary)),
      view: () => <MessagesSent index={summary.index} />,
    },
    {
      id: 'tools',
      label: t('tab.tools'),
      badge: format.count(step.toolsOffered.length),
      view: () => <ToolsOffered names={step.toolsOffered} />,
    },
    { id: 'wire', label: t('tab.wire'), view: () => <Wire index={summary.index} /> },
    {
      id: 'json',
      label: t('tab.stepJson'),
      view: () => <JsonPanel value={step} label={t('tab.stepJson')} />,
    },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

export function lengthOf(summary: StepSummary): number {
  return (summary.sent ?? []).reduce((sum, [start, end]) => sum + end - start, 0);
}

function Request({ index }: { index: number }) {
  const store = useStore();
  const prefix = useMemo(() => prefixOf(store, index), [store.steps.length, index]);
  const fresh =
    useLoaded<readonly Message[]>(() => store.messagesSent(index, prefix.unchanged), [store, index]).value ??
    [];
  return (
    <>
      <SentThisRound index={index} />
      <Section
        title={t('request.new')}
        note={
          prefix.previousRound === undefined ? undefined : t('request.against', { n: prefix.previousRound })
        }
      >
        {fresh.length === 0 ? (
          <p class="absent">{t('request.nothingNew')}</p>
        ) : (
          <MessageList openAll messages={fresh} />
        )}
      </Section>
    </>
  );
}

/** The request of a round, whole; what the round before has sent too is folded. */
export function MessagesSent({ index }: { index: number }) {
  const store = useStore();
  const messages = useLoaded<readonly Message[]>(() => store.messagesSent(index), [store, index]);
  const assembledAt = store.steps.find((step) => step.kind === 'assembled')?.index;
  const assembled = useStep(assembledAt);
  const { unchanged } = useMemo(() => prefixOf(store, index), [store.steps.length, index]);
  if (messages.error !== undefined) return <p class="error-text">{messages.error}</p>;
  if (messages.value === undefined) return <p class="absent">{t('loading')}</p>;
  return (
    <MessageList
      messages={messages.value}
      sources={assembled?.kind === 'assembled' ? assembled.sources : undefined}
      unchanged={unchanged}
    />
  );
}

/** What the provider read from its cache, what was sent again, and what is new. */
export function SentThisRound({ index }: { index: number }) {
  const store = useStore();
  const prefix = prefixOf(store, index);
  const { cached, repeated, fresh } = prefix.tokens ?? {};
  const total = (cached ?? 0) + (repeated ?? 0) + (fresh ?? 0);
  const share = (tokens: number | undefined) => ({
    width: `${total === 0 ? 0 : ((tokens ?? 0) / total) * 100}%`,
  });
  return (
    <Section
      title={t('request.sent')}
      note={
        prefix.previousRound === undefined ? undefined : t('request.against', { n: prefix.previousRound })
      }
    >
      <div class="card sent">
        {total > 0 && (
          <div class="stack thick" aria-hidden="true">
            <i class="fill-context" style={share(cached)} />
            <i class="fill-request" style={share(repeated)} />
            <i class="fill-tool" style={share(fresh)} />
          </div>
        )}
        <ul class="legend">
          {prefix.tokens === undefined ? (
            <li>{t('request.notCounted')}</li>
          ) : (
            <>
              <li>
                <i class="swatch fill-context" />
                {cached === undefined ? t('request.cacheUnknown') : t('request.cached', { n: cached })}
              </li>
              {repeated !== undefined && (
                <li>
                  <i class="swatch fill-request" />
                  {t('request.repeated', { n: repeated })}
                </li>
              )}
              <li>
                <i class="swatch fill-tool" />
                {t('request.fresh', { n: fresh ?? 0 })}
              </li>
            </>
          )}
          {prefix.previousRound !== undefined && (
            <li class={prefix.isIntact ? 'note-ok' : 'note-warn'}>
              <Icon name={prefix.isIntact ? 'ok' : 'warn'} />
              {prefix.isIntact
                ? prefix.isCacheLost
                  ? t('request.cacheLost')
                  : t('request.prefixIntact')
                : t('request.prefixChanged', { n: prefix.unchanged + 1 })}
            </li>
          )}
        </ul>
      </div>
    </Section>
  );
}
