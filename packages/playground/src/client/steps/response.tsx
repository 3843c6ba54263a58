import type { ResponseStep } from '@glassloop/core';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useStep, useStore } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { isBlobRef, Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { CallCard } from './call-card.tsx';
import { Absent, Facts, JsonPanel, NotCaptured, Section, Warnings } from './parts.tsx';
import { lengthOf, MessagesSent, SentThisRound } from './request.tsx';
import type { Tab } from './tab.ts';
import { Timing } from './timing.tsx';
import { ToolsOffered } from './tools-offered.tsx';

export function responseTabs(
  step: ResponseStep,
  summary: StepSummary,
  request: StepSummary | undefined,
): readonly Tab[] {
  const reasoning = step.usage.reasoningTokens;
  return [
    {
      id: 'structured',
      label: t('tab.structured'),
      view: () => <Response step={step} summary={summary} request={request} />,
    },
    {
      id: 'messages',
      label: t('tab.messages'),
      badge: request === undefined ? undefined : format.count(lengthOf(request)),
      view: () =>
        request === undefined ? (
          <Absent>{t('absent.noRequest')}</Absent>
        ) : (
          <MessagesSent index={request.index} />
        ),
    },
    {
      id: 'tools',
      label: t('tab.tools'),
      badge: request === undefined ? undefined : format.count(request.tools),
      view: () =>
        request === undefined ? <Absent>{t('absent.noRequest')}</Absent> : <Offered index={request.index} />,
    },
    {
      id: 'thinking',
      label: t('tab.thinking'),
      badge: reasoning === undefined ? undefined : t('tokens', { n: reasoning }),
      view: () => <Thinking step={step} />,
    },
    { id: 'raw', label: t('tab.raw'), view: () => <Raw value={step.raw} /> },
    { id: 'timing', label: t('tab.timing'), view: () => <Timing step={summary} /> },
  ];
}

export function Raw({ value }: { value: unknown }) {
  if (value === undefined) return <NotCaptured />;
  if (isBlobRef(value)) return <Payload value={value} label={t('tab.raw')} />;
  return <JsonPanel value={value} label={t('tab.raw')} />;
}

function Offered({ index }: { index: number }) {
  const step = useStep(index);
  return <ToolsOffered names={step?.kind === 'request' ? step.toolsOffered : []} />;
}

function Response(props: { step: ResponseStep; summary: StepSummary; request: StepSummary | undefined }) {
  const { step, summary, request } = props;
  const store = useStore();
  const assembled = useStep(store.steps.find((one) => one.kind === 'assembled')?.index);
  const tools = assembled?.kind === 'assembled' ? assembled.tools : [];
  const calls = step.message.toolCalls ?? [];
  const asked = assembled?.kind === 'assembled' ? assembled.settings.model : undefined;
  return (
    <>
      <StopNotice step={step} />
      {step.model !== undefined && asked !== undefined && step.model !== asked && (
        <p class="notice">
          <Icon name="info" />
          <span>{t('response.otherModel', { asked, answered: step.model })}</span>
        </p>
      )}
      {step.thinking !== undefined && step.thinking !== '' && (
        <ThinkingPreview text={textOf(step.thinking)} />
      )}
      {step.message.content !== '' ? (
        <Payload value={step.message.content} label={t('response.text')} prose />
      ) : (
        calls.length === 0 && <Absent>{t('response.empty')}</Absent>
      )}
      {calls.length > 0 && (
        <Section
          title={t('response.calls')}
          note={callsNote(
            summary,
            store.rounds.get(summary.round)?.tools.map((at) => store.steps[at]!) ?? [],
          )}
        >
          {calls.map((call) => (
            <CallCard
              key={call.id}
              call={call}
              round={summary.round}
              spec={tools.find((tool) => tool.name === call.name)}
            />
          ))}
        </Section>
      )}
      <Warnings warnings={step.warnings} />
      {request !== undefined && <SentThisRound index={request.index} />}
      <Section title={t('usage')}>
        <UsageFacts usage={step.usage} />
      </Section>
    </>
  );
}

function StopNotice({ step }: { step: ResponseStep }) {
  if (step.finishReason === 'length') return <Notice text={t('finish.length')} />;
  if (step.finishReason === 'content_filter') return <Notice text={t('finish.contentFilter')} />;
  if (step.finishReason === 'other')
    return <Notice text={t('finish.other', { reason: step.rawFinishReason ?? format.UNKNOWN })} />;
  return null;
}

function Notice({ text }: { text: string }) {
  return (
    <p class="notice warn">
      <Icon name="warn" />
      <span>{text}</span>
    </p>
  );
}

/** Side by side when one began before another ended. */
function callsNote(response: StepSummary, tools: readonly StepSummary[]): string {
  const calls = t('calls', { n: response.calls?.length ?? 0 });
  if (tools.length < 2) return calls;
  const inOrder = [...tools].sort((one, other) => startOf(one) - startOf(other));
  const isOverlap = inOrder.some((tool, at) => at > 0 && startOf(tool) < inOrder[at - 1]!.at - 1);
  const total = Math.max(...tools.map((tool) => tool.at)) - startOf(inOrder[0]!);
  return `${calls}, ${isOverlap ? t('calls.together') : t('calls.inTurn')}, ${format.duration(total)}`;
}

function startOf(tool: StepSummary): number {
  return tool.at - (tool.durationMs ?? 0);
}

function ThinkingPreview({ text }: { text: string }) {
  return (
    <details class="thinking">
      <summary>
        <Icon name="thinking" />
        <b>{t('tab.thinking')}</b>
        <span class="summary-text" dir="auto">
          <VisibleText text={text.slice(0, 400)} />
        </span>
        <Icon name="down" class="twist" />
      </summary>
      <div class="text-block" dir="auto">
        <VisibleText text={text.slice(0, 100_000)} />
      </div>
    </details>
  );
}

function Thinking({ step }: { step: ResponseStep }) {
  const { reasoningTokens } = step.usage;
  const state = step.message.providerState;
  return (
    <>
      {step.thinking !== undefined && step.thinking !== '' ? (
        <>
          <p class="muted">{t('thinking.visible')}</p>
          <Payload value={step.thinking} label={t('tab.thinking')} prose />
        </>
      ) : (
        <Absent>
          {(reasoningTokens ?? 0) > 0
            ? t('thinking.countedOnly', { n: reasoningTokens ?? 0 })
            : reasoningTokens === 0
              ? t('thinking.none')
              : t('thinking.notReported')}
        </Absent>
      )}
      {state !== undefined && (
        <Section title={t('message.providerState')} note={t('thinking.encrypted')}>
          <Payload value={state} label={t('message.providerState')} />
        </Section>
      )}
    </>
  );
}

export function UsageFacts({ usage }: { usage: ResponseStep['usage'] }) {
  const value = (tokens: number | undefined) =>
    tokens === undefined ? t('absent.notReported') : format.count(tokens);
  const { promptTokens: prompt, cacheReadTokens: read, cacheWriteTokens: write } = usage;
  const fresh = prompt === undefined ? undefined : prompt - (read ?? 0) - (write ?? 0);
  return (
    <Facts
      facts={[
        [t('usage.prompt'), value(prompt)],
        [t('usage.fresh'), value(fresh)],
        [t('usage.cacheRead'), value(read)],
        [t('usage.cacheWrite'), value(write)],
        [t('usage.completion'), value(usage.completionTokens)],
        [t('usage.reasoning'), value(usage.reasoningTokens)],
        [t('usage.total'), value(usage.totalTokens)],
        [
          t('usage.cost'),
          usage.estimatedCost === undefined ? t('absent.noPrice') : format.cost(usage.estimatedCost),
        ],
      ]}
    />
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as { head?: unknown } | null)?.head ?? '');
}
