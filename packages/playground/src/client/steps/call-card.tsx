import type { ToolCall, ToolSpec } from '@glassloop/core';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { estimatedTokens } from '../trace/measure.ts';
import { checkArguments } from '../trace/schema-check.ts';
import { useStep, useStore } from '../ui/context.ts';
import { Heading } from '../ui/heading.tsx';
import { Icon } from '../ui/icon.tsx';
import { Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { StatusTag, StepLink } from './parts.tsx';

/** What the model asked for and what it was told, side by side. */
export function CallCard({
  call,
  round,
  spec,
}: {
  call: ToolCall;
  round: number;
  spec: ToolSpec | undefined;
}) {
  const store = useStore();
  const index = store.stepOfCall(call.id, 'tool', round);
  const summary = index === undefined ? undefined : store.steps[index];
  const step = useStep(index);
  const failed = summary?.failed === true;
  return (
    <article class={failed ? 'card call failed' : 'card call'}>
      <header>
        <Icon name={failed ? 'warn' : 'tool'} />
        <Heading>
          <VisibleText text={call.name} />
        </Heading>
        {summary !== undefined && (
          <StatusTag failed={failed}>{failed ? t('tool.failed') : t('tool.ok')}</StatusTag>
        )}
        {summary !== undefined && <span class="mono muted">{format.duration(summary.durationMs)}</span>}
        <span class="mono muted call-id" title={call.id}>
          {shortId(call.id)}
        </span>
        <span class="spacer" />
        {index !== undefined && <StepLink index={index} />}
      </header>
      <div class="two">
        <div>
          <Payload
            compact
            value={call.argumentsJson}
            label={t('tab.arguments')}
            note={<SchemaNote spec={spec} argumentsJson={call.argumentsJson} />}
          />
        </div>
        <div>
          {step?.kind === 'tool' && summary !== undefined ? (
            <Payload
              compact
              value={step.result}
              label={failed ? t('tool.errorSent') : t('tab.result')}
              note={<small>{t('tokens.about', { n: estimatedTokens(summary.length) })}</small>}
            />
          ) : (
            <p class="absent">{store.isRunning ? t('tool.notYet') : t('tool.notRun')}</p>
          )}
        </div>
      </div>
    </article>
  );
}

export function SchemaNote({ spec, argumentsJson }: { spec: ToolSpec | undefined; argumentsJson: unknown }) {
  if (typeof argumentsJson !== 'string') return null;
  if (spec === undefined) return <span class="note-warn">{t('schema.unknownTool')}</span>;
  const check = checkArguments(spec.parameters, argumentsJson);
  switch (check.result) {
    case 'matches':
      return (
        <span class="note-ok">
          <Icon name="ok" />
          {t('schema.matches')}
        </span>
      );
    case 'unchecked':
      return <span>{t('schema.partly')}</span>;
    case 'not_json':
      return <span class="note-error">{t('schema.notJson')}</span>;
    case 'differs':
      return <span class="note-error">{t('schema.differs', { path: check.path, rule: check.rule })}</span>;
  }
}

function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-3)}`;
}
