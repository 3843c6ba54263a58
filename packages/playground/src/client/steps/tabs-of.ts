/** The views of a row, by its kind. A new kind of step does not compile until it has one. */

import type { RunStep } from '@glassloop/core';
import type { Row } from '../trace/rows.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import type { TraceStore } from '../trace/trace-store.ts';
import { assembledTabs } from './assembled.tsx';
import { endTabs } from './end.tsx';
import { errorTabs } from './error.tsx';
import { runningTabs, waitingTabs } from './live.tsx';
import { requestTabs } from './request.tsx';
import { responseTabs } from './response.tsx';
import { roundTabs, unreadTabs } from './round.tsx';
import type { Tab } from './tab.ts';
import { toolTabs } from './tool.tsx';

export function tabsOfStep(step: RunStep, summary: StepSummary, store: TraceStore): readonly Tab[] {
  switch (step.kind) {
    case 'assembled':
      return assembledTabs(step, summary);
    case 'request':
      return requestTabs(step, summary);
    case 'response':
      return responseTabs(step, summary, requestBefore(store, summary));
    case 'tool':
      return toolTabs(step, summary);
    case 'error':
      return errorTabs(step, summary);
    case 'end':
      return endTabs(step, summary);
    default:
      return step satisfies never;
  }
}

export function tabsOfRow(row: Exclude<Row, { readonly type: 'step' }>): readonly Tab[] {
  switch (row.type) {
    case 'round':
      return roundTabs(row.round);
    case 'waiting':
      return waitingTabs(row.round);
    case 'running':
      return runningTabs(row.call);
    case 'unread':
      return unreadTabs(row.line);
    default:
      return row satisfies never;
  }
}

/** What keeps the reader's choice of a tab. */
export function kindOf(row: Row): string {
  return row.type === 'step' ? row.step.kind : row.type;
}

function requestBefore(store: TraceStore, summary: StepSummary): StepSummary | undefined {
  const { request } = store.rounds.get(summary.round) ?? {};
  return request === undefined ? undefined : store.steps[request];
}
