/** The run that is open: started here, or looked up. Its store outlives the screen, so that a look at History loses nothing. */

import { signal } from '@preact/signals';
import type { RunRequest } from '../../protocol.ts';
import { api } from '../api.ts';
import { selectFirst } from '../file-trace.ts';
import { Inspection } from '../inspection.ts';
import { followRun } from '../live.ts';
import { go } from '../route.ts';
import { TraceStore } from '../trace/trace-store.ts';
import { messageOf } from '../ui/context.ts';
import { currentRun } from './actions.ts';

export const inspection = signal<Inspection | undefined>(undefined);
export const openError = signal<string | undefined>(undefined);

/** Starts a run and shows it. Rejects with the server's problem. */
export async function startRun(request: RunRequest): Promise<void> {
  const { runId } = await api.start(request, crypto.randomUUID());
  go(`#/r/${encodeURIComponent(runId)}`);
  watchRun(runId);
}

/** Opens a stored or running run, unless it is the open one. */
export function watchRun(id: string): void {
  if (currentRun.value === id && inspection.value !== undefined) return;
  inspection.value?.close();
  openError.value = undefined;
  const store = new TraceStore();
  const opened = new Inspection(
    store,
    { kind: 'run', id },
    { blob: (ref) => api.blob(id, ref.$blob), answerTimes: api.answerTimes },
  );
  currentRun.value = id;
  inspection.value = opened;
  const isFresh = !/[?&]step=/.test(location.hash);
  if (isFresh) opened.follow.value = true;
  followRun(id, store, opened.signal)
    .catch((error: unknown) => {
      openError.value = messageOf(error);
    })
    .finally(() => {
      if (store.steps.length + store.unread.length > 0) selectAnswer(opened);
    });
}

export function stopRun(opened: Inspection): void {
  if (opened.origin.kind !== 'run' || opened.isStopping.value) return;
  opened.isStopping.value = true;
  api.cancel(opened.origin.id).catch((error: unknown) => {
    opened.isStopping.value = false;
    openError.value = messageOf(error);
  });
}

/** Who followed the run wants to see its answer at the end, not its end mark. */
function selectAnswer(opened: Inspection): void {
  if (!opened.follow.value) {
    selectFirst(opened);
    return;
  }
  opened.follow.value = false;
  opened.selected.value = undefined;
  selectFirst(opened);
}
