/** Follows the events of a run into a store, and comes back when the connection breaks: the run belongs to the server. */

import { ApiProblem, api } from './api.ts';
import { LineSplitter } from './trace/line-splitter.ts';
import type { TraceStore } from './trace/trace-store.ts';

const SILENCE_MS = 25_000;
const UNREACHABLE_MS = 30_000;

/** Resolves when the run has ended, or `signal` aborts. Rejects when there is no such run. */
export async function followRun(id: string, store: TraceStore, signal: AbortSignal): Promise<void> {
  let delay = 250;
  let lostAt: number | undefined;
  store.connection = 'live';
  while (!signal.aborted) {
    const linesBefore = store.lastSeq;
    try {
      await readEvents(id, store, signal, () => {
        lostAt = undefined;
        delay = 250;
        if (store.connection !== 'live') {
          store.connection = 'live';
          store.changed();
        }
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiProblem && error.problem.status < 500 && error.problem.status !== 429) {
        store.connection = 'closed';
        store.changed();
        throw error;
      }
    }
    if (hasEnded(store) || signal.aborted) break;
    if (store.lastSeq > linesBefore) delay = 250;
    lostAt ??= Date.now();
    store.connection = Date.now() - lostAt > UNREACHABLE_MS ? 'unreachable' : 'reconnecting';
    store.changed();
    await pause(delay * (0.8 + Math.random() * 0.4), signal);
    delay = Math.min(delay * 2, 5000);
  }
  store.connection = 'closed';
  store.changed();
}

function hasEnded(store: TraceStore): boolean {
  return store.endStatus !== undefined || store.end !== undefined;
}

async function readEvents(id: string, store: TraceStore, signal: AbortSignal, onConnected: () => void) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  signal.addEventListener('abort', stop, { once: true });
  let timer = setTimeout(stop, SILENCE_MS);
  const splitter = new LineSplitter();
  try {
    const after = store.header === undefined ? undefined : store.lastSeq;
    const response = await api.events(id, after, silence.signal);
    onConnected();
    const reader = response.body!.getReader();
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      for (const line of splitter.push(value)) if (line.trim() !== '') store.readLine(line);
      if (store.endStatus !== undefined) break;
    }
    // Half a line at the end of a broken connection comes again whole.
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    silence.abort();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
