import type { Message, RunStep, ToolStep } from '@glassloop/core';
import { Column } from './column.ts';
import { comparableMessage, comparableStep, type DiffOptions } from './comparable.ts';
import { digestOf } from './digest.ts';

/** Two bytes are enough for the calls of an answer. */
const UNKNOWN_PLACE = 0xffff;

/** What happened in a step, whatever was said. */
export interface StepLabel {
  readonly kind: RunStep['kind'];
  /** Of a tool step, the tool. */
  readonly tool?: string;
  /** Of a response, its finish reason and the tools it asks for; of an error, its code. */
  readonly detail?: string;
}

/** All steps of a trace as columns, because a long trace has hundreds of thousands; the steps themselves can stay in their file. */
export interface StepColumns {
  /** Index into the labels. */
  readonly labels: Column;
  /** Of the step without its messages. */
  readonly digests: Column;
  /** Of a tool step, the place of its call in the answer that asked for it; UNKNOWN_PLACE for all others. */
  readonly callPlaces: Column;
  /** Where the messages of the step begin in the list of all. */
  readonly firstMessages: Column;
  /** 1 for a request that sent the whole conversation so far, as all requests of the loop do. */
  readonly sentWhole: Column;
}

/** All messages of a trace as columns. */
export interface MessageColumns {
  /** Equal for equal roles. */
  readonly roles: Column;
  readonly digests: Column;
  /** The response or tool step that already says the same, whose differences are told there; -1: there is none. */
  readonly origins: Column;
}

/** A trace that can be compared: what alignment needs in memory, and the steps on demand. */
export interface TraceIndex {
  /** How many steps there are. */
  readonly length: number;
  readonly labels: readonly StepLabel[];
  readonly steps: StepColumns;
  readonly messages: MessageColumns;
  /** The first step of each group of steps with the same round number. Steps before the first group are of no round. */
  readonly rounds: Column;
  load(index: number): RunStep;
}

/** Builds an index step by step, for traces that do not fit into memory. */
export class TraceIndexer implements Omit<TraceIndex, 'load'> {
  readonly labels: StepLabel[] = [];
  readonly steps = {
    labels: new Column(Int32Array),
    digests: new Column(Float64Array),
    callPlaces: new Column(Uint16Array),
    firstMessages: new Column(Int32Array),
    sentWhole: new Column(Uint8Array),
  };
  readonly messages = {
    roles: new Column(Uint8Array),
    digests: new Column(Float64Array),
    origins: new Column(Int32Array),
  };
  readonly rounds = new Column(Int32Array);
  readonly #options: DiffOptions;
  readonly #placesOfLabels = new Map<string, number>();
  #round: number | undefined;
  /** The place of each call of the last answer. */
  #calls = new Map<string, number>();
  #answer: { readonly index: number; readonly digest: number } | undefined;
  /** Results of the last round; compared as texts, which is cheaper than another digest. */
  readonly #results = new Map<string, { readonly index: number; readonly step: ToolStep }>();

  constructor(options: DiffOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.steps.digests.length;
  }

  add(step: RunStep): void {
    const index = this.length;
    if (this.#beginsRound(step)) this.rounds.push(index);
    this.steps.firstMessages.push(this.messages.digests.length);
    if (step.kind === 'assembled' || step.kind === 'request') {
      for (const message of listOf(step.added)) this.#addMessage(message);
    }
    this.steps.labels.push(this.#label(labelOf(step)));
    this.steps.digests.push(digestOf(comparableStep(step, this.#options)));
    this.steps.callPlaces.push(step.kind === 'tool' ? this.#callPlace(step.call?.id) : UNKNOWN_PLACE);
    this.steps.sentWhole.push(step.kind === 'request' && this.#isWhole(listOf(step.sent)) ? 1 : 0);
    if (step.kind === 'request') this.#results.clear();
    if (step.kind === 'response') {
      this.#answer = { index, digest: this.#digest(step.message) };
      this.#calls = new Map(listOf(step.message?.toolCalls).map((call, at) => [call?.id, at]));
    }
    if (step.kind === 'tool') this.#results.set(step.call?.id, { index, step });
  }

  #beginsRound({ kind, round }: RunStep): boolean {
    const isHead = this.rounds.length === 0 && kind !== 'request' && kind !== 'response' && kind !== 'tool';
    if (kind === 'end' || isHead || round === this.#round) return false;
    this.#round = round;
    return true;
  }

  #callPlace(id: string): number {
    return Math.min(this.#calls.get(id) ?? UNKNOWN_PLACE, UNKNOWN_PLACE);
  }

  #isWhole(sent: Extract<RunStep, { kind: 'request' }>['sent']): boolean {
    return sent.length === 1 && sent[0]?.[0] === 0 && sent[0][1] === this.messages.digests.length;
  }

  #addMessage(message: Message): void {
    const digest = this.#digest(message);
    this.messages.roles.push(ROLES.indexOf(message?.role) + 1);
    this.messages.digests.push(digest);
    this.messages.origins.push(this.#originOf(message, digest));
  }

  #label(label: StepLabel): number {
    const { kind, tool = '', detail = '' } = label;
    const key = `${kind} ${tool} ${detail}`;
    const known = this.#placesOfLabels.get(key);
    if (known !== undefined) return known;
    this.#placesOfLabels.set(key, this.labels.length);
    return this.labels.push(label) - 1;
  }

  #originOf(message: Message, digest: number): number {
    if (message?.role === 'assistant') return this.#answer?.digest === digest ? this.#answer.index : -1;
    if (message?.role !== 'tool') return -1;
    const { index, step } = this.#results.get(message.toolCallId) ?? {};
    const says = (result: ToolStep) =>
      result.result === message.content &&
      result.isError === message.isError &&
      result.call?.name === message.toolName;
    return index !== undefined && step !== undefined && says(step) ? index : -1;
  }

  #digest(message: Message): number {
    return digestOf(comparableMessage(message, this.#options));
  }
}

export function indexSteps(steps: readonly RunStep[], options: DiffOptions): TraceIndex {
  const indexer = new TraceIndexer(options);
  for (const step of steps) indexer.add(step);
  return withSteps(indexer, (index) => steps[index]!);
}

/** The finished index, and where its steps are. */
export function withSteps(indexer: TraceIndexer, load: TraceIndex['load']): TraceIndex {
  const { length, labels, steps, messages, rounds } = indexer;
  return { length, labels, steps, messages, rounds, load };
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][];

/** An edited file may have anything in the place of a list. */
export function listOf<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

function labelOf(step: RunStep): StepLabel {
  const { kind } = step;
  if (kind === 'tool') return { kind, tool: String(step.call?.name) };
  if (kind === 'error') return { kind, detail: String(step.code) };
  if (kind !== 'response') return { kind };
  return {
    kind,
    detail: `${step.finishReason} ${listOf(step.message?.toolCalls)
      .map((call) => call?.name)
      .join(' ')}`,
  };
}
