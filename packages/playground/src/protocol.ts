/**
 * What the server and its page say to each other: the lines of a live run, and the bodies of `/api/v1`.
 * Shared by both sides. Where this file and a step disagree, the step (core's RunStep) is the truth.
 */

import type {
  Capabilities,
  ContentPart,
  Dropped,
  EndStep,
  Message,
  Prices,
  RunSettings,
  RunStep,
  Source,
  ToolOptionValues,
  ToolSpec,
  TrustLevel,
  Usage,
} from '@glassloop/core';

/* The live stream: application/x-ndjson, one object per line. */

/** The lines of the trace file (docs/trace-format.md), byte for byte; the saved file is the stream without LiveOnlyLine. */
export type TraceLine = RunLine | StepLine;

/** First and once, seq 0. */
export interface RunLine {
  readonly type: 'run';
  readonly seq: 0;
  readonly format: 'glassloop-trace';
  readonly version: number;
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly capturesRaw: boolean;
  /** What was asked for, as it was asked for; only in traces that a playground wrote. Prefills "Run again". */
  readonly request?: RunRequest;
}

export interface StepLine {
  readonly type: 'step';
  /** Counts from 1 without holes. */
  readonly seq: number;
  readonly step: RunStep;
}

/**
 * Lines that exist only live. `seq` repeats the last trace line's, so `after=SEQ` never depends on them;
 * `t`: milliseconds since `startedAt`, by the server's clock.
 */
export type LiveOnlyLine = { readonly seq: number; readonly t: number } & (
  | RunningLine
  | DeltaLine
  | PingLine
  | EndLine
);

/** A tool starts. The step with this call's id ends it. */
export interface RunningLine {
  readonly type: 'running';
  readonly round: number;
  readonly callId: string;
  readonly name: string;
}

/**
 * A piece of the answer that is being received; at most 20 lines per second and channel. Pieces are put behind one
 * another until a `response`, `error` or `request` step of the same round, which closes them: the step says it whole.
 */
export interface DeltaLine {
  readonly type: 'delta';
  readonly round: number;
  readonly channel: 'text' | 'thinking' | 'args';
  readonly text: string;
  /** Replaces what was received of this channel (of this call); on the first piece, also for a reader that comes back. */
  readonly reset?: true;
  /** Channel `args`: which call of the answer, from 0. */
  readonly call?: number;
  /** Channel `args`, from the line on that first knows it. */
  readonly callId?: string;
  readonly name?: string;
}

/** Every 10 s. A reader that saw nothing for 25 s connects again. */
export interface PingLine {
  readonly type: 'ping';
}

/** Exactly one, the last line. A body that closes without it was cut: connect again with `after`. */
export interface EndLine {
  readonly type: 'end';
  readonly status: Exclude<RunStatus, 'running'>;
  /** One sentence for people; absent for a completed run. */
  readonly detail?: string;
}

export type StreamLine = TraceLine | LiveOnlyLine;

/**
 * Core's stop reasons; `running`; `interrupted`: there is no end step, because the server stopped in between; `newer`:
 * the file is of a newer version of the format, so its lines are shown and not read.
 */
export type RunStatus = EndStep['stopReason'] | 'running' | 'interrupted' | 'newer';

const STATUSES: { readonly [status in RunStatus]: true } = {
  running: true,
  completed: true,
  length: true,
  round_limit: true,
  limit: true,
  repeat: true,
  content_filter: true,
  incomplete: true,
  failed: true,
  aborted: true,
  dry_run: true,
  interrupted: true,
  newer: true,
};
export const RUN_STATUSES = Object.keys(STATUSES) as readonly RunStatus[];

/* GET /api/v1/meta */

export interface Meta {
  readonly version: string;
  readonly traceVersion: number;
  readonly limits: {
    readonly bodyBytes: number;
    readonly importBytes: number;
    readonly importLineBytes: number;
    readonly importSteps: number;
    readonly importDepth: number;
    readonly reportBytes: number;
    readonly runningAtOnce: number;
    /** Longer values are a BlobRef in steps. */
    readonly blobBytes: number;
  };
  readonly history: { readonly keeps: boolean } & Retention;
  readonly exports: readonly ExportFormat[];
  readonly redactions: readonly Redaction[];
  /** The newest `asOf` of all prices. */
  readonly pricesAsOf?: string;
}

/** Runs beyond any of these are deleted, oldest first; pinned and running ones never. */
export interface Retention {
  readonly maxRuns: number;
  readonly maxDays: number;
  readonly maxBytes: number;
}

/* GET /api/v1/catalog */

