import type { Message, RunStep, Usage } from '@glassloop/core';
import { addUsage } from '@glassloop/core';
import type { RunLine, RunStatus, RunSummary, StepRow } from '../protocol.ts';

const PROMPT_CHARACTERS = 200;
const MOST_ANSWERS = 20;

/** What people write about a run. */
export interface About {
  readonly title?: string;
  readonly note?: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
}

export const NOTHING_SAID: About = { tags: [], pinned: false };

/** What the steps of a run say in short, kept up to date step by step. */
export class Tally {
  readonly #header: RunLine;
  readonly rows: StepRow[] = [];
  #status: RunStatus | undefined;
  #detail: string | undefined;
  #prompt: string;
  #provider: string | undefined;
  #model: string | undefined;
  #rounds = 0;
  #usage: Usage = {};
  #unpriced = 0;
  readonly #answerMs: number[] = [];
  #calls = 0;
  #failedCalls = 0;
  readonly #tools = new Set<string>();
  #durationMs: number | undefined;

  constructor(header: RunLine) {
    this.#header = header;
    const { request } = header;
    this.#provider = request?.provider;
    this.#model = request?.model;
    this.#prompt = typeof request?.prompt === 'string' ? short(request.prompt) : '';
  }

  add(step: RunStep, bytes: number): void {
    this.rows.push(rowOf(step, this.rows.length + 1, bytes));
    this.#durationMs = Math.max(0, step.at - Date.parse(this.#header.startedAt));
    switch (step.kind) {
      case 'assembled':
        this.#provider ??= step.settings.adapter;
        this.#model ??= step.settings.model;
        this.#prompt = this.#prompt === '' ? promptOf(step.added) : this.#prompt;
        break;
      case 'response':
        this.#rounds++;
        this.#usage = addUsage(this.#usage, step.usage);
        if (step.usage.estimatedCost === undefined) this.#unpriced++;
        if (this.#answerMs.length < MOST_ANSWERS && Number.isFinite(step.durationMs))
          this.#answerMs.push(step.durationMs);
        break;
      case 'tool':
        this.#calls++;
        if (step.isError) this.#failedCalls++;
        this.#tools.add(step.call.name);
        break;
      case 'end':
        this.#status = step.stopReason;
        this.#detail = step.detail;
        this.#durationMs = step.durationMs;
        this.#usage = step.usage;
        this.#rounds = step.rounds;
        this.#unpriced = step.unpricedRounds;
        break;
    }
  }

  /** undefined: there is no end step yet. */
  get status(): Exclude<RunStatus, 'running'> | undefined {
    return this.#status as Exclude<RunStatus, 'running'> | undefined;
  }

  get detail(): string | undefined {
    return this.#detail;
  }

  summary(facts: {
    readonly about: About;
    readonly bytes: number;
    readonly kept: boolean;
    /** Of a run without an end step. */
    readonly otherwise: RunStatus;
    readonly detail?: string | undefined;
  }): RunSummary {
    const { id, startedAt, capturesRaw, request } = this.#header;
    const detail = this.#detail ?? facts.detail;
    return {
      id,
      status: this.#status ?? facts.otherwise,
      startedAt,
      ...optional('durationMs', this.#durationMs),
      prompt: this.#prompt,
      ...facts.about,
      ...optional('configuration', request?.configuration),
      ...optional('provider', this.#provider),
      ...optional('model', this.#model),
      rounds: this.#rounds,
      toolCalls: this.#calls,
      failedToolCalls: this.#failedCalls,
      tools: [...this.#tools],
      usage: this.#usage,
      unpricedRounds: this.#unpriced,
      answerMs: [...this.#answerMs],
      ...optional('detail', detail),
      capturesRaw,
      steps: this.rows.length,
      bytes: facts.bytes,
      kept: facts.kept,
      ...optional('forkedFrom', request?.forkedFrom),
    };
  }
}

function rowOf(step: RunStep, seq: number, bytes: number): StepRow {
  const { kind, round, at } = step;
  const base = { seq, kind, round, at, bytes };
  switch (step.kind) {
    case 'assembled':
      return base;
    case 'request':
      return step.attempt > 1 ? { ...base, label: String(step.attempt) } : base;
    case 'response':
      return { ...base, durationMs: step.durationMs, label: step.finishReason };
    case 'tool':
      return { ...base, durationMs: step.durationMs, label: step.call.name, isError: step.isError };
    case 'error':
      return { ...base, durationMs: step.durationMs, label: step.code, isError: true };
    case 'end':
      return { ...base, durationMs: step.durationMs, label: step.stopReason };
  }
}

function promptOf(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  const { content } = message;
  if (typeof content === 'string') return short(content);
  return short(content.map((part) => (part.type === 'text' ? part.text : '')).join(' '));
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, PROMPT_CHARACTERS);
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value };
}
