import { type Run, type RunStep, RunTrace, type RunTraceOptions } from '@glassloop/core';
import type { Recording } from './recording.ts';

type Untimed = Parameters<RunTrace['record']>[0];

export interface ReplayTraceHooks {
  /** After each step; `place` counts the steps of the new trace from 0. */
  recorded(step: Untimed, place: number): void;
  /** Whether the new run still follows the recorded one. */
  isFollowing(): boolean;
  /** Whether the prompt was put together from the trace, so that only the trace knows where it came from. */
  readonly fromTrace: boolean;
  /** What the loop is not told, because it has no effect on what is recorded. */
  readonly asked: Pick<Run, 'limits' | 'retry'>;
}

/** The trace of a replay. Facts that a replay cannot come by again (what was cut, how long was waited) are taken over where all else is equal. */
export class ReplayTrace extends RunTrace {
  readonly #recording: Recording;
  readonly #hooks: ReplayTraceHooks;
  #place = 0;
  #isClosed = false;
  /** Replayed calls end in their own order; their steps are put into the recorded one. */
  readonly #held: Extract<Untimed, { kind: 'tool' }>[] = [];

  constructor(options: RunTraceOptions, recording: Recording, hooks: ReplayTraceHooks) {
    super(options);
    this.#recording = recording;
    this.#hooks = hooks;
  }

  /** Records nothing more: what a stopped replay does to end itself is not part of the run. */
  close(): void {
    this.#isClosed = true;
  }

  override record(step: Untimed): void {
    if (this.#isClosed) return;
    if (step.kind === 'tool' && this.#hooks.isFollowing()) {
      this.#held.push(step);
      this.#flush(false);
    } else {
      this.#flush(true);
      this.#add(step);
    }
  }

  /** Tool steps that are held back because others were recorded before them. */
  #flush(all: boolean): void {
    while (this.#held.length > 0) {
      const old = this.#recording.steps[this.#place];
      const next = this.#held.findIndex((step) => old?.kind === 'tool' && step.call.id === old.call.id);
      if (next < 0 && !all) return;
      this.#add(this.#held.splice(Math.max(next, 0), 1)[0]!);
    }
  }

  #add(step: Untimed): void {
    const place = this.#place++;
    const old = this.#recording.steps[place];
    const known = this.#hooks.isFollowing() && old !== undefined ? this.#completed(step, old, place) : step;
    super.record(known);
    this.#hooks.recorded(known, place);
  }

  #completed(step: Untimed, old: RunStep, place: number): Untimed {
    if (step.kind === 'assembled' && old.kind === 'assembled') {
      const { limits, retry } = this.#hooks.asked;
      const settings = {
        ...step.settings,
        limits: { ...step.settings.limits, ...limits },
        retry: { ...old.settings.retry, ...retry },
      };
      return this.#hooks.fromTrace
        ? { ...step, settings, sources: old.sources, dropped: old.dropped }
        : { ...step, settings };
    }
    if (
      step.kind === 'tool' &&
      old.kind === 'tool' &&
      step.result === old.result &&
      step.call.id === old.call.id
    ) {
      return {
        ...step,
        ...(old.fullBytes === undefined ? {} : { fullBytes: old.fullBytes }),
        ...(old.thrown === undefined ? {} : { thrown: old.thrown }),
      };
    }
    if (step.kind === 'error' && old.kind === 'error') {
      // The time limit stops a replay as an abort does: nothing waits until it is reached again.
      if (this.#recording.interruptionAt(place) !== undefined) {
        return { ...step, code: old.code, message: old.message };
      }
      return step.retryInMs === undefined || old.retryInMs === undefined
        ? step
        : { ...step, retryInMs: old.retryInMs };
    }
    if (
      step.kind === 'end' &&
      old.kind === 'end' &&
      this.#recording.interruptionAt(place - 1) !== undefined
    ) {
      return {
        ...step,
        stopReason: old.stopReason,
        ...(old.detail === undefined ? {} : { detail: old.detail }),
      };
    }
    return step;
  }
}