export interface Catalog {
  readonly providers: readonly CatalogProvider[];
  readonly configurations: readonly CatalogConfiguration[];
  readonly tools: readonly CatalogTool[];
  readonly skills: readonly CatalogText[];
  readonly snippets: readonly CatalogText[];
  /** What the form starts with. */
  readonly defaults: {
    readonly configuration?: string;
    readonly provider?: string;
    readonly model?: string;
    readonly maxRounds: number;
    readonly examplePrompts: readonly string[];
  };
}

export interface CatalogProvider {
  readonly name: string;
  /** For people; default: the name. */
  readonly title?: string;
  /** A rule-based model on this machine; costs nothing. */
  readonly isDemo?: boolean;
  readonly ready: boolean;
  /** Why not, and how to get it ready; never a value. */
  readonly notReady?: {
    readonly code: 'no_key' | 'not_installed' | 'failed';
    /** The environment variable to set. */
    readonly variable?: string;
    readonly text: string;
  };
  readonly models: readonly CatalogModel[];
  /** Other model names may be typed. */
  readonly takesAnyModel: boolean;
  /** null: not known. */
  readonly capabilities: Capabilities | null;
  /** Options that would be left out or refused, each with the reason. */
  readonly unsupported?: { readonly [option in keyof ToolOptionValues]?: string };
}

export interface CatalogModel {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly prices?: Prices;
}

export interface CatalogConfiguration {
  readonly id: string;
  /** Why it cannot be used now. */
  readonly problem?: string;
  readonly title?: string;
  readonly description?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** null or absent: all; a list, these. */
  readonly tools?: readonly string[] | null;
  readonly skills?: readonly string[];
  readonly snippets?: readonly string[];
  readonly options?: ToolOptionValues;
  readonly maxRounds?: number;
}

export interface CatalogTool extends ToolSpec {
  /** `writes`: changes something outside the run, or nobody said that it does not. */
  readonly effect: 'reads' | 'writes';
  /** A heading to list it under. */
  readonly group: string;
}

/** A skill or a snippet. */
export interface CatalogText {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** UTF-8. */
  readonly bytes: number;
  /** Estimated, as bytes / 4. */
  readonly tokens: number;
  readonly text: string;
  readonly source?: string;
  readonly trust?: TrustLevel;
  readonly enabled: boolean;
  readonly file?: string;
}

/* POST /api/v1/assemble and POST /api/v1/runs */

/** Absent means: as the configuration says, else the default. */
export interface RunRequest {
  readonly configuration?: string;
  readonly provider?: string;
  readonly model?: string;
  /** The user's message. Either this or `messages`. */
  readonly prompt?: string | readonly ContentPart[];
  /** A whole conversation, for a run from a step. */
  readonly messages?: readonly Message[];
  /** Instead of the configuration's. Blank: the configuration's. */
  readonly systemPrompt?: string;
  /** An empty list offers none. Absent: the configuration's, without those that write. */
  readonly tools?: readonly string[];
  /** Ids; absent: the configuration's. */
  readonly skills?: readonly string[];
  readonly snippets?: readonly string[];
  /** Merged over the configuration's, option by option; null removes one. */
  readonly options?: { readonly [option in keyof ToolOptionValues]: ToolOptionValues[option] | null };
  readonly maxRounds?: number;
  readonly limits?: RunRequestLimits;
  /** Default false. */
  readonly captureRaw?: boolean;
  /** Default true; false: in memory only, until the server stops. */
  readonly keep?: boolean;
  /** Assemble, record, send nothing. */
  readonly dryRun?: boolean;
  /** Names of the writing tools whose use the person has confirmed; one that is chosen and not named is refused. */
  readonly allowEffects?: readonly string[];
  readonly forkedFrom?: { readonly run: string; readonly step: number };
}

export interface RunRequestLimits {
  readonly totalTokens?: number;
  readonly cost?: number;
  readonly toolCalls?: number;
  readonly durationMs?: number;
}

/** Answer to POST /assemble: what the first round would send. Nothing was sent or stored. */
export interface AssembleAnswer {
  readonly settings: RunSettings;
  readonly messages: readonly Message[];
  readonly sources: readonly Source[];
  readonly dropped: readonly Dropped[];
  readonly tools: readonly ToolSpec[];
  readonly warnings: readonly string[];
  /** The provider's JSON body; absent with a reason. */
  readonly wire?: { readonly body: unknown; readonly warnings: readonly string[] };
  readonly wireAbsent?: string;
  readonly estimate: {
    /** UTF-8 bytes / 4 of messages and tools. */
    readonly tokens: number;
    readonly contextWindow?: number;
    /** US dollars for sending it; absent: no price. */
    readonly cost?: number;
    readonly pricesAsOf?: string;
  };
}

