/** What became of a run, as a closed set; what is not in it is said to be unknown. */

import type { RunStatus } from '../../protocol.ts';
import type { TraceStore } from './trace-store.ts';

export type Tone = 'running' | 'ok' | 'warn' | 'error' | 'quiet' | 'info';

const TONES: { readonly [status in RunStatus]: Tone } = {
  running: 'running',
  completed: 'ok',
  length: 'warn',
  round_limit: 'warn',
  limit: 'warn',
  repeat: 'warn',
  content_filter: 'warn',
  incomplete: 'warn',
  dry_run: 'info',
  failed: 'error',
  aborted: 'quiet',
  interrupted: 'quiet',
  newer: 'warn',
};

export function isKnownStatus(status: string): status is RunStatus {
  return Object.hasOwn(TONES, status);
}

export function toneOf(status: string): Tone {
  return isKnownStatus(status) ? TONES[status] : 'warn';
}

export interface RunState {
  /** A RunStatus, or a word this page does not know. */
  readonly status: string;
  readonly detail?: string;
  /** The round it ended in. */
  readonly round: number;
}

export function stateOf(store: TraceStore): RunState {
  if (store.newerVersion !== undefined) return { status: 'newer', round: 0 };
  const { end } = store;
  const round = store.steps.findLast((step) => step.kind !== 'end')?.round ?? 0;
  if (end !== undefined) {
    return { status: end.code ?? 'interrupted', round, ...(end.head === '' ? {} : { detail: end.head }) };
  }
  if (store.isRunning) return { status: 'running', round };
  const detail = store.endDetail;
  return { status: store.endStatus ?? 'interrupted', round, ...(detail === undefined ? {} : { detail }) };
}
