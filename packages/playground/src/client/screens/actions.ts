/** What can be done with an open run from more than one place. */

import { signal } from '@preact/signals';
import type { RunRequest } from '../../protocol.ts';
import { t } from '../i18n/index.ts';
import type { Inspection } from '../inspection.ts';
import { go } from '../route.ts';
import type { TraceStore } from '../trace/trace-store.ts';

/** How the page is used: with a server, or as a viewer of files. */
export const hasServer = signal(false);
/** Set by who starts a run: its steps are what the person wants to look at, as soon as they are there. */
export const focusesSteps = signal(false);
/** Id of the open run. */
export const currentRun = signal<string | undefined>(undefined);
/** A request that the run form takes over when it opens. */
export const prefill = signal<RunRequest | undefined>(undefined);
/** Files that were opened, so that Compare can have them too. */
export const openFiles = signal<readonly File[]>([]);
/** Instead of those: a file that is read on while it grows. */
export const followedFile = signal<FileSystemFileHandle | undefined>(undefined);

const marked = signal<Inspection | undefined>(undefined);

/** undefined when there is no server, or the trace does not say what was asked for. */
export function runAgainWithRaw(store: TraceStore): (() => void) | undefined {
  const request = store.header?.request;
  if (!hasServer.value || request === undefined || store.newerVersion !== undefined) return undefined;
  return () => {
    prefill.value = { ...request, captureRaw: true };
    go('#/run');
  };
}

/** Opens the form with the conversation up to a step; undefined for a trace that the server does not have. */
export function runFrom(inspection: Inspection): ((index: number) => void) | undefined {
  const { origin, store } = inspection;
  if (!hasServer.value || origin.kind !== 'run' || store.newerVersion !== undefined) return undefined;
  return (index) => go(`#/run?from=${encodeURIComponent(origin.id)}&step=${index + 1}`);
}

/** Remembers a run as A; the sentence says so. */
export function markRun(inspection: Inspection): string {
  marked.value = inspection;
  return t('say.marked');
}

export function compareWithMarked(inspection: Inspection): void {
  const [a, b] = [marked.value?.origin, inspection.origin];
  if (a?.kind === 'run' && b.kind === 'run')
    go(`#/compare?a=${encodeURIComponent(a.id)}&b=${encodeURIComponent(b.id)}`);
  else if (a?.kind === 'file' && b.kind === 'file') {
    void Promise.all([a.file(), b.file()]).then((files) => {
      openFiles.value = files;
      go('#/compare');
    });
  }
}
