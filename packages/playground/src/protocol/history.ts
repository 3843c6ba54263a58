/** Runs that are kept, and their steps. */

import type { Message, RunStep, Usage } from '@glassloop/core';
import type { RunLine, RunStatus } from './stream.ts';

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
