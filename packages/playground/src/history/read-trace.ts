import { createReadStream } from 'node:fs';
import { TRACE_VERSION, type TraceHeader, TraceReader } from '@glassloop/core/trace-file';
import type { RunLine } from '../protocol.ts';
import { FileLines, type Stretch } from '../runs/lines.ts';
import { Tally } from '../runs/summary.ts';

/** A trace file that was read once: where its lines are, and what they say in short. */
export interface StoredTrace {
  readonly header: RunLine;
  readonly lines: FileLines;
  readonly tally: Tally;
  /** Its lines are all those of the file, and none was read: they may mean something else by now. */
  readonly isNewer: boolean;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

const NEWLINE = 10;

/** Reads a file of any size with the memory of one line. undefined: it is no trace. */
export async function readTrace(
  path: string,
  id: string,
  changedAt: number,
): Promise<StoredTrace | undefined> {
  const reader = new TraceReader();
  const stretches: Stretch[] = [];
  let tally: Tally | undefined;
  let header: RunLine | undefined;
  let isNewer = false;
  const take = (bytes: Buffer, start: number, isCut: boolean) => {
    const text = bytes.toString('utf8');
    if (isNewer) {
      if (text.trim() !== '') stretches.push({ start, end: start + bytes.length });
      return;
    }
    const step = reader.read(text, isCut);
    const stretch = { start, end: start + bytes.length };
    if (header === undefined && reader.header !== undefined) {
      isNewer = reader.header.version > TRACE_VERSION;
      header = soundHeader(reader.header, isNewer, id, changedAt);
      tally = new Tally(header);
      stretches.push(stretch);
    } else if (step !== undefined && tally !== undefined) {
      tally.add(step, bytes.length);
      stretches.push(stretch);
    }
  };
  let start = 0;
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const bytes = Buffer.concat([...parts, chunk.subarray(from, at + 1)]);
      parts = [];
      take(bytes, start, false);
      start += bytes.length;
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) take(Buffer.concat(parts), start, true);
  if (header === undefined || tally === undefined) return undefined;
  return {
    header,
    tally,
    isNewer,
    lines: new FileLines(path, stretches),
    problems: isNewer ? [] : reader.end(),
  };
}

/** As this server relies on it; the file keeps what it says. */
function soundHeader(header: TraceHeader, isNewer: boolean, id: string, changedAt: number): RunLine {
  const { request, startedAt, ...facts } = header;
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  return {
    type: 'run',
    seq: 0,
    ...facts,
    // The name of the file is the id here; a copy under another name is another run.
    id,
    startedAt:
      typeof startedAt === 'string' && !Number.isNaN(Date.parse(startedAt))
        ? startedAt
        : new Date(changedAt).toISOString(),
    capturesRaw: header.capturesRaw === true,
    ...(isObject && !isNewer ? { request: request as NonNullable<RunLine['request']> } : {}),
  };
}
