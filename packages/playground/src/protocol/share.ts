/** Exports, imports and the report. */

/* POST /runs/ID/export, POST /imports */

export type ExportFormat = 'ndjson' | 'html' | 'md' | 'har' | 'otlp';

/** `secrets`: keys and the like (default); `content`: every text and argument too; `none`: as recorded. */
export type Redaction = 'secrets' | 'content' | 'none';

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly redact?: Redaction;
}

export interface ImportAnswer {
  readonly runId: string;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/*
 * The report. The page's build writes dist/report-template.html: one file, sealed by a <meta> CSP with the hashes of its
 * script and its style, and with <script type="application/json" id="glassloop-report">%GLASSLOOP_REPORT%</script>.
 * The server and `glassloop report` put a ReportData in place of that word; the page finds it in that block.
 */

export const REPORT_PLACEHOLDER = '%GLASSLOOP_REPORT%';

export interface ReportData {
  /** Version of the tool that wrote it. */
  readonly version: string;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly redaction: Redaction;
  /** The name of the file it was made from. */
  readonly name?: string;
  /** Of the NDJSON before packing. */
  readonly bytes: number;
  /** The trace file, as gzip, as base64. */
  readonly gzip: string;
}
