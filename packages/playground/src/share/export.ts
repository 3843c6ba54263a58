import type { TraceHeader } from '@glassloop/core/trace-file';
import {
  type ExportOptions,
  harWriter,
  markdownWriter,
  otlpWriter,
  redactHeader,
  type TraceWriter,
} from '@glassloop/trace';
import { ProblemError } from '../http/problem.ts';
import type { ExportFormat, Redaction, StepLine } from '../protocol.ts';
import type { LineReader } from '../runs/lines.ts';
import type { KnownRun } from '../runs/runs.ts';
import { lineRedactor } from './redact-lines.ts';
import { reportHtml } from './report.ts';

export interface Exported {
  readonly type: string;
  readonly extension: string;
  readonly body: string | ReadableStream<Uint8Array>;
}

/** A run as a file to hand on, written while it is sent. Throws 413 for a report over its limit, 422 for HAR without raw capture. */
export async function exportRun(
  run: KnownRun,
  { format, redact }: { readonly format: ExportFormat; readonly redact: Redaction },
  version: string,
  secrets: readonly string[],
): Promise<Exported> {
  const options: ExportOptions = { level: redact, secrets, content: redact !== 'content' };
  const written = (writer: TraceWriter) =>
    streamOf(
      run,
      (line) => writer.add(stepOf(line)),
      () => writer.end(),
    );
  const redactLine = lineRedactor(redact, secrets);
  switch (format) {
    case 'ndjson':
      return {
        type: 'application/x-ndjson',
        extension: 'ndjson',
        body: streamOf(run, redactLine, () => '', 0),
      };
    case 'html': {
      const trace = await new Response(streamOf(run, redactLine, () => '', 0)).text();
      const name = redact === 'content' ? run.id : (run.summary.title ?? run.id);
      return {
        type: 'text/html',
        extension: 'html',
        body: reportHtml({ trace, redaction: redact, version, name }),
      };
    }
    case 'md':
      return {
        type: 'text/markdown',
        extension: 'md',
        body: written(markdownWriter(redactHeader(run.header as unknown as TraceHeader, options), options)),
      };
    case 'otlp':
      return {
        type: 'application/json',
        extension: 'otlp.json',
        body: written(otlpWriter(run.header as unknown as TraceHeader, options)),
      };
    case 'har':
      if (!run.summary.capturesRaw) {
        throw new ProblemError('not_captured', { hint: 'Run it again with raw capture on.' });
      }
      return { type: 'application/json', extension: 'har', body: written(harWriter(options)) };
  }
}

function stepOf(line: string): StepLine['step'] {
  return (JSON.parse(line) as StepLine).step;
}

/** What `write` makes of each line from `from` on, and `end` of the end; an empty text is left out. */
function streamOf(
  run: KnownRun,
  write: (line: string) => string,
  end: () => string,
  from = 1,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // What comes later is not part of it: a run may still go on.
  const { count } = run.lines;
  let reader: LineReader | undefined;
  let next = from;
  return new ReadableStream(
    {
      async pull(controller) {
        reader ??= await run.lines.open();
        let text = '';
        while (text === '' && next < count) text = write(await reader.read(next++));
        if (text === '' && next === count) {
          next++;
          text = end();
        }
        if (text !== '') return controller.enqueue(encoder.encode(text));
        await reader.close();
        controller.close();
      },
      async cancel() {
        await reader?.close();
      },
    },
    { highWaterMark: 0 },
  );
}