/** Answer to POST /runs (201). With `Accept: application/x-ndjson` the answer is the event stream itself. */
export interface StartedRun {
  readonly runId: string;
  /** Path of the event stream. */
  readonly events: string;
}

/* GET /api/v1/runs, /runs/ID, /runs/ID/steps/N, /runs/ID/messages */

export interface RunSummary {
  readonly id: string;
  readonly status: RunStatus;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds; of a running one, so far. Absent: not known. */
  readonly durationMs?: number;
  /** What a person called it, else absent. */
  readonly title?: string;
  /** The start of the last user message. */
  readonly prompt: string;
  readonly note?: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly configuration?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly rounds: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly tools: readonly string[];
  readonly usage: Usage;
  readonly unpricedRounds: number;
  /** Milliseconds of its answers, whole; the first 20. */
  readonly answerMs: readonly number[];
  readonly detail?: string;
  readonly capturesRaw: boolean;
  /** Steps so far. */
  readonly steps: number;
  /** Of the file. */
  readonly bytes: number;
  /** false: in memory only. */
  readonly kept: boolean;
  readonly forkedFrom?: { readonly run: string; readonly step: number };
}

/**
 * GET /runs?cursor&limit&q&status&model&tool&from&to: newest first. `status`, `model` and `tool` may be given more than
 * once: any of them. `from` and `to`: a time, or a day of UTC, whole.
 */
export interface RunsPage {
  readonly runs: readonly RunSummary[];
  readonly nextCursor?: string;
  /** Of all that match. */
  readonly total: number;
  /** What all runs are, those that do not match too. */
  readonly all: {
    readonly runs: number;
    /** On disk. */
    readonly bytes: number;
    /** Sorted; the first 500. */
    readonly models: readonly string[];
    readonly tools: readonly string[];
  };
}

/** GET /answer-times?model: how long answers of a model took in the newest runs. */
export interface AnswerTimes {
  /** How many are known. */
  readonly answers: number;
  /** Milliseconds; between them is the middle half. Absent for fewer than 4 answers. */
  readonly middle?: readonly [from: number, to: number];
}

export interface RunDetail {
  readonly header: RunLine;
  readonly summary: RunSummary;
  readonly rows: readonly StepRow[];
  /** What could not be read of the file. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** Enough for a row of the list. */
export interface StepRow {
  readonly seq: number;
  readonly kind: RunStep['kind'];
  readonly round: number;
  readonly at: number;
  readonly durationMs?: number;
  /** Tool name, stop reason, error code, ... */
  readonly label?: string;
  readonly isError?: boolean;
  /** Of the line. */
  readonly bytes: number;
}

export interface StepAnswer {
  readonly seq: number;
  /** Values over `limits.blobBytes` are a BlobRef. */
  readonly step: RunStep;
}

/** Stands for a long text, or a long JSON value, in a step that came from /steps/N or from events?bodies=refs. */
export interface BlobRef {
  /** For GET /runs/ID/blobs/$blob. */
  readonly $blob: string;
  readonly bytes: number;
  readonly is: 'text' | 'json';
  /** The first 2,000 characters. */
  readonly head: string;
}

/** GET /runs/ID/messages?from&to: a stretch of all messages `added` so far; RequestStep.sent points into the same list. */
export interface MessagesAnswer {
  readonly from: number;
  readonly messages: readonly Message[];
  readonly total: number;
}

/** PATCH /runs/ID. null removes. */
export interface RunPatch {
  readonly title?: string | null;
  readonly note?: string | null;
  readonly tags?: readonly string[];
  readonly pinned?: boolean;
}

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

/* Errors: application/problem+json */

export type ProblemCode =
  | 'misdirected'
  | 'forbidden_origin'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'too_large'
  | 'bad_json'
  | 'invalid_request'
  | 'provider_not_ready'
  | 'effects_not_allowed'
  | 'too_many_running'
  | 'idempotency_conflict'
  | 'run_is_running'
  | 'pruned'
  | 'not_captured'
  | 'invalid_trace'
  | 'unavailable'
  | 'internal';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail?: string;
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly requestId: string;
  /** Of the request body; shown at the field. */
  readonly fields?: readonly FieldProblem[];
  /** Of an import. */
  readonly line?: number;
}

export interface FieldProblem {
  /** Such as `options.temperature` or `tools[2]`. */
  readonly field: string;
  /** What the value must be. */
  readonly rule: string;
  readonly fix?: string;
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
