/** Opens a trace file. Small ones are read whole; of big ones only an index is kept, and a step is read when it is opened. */

import type { RunStep } from '@glassloop/core';
import { Inspection } from './inspection.ts';
import { LineSplitter } from './trace/line-splitter.ts';
import { TraceStore } from './trace/trace-store.ts';
import { unreadLine } from './trace/unread.ts';
import type { IndexedPart } from './trace-index.ts';
import { startIndexing } from './workers.ts';

const READ_WHOLE_UP_TO = 20_000_000;
const KEPT_STEPS = 64;

export function openFile(file: File): Inspection {
  const store = new TraceStore();
  const inspection = new Inspection(store, {
    kind: 'file',
    name: file.name,
    size: file.size,
    file: () => file,
  });
  const isSmall = file.size <= READ_WHOLE_UP_TO;
  const done = isSmall ? readWhole(file, store, inspection.signal) : indexFile(file, store, inspection);
  inspection.loaded = done
    .catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      store.addUnread(unreadLine({ line: 0, message }, '', store.steps.length));
    })
    .finally(() => {
      inspection.progress.value = undefined;
      selectFirst(inspection);
      store.changed();
    });
  return inspection;
}

/** A text that is already here: a pasted trace, a report. */
export function readText(store: TraceStore, text: string): void {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const isCut = index === lines.length - 1;
    if (!isCut || line.trim() !== '') store.readLine(line, isCut);
  }
}

/** What a reader wants to see first: what went wrong, else the answer. */
export function selectFirst(inspection: Inspection): void {
  if (inspection.selected.value !== undefined) return;
  const { steps } = inspection.store;
  const step =
    steps.findLast((one) => one.kind === 'error' && one.retryInMs === undefined) ??
    steps.findLast((one) => one.kind === 'response') ??
    steps[0];
  const line = inspection.store.unread[0];
  if (step !== undefined) inspection.selected.value = `s${step.index}`;
  else if (line !== undefined) inspection.selected.value = `u${line.line}`;
}

async function readWhole(file: Blob, store: TraceStore, signal: AbortSignal): Promise<void> {
  const splitter = new LineSplitter();
  const reader = file.stream().getReader();
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const line of splitter.push(value)) store.readLine(line);
  }
  const rest = splitter.end();
  if (rest !== undefined) store.readLine(rest, true);
}

async function indexFile(file: Blob, store: TraceStore, inspection: Inspection): Promise<void> {
  const addPart = bodiesFrom(store, () => file);
  inspection.progress.value = 0;
  await startIndexing(file, inspection.signal, (part: IndexedPart) => {
    addPart(part);
    inspection.progress.value = part.read / Math.max(1, file.size);
    if (inspection.selected.value === undefined && store.steps.length > 0) inspection.selected.value = 's0';
    store.changed();
  });
}

/** The store reads each step from the file when it is asked for; what is returned takes the parts of the index. */
export function bodiesFrom(store: TraceStore, file: () => Blob | Promise<Blob>): (part: IndexedPart) => void {
  const places: (readonly [start: number, end: number])[] = [];
  const read = new Map<number, Promise<RunStep>>();
  store.bodies = {
    get(index) {
      let step = read.get(index);
      if (step === undefined) {
        step = readStep(file, places[index]);
        // The open step and those it refers to are asked for with every render; all others are read again.
        if (read.size >= KEPT_STEPS) read.delete(read.keys().next().value as number);
        read.set(index, step);
      }
      return step;
    },
  };
  return (part) => {
    if (part.header !== undefined) store.header = part.header;
    for (const [at, summary] of part.steps.entries()) {
      places.push(part.places[at]!);
      store.addSummary(summary);
    }
    for (const line of part.unread) store.addUnread(line);
    store.unreadBeyond += part.unreadBeyond;
    if (part.endsMidLine) store.endsMidLine = true;
  };
}

async function readStep(
  file: () => Blob | Promise<Blob>,
  place: readonly [number, number] | undefined,
): Promise<RunStep> {
  if (place === undefined) throw new RangeError('This step has not been read yet.');
  const text = await (await file()).slice(place[0], place[1]).text();
  return (JSON.parse(text) as { step: RunStep }).step;
}
