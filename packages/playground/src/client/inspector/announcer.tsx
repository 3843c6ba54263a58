import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { statusName } from '../steps/status.tsx';
import { totalsOf } from '../trace/measure.ts';
import { stateOf } from '../trace/run-status.ts';
import { useInspection } from '../ui/context.ts';

const said = signal('');
const EVERY_MS = 3000;

/** Says something once, politely: for what a key did. */
export function say(text: string): void {
  said.value = '';
  queueMicrotask(() => {
    said.value = text;
  });
}

/** Tells those who listen what happened to the run: at most every three seconds, and never token by token. */
export function Announcer() {
  const inspection = useInspection();
  const seen = useRef({
    steps: inspection.store.steps.length,
    wasRunning: inspection.store.isRunning,
    at: 0,
  });
  inspection.version.value;
  useEffect(() => {
    const { store } = inspection;
    const last = seen.current;
    if (last.wasRunning && !store.isRunning) {
      const state = stateOf(store);
      const totals = totalsOf(store);
      say(
        t('say.ended', {
          status: statusName(state.status, state.round),
          n: totals.answers,
          tokens: format.count(totals.usage.totalTokens),
        }),
      );
    } else if (store.isRunning && Date.now() - last.at >= EVERY_MS) {
      const fresh = store.steps.slice(last.steps);
      const failed = fresh.findLast((step) => step.failed);
      const round = fresh.findLast((step) => step.kind === 'request');
      if (failed !== undefined) say(t('say.failed', { name: failed.name ?? failed.code ?? '' }));
      else if (round !== undefined) say(t('say.round', { n: round.round }));
      if (failed !== undefined || round !== undefined) last.at = Date.now();
    }
    last.steps = store.steps.length;
    last.wasRunning = store.isRunning;
  });
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {said.value}
    </div>
  );
}
