import { ProblemError } from '../http/problem.ts';
import type { ExportFormat, Redaction } from '../protocol.ts';
import type { KnownRun } from '../runs/runs.ts';
import { lineRedactor } from './redact-lines.ts';
import { reportHtml } from './report.ts';

export interface Exported {
  readonly type: string;
  readonly extension: string;
  readonly body: string | ReadableStream<Uint8Array>;
}

/** A run as a file to hand on. Throws 413 for a report over its limit, 422 for HAR without raw capture. */
export async function exportRun(
  run: KnownRun,
  { format, redact }: { readonly format: ExportFormat; readonly redact: Redaction },
  version: string,
  secrets: readonly string[],
): Promise<Exported> {
  switch (format) {
    case 'ndjson':
      return {
        type: 'application/x-ndjson',
        extension: 'ndjson',
        body: traceStream(run, lineRedactor(redact, secrets)),
      };
    case 'html': {
      const trace = await wholeText(traceStream(run, lineRedactor(redact, secrets)));
      const name = run.summary.title ?? run.id;
      return {
        type: 'text/html',
        extension: 'html',
        body: reportHtml({ trace, redaction: redact, version, name }),
      };
    }
    default:
      throw new ProblemError('unavailable', { detail: `Export as ${format} is not built in yet.` });
  }
}

/** The trace file, redacted line by line. */
function traceStream(run: KnownRun, redactLine: (line: string) => string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = run.lines.count;
  const reader = run.lines.open();
  let next = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        // A line that cannot be redacted is left out.
        let line = '';
        while (line === '' && next < end) line = redactLine(await (await reader).read(next++));
        if (line !== '') controller.enqueue(encoder.encode(line));
        else {
          await (await reader).close();
          controller.close();
        }
      },
      async cancel() {
        await (await reader).close();
      },
    },
    { highWaterMark: 0 },
  );
}

async function wholeText(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}
