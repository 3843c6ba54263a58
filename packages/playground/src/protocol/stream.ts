/** The lines of a live run. */

import type { EndStep, RunStep } from '@glassloop/core';
import type { RunRequest } from './requests.ts';

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
