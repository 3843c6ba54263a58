/** What a row says: its name, a note, and the sentence that is read aloud. */

import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { statusName } from '../steps/status.tsx';
import { endOf, startOf, type TokenCount, tokensOf } from '../trace/measure.ts';
import type { Row } from '../trace/rows.ts';
import { stateOf } from '../trace/run-status.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import type { TraceStore } from '../trace/trace-store.ts';
import type { IconName } from '../ui/icon-names.ts';

export interface RowText {
  readonly icon: IconName;
  /** Class that gives the icon and the bar their colour. */
  readonly tone:
    | 'assembled'
    | 'request'
    | 'model'
    | 'final'
    | 'tool'
    | 'error'
    | 'end'
    | 'waiting'
    | 'unread';
  readonly name: string;
  readonly isCode: boolean;
  readonly note: string;
  readonly isBad: boolean;
}

export function stepText(store: TraceStore, step: StepSummary): RowText {
  const plain = { isCode: false, isBad: false };
  switch (step.kind) {
    case 'assembled':
      return {
        ...plain,
        icon: 'assembled',
        tone: 'assembled',
        name: t('step.assembled'),
        note: [
          t('messages', { n: step.added?.length ?? 0 }),
          t('tools.count', { n: step.tools ?? 0 }),
          ...((step.dropped ?? 0) > 0 ? [t('dropped.count', { n: step.dropped ?? 0 })] : []),
        ].join(', '),
        isBad: false,
      };
    case 'request':
      return {
        ...plain,
        icon: 'request',
        tone: 'request',
        name: t('step.request'),
        note: requestNote(store, step),
      };
    case 'response':
      return responseText(step);
    case 'tool':
      return {
        icon: step.failed ? 'warn' : 'tool',
        tone: step.failed ? 'error' : 'tool',
        name: step.name ?? '',
        isCode: true,
        note: toolNote(store, step),
        isBad: step.failed,
      };
    case 'error':
      return {
        ...plain,
        icon: 'failed',
        tone: 'error',
        name: step.retryInMs === undefined ? t('step.error') : t('step.attempt'),
        note:
          step.retryInMs === undefined
            ? `${step.code}: ${oneLine(step.head)}`
            : t('step.attemptNote', { code: step.code ?? '', time: format.duration(step.retryInMs) }),
        isBad: true,
      };
    case 'end':
      return {
        ...plain,
        icon: step.failed ? 'failed' : 'end',
        tone: step.failed ? 'error' : 'end',
        name: t('step.end'),
        note: statusName(step.code ?? '', stateOf(store).round),
        isBad: step.failed,
      };
  }
}

function requestNote(store: TraceStore, step: StepSummary): string {
  const attempt = step.attempt ?? 1;
  if (attempt > 1) return t('attempt', { n: attempt });
  const added = step.added?.length ?? 0;
  const tools = t('tools.count', { n: step.tools ?? 0 });
  const hadTools = (store.steps.find((one) => one.kind === 'assembled')?.tools ?? 0) > 0;
  if (step.round > 1 && added > 0) {
    // The closing round takes the tools away.
    return t('messages.added', { n: added }) + (hadTools && step.tools === 0 ? `, ${tools}` : '');
  }
  const sent = (step.sent ?? []).reduce((sum, [start, end]) => sum + end - start, 0);
  return `${t('messages', { n: sent })}, ${tools}`;
}

function responseText(step: StepSummary): RowText {
  const calls = step.calls?.length ?? 0;
  const isCut =
    step.finishReason === 'length' || step.finishReason === 'content_filter' || step.finishReason === 'other';
  const isFinal = calls === 0 && step.finishReason === 'stop';
  return {
    icon: isCut ? 'warn' : isFinal ? 'ok' : 'response',
    tone: isFinal ? 'final' : 'model',
    name: isFinal ? t('step.final') : t('step.response'),
    isCode: false,
    note: isCut || calls === 0 ? (step.finishReason ?? '') : t('asks', { n: calls }),
    isBad: isCut,
  };
}

function toolNote(store: TraceStore, step: StepSummary): string {
  const repeat = store.repeatOf(step.index);
  const text = oneLine(step.head);
  return repeat === undefined ? text : `${t('tool.repeat', { n: repeat + 1 })} · ${text}`;
}

export function roundNote(row: Row): string {
  if (row.type !== 'round') return '';
  const { calls, failures, isAnswer } = row.round;
  if (isAnswer && failures === 0) return t('round.answer');
  const parts = calls > 0 ? [t('calls', { n: calls })] : [];
  if (failures > 0) parts.push(t('failed.count', { n: failures }));
  return parts.join(', ');
}

export function tokenText(count: TokenCount | undefined): string {
  if (count === undefined) return '';
  return `${count.isEstimate ? '≈' : ''}${format.count(count.tokens)}`;
}

/** The name of a row for those who hear it. */
export function spoken(store: TraceStore, row: Row): string {
  switch (row.type) {
    case 'round':
      return [
        t('round.n', { n: row.round.round }),
        roundNote(row),
        row.round.tokens === undefined ? '' : t('tokens.long', { n: row.round.tokens }),
        format.spokenDuration(row.round.end - row.round.start),
      ]
        .filter((part) => part !== '')
        .join(', ');
    case 'step': {
      const { name, note } = stepText(store, row.step);
      const tokens = tokensOf(store, row.step);
      const start = row.step.kind === 'end' ? endOf(store, row.step) : startOf(store, row.step);
      return [
        row.step.kind === 'tool' ? t('tool.named', { name }) : name,
        row.step.failed ? t('tool.failed') : '',
        row.step.round > 0 && row.step.kind !== 'end' ? t('round.lower', { n: row.step.round }) : '',
        note,
        tokens === undefined ? '' : t('tokens.long', { n: tokens.tokens }),
        row.step.durationMs === undefined ? '' : format.spokenDuration(row.step.durationMs),
        t('startsAt', { time: format.spokenDuration(start) }),
      ]
        .filter((part) => part !== '')
        .join(', ');
    }
    case 'waiting':
      return `${t('waiting.model')}, ${t('round.lower', { n: row.round })}`;
    case 'running':
      return t('running.tool', { name: row.call.name });
    case 'unread':
      return `${t('unread.line', { n: row.line.line })}, ${row.line.message || oneLine(row.line.text)}`;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 120);
}
