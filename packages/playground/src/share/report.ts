import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ProblemError } from '../http/problem.ts';
import { REPORT_PLACEHOLDER, type Redaction, type ReportData } from '../protocol.ts';
import { lineRedactor } from './redact-lines.ts';

/** Of the packed trace, as base64. */
export const MOST_REPORT_BYTES = 50 * 1024 * 1024;

/** A report of a trace file that has not been redacted yet. Throws as `reportHtml` does. */
export function reportOfTrace(
  trace: string,
  facts: Omit<ReportFacts, 'trace' | 'redaction'> & {
    /** Default `secrets`. */
    readonly redact?: Redaction;
    /** What is blacked out whatever it looks like, unless `redact` is `none`. */
    readonly secrets?: readonly string[];
  },
): string {
  const { redact = 'secrets', secrets = [], ...rest } = facts;
  const redactLine = lineRedactor(redact, secrets);
  const lines = trace
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const redacted = lines.map((line) => redactLine(`${line}\n`)).join('');
  if (lines[0] === undefined || !lines[0].includes('"glassloop-trace"')) {
    throw new ProblemError('invalid_trace', { detail: 'The first line is no header of a glassloop trace.' });
  }
  return reportHtml({ ...rest, trace: redacted, redaction: redact });
}

export interface ReportFacts {
  /** The trace file, redacted as `redaction` says. */
  readonly trace: string | Uint8Array;
  readonly redaction: Redaction;
  /** Of the tool that writes the report. */
  readonly version: string;
  /** What the trace is called. */
  readonly name?: string;
  /** Default: the built page. */
  readonly template?: string;
}

/**
 * One HTML file that shows the trace, without a server and without a network: it is sealed by its own CSP.
 * Throws a ProblemError: 413 over 50 MB packed, 503 while the page has not been built.
 */
export function reportHtml(facts: ReportFacts): string {
  const template = facts.template ?? builtTemplate();
  const bytes = typeof facts.trace === 'string' ? Buffer.byteLength(facts.trace) : facts.trace.length;
  const gzip = gzipSync(facts.trace).toString('base64');
  if (gzip.length > MOST_REPORT_BYTES) {
    throw new ProblemError('too_large', {
      detail: `Packed, the trace has ${gzip.length} bytes; a report takes ${MOST_REPORT_BYTES}.`,
      hint: 'Export it as NDJSON and open that in the viewer, or redact its content.',
    });
  }
  const data: ReportData = {
    version: facts.version,
    writtenAt: new Date().toISOString(),
    redaction: facts.redaction,
    ...(facts.name === undefined ? {} : { name: facts.name }),
    bytes,
    gzip,
  };
  const block = `id="glassloop-report">${REPORT_PLACEHOLDER}</script>`;
  const at = template.indexOf(block);
  if (at < 0) throw new ProblemError('internal', { detail: `The report template must hold ${block}.` });
  const from = at + block.indexOf(REPORT_PLACEHOLDER);
  // No name can end the block it stands in.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return template.slice(0, from) + json + template.slice(from + REPORT_PLACEHOLDER.length);
}

function builtTemplate(): string {
  // The bundle lies in dist, this file in src/share.
  for (const url of [
    new URL('report-template.html', import.meta.url),
    new URL('../../dist/report-template.html', import.meta.url),
  ]) {
    try {
      return readFileSync(url, 'utf8');
    } catch {
      // The other place.
    }
  }
  throw new ProblemError('unavailable', {
    detail: 'The report page has not been built.',
    hint: 'Build it: npx pnpm@10.34.9 --filter @glassloop/playground build',
  });
}
