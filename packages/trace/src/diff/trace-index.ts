import type { Message, Range, RunStep, ToolStep } from '@glassloop/core';
import { comparableMessage, comparableStep, type DiffOptions } from './comparable.ts';
import { digestOf } from './digest.ts';

/** What has to be known of a step to align it; the step itself can stay in its file. */
export interface StepEntry {
  readonly kind: RunStep['kind'];
  readonly round: number;
  /** Of a tool step, the tool's name; of a response, its finish reason and the tools it asks for. */
  readonly label: string;
  /** Of the step without its messages. */
  readonly digest: number;
  /** Of a tool step, the place of its call in the answer that asked for it. */
  readonly callPlace?: number;
  /** Of a request. */
  readonly sent?: readonly Range[];
  /** Where its own messages begin in the list of all, and how many they are. */
  readonly firstMessage: number;
  readonly messages: number;
}

/** All messages of a trace as columns: a long trace has hundreds of thousands. */
export interface MessageColumns {
  readonly roles: readonly Message['role'][];
  readonly digests: readonly number[];
  /** The response or tool step that already says the same, whose differences are told there; -1: there is none. */
  readonly origins: readonly number[];
}

/** A trace that can be compared: what alignment needs in memory, and the steps on demand. */
export interface TraceIndex {
  readonly entries: readonly StepEntry[];
  readonly messages: MessageColumns;
  load(index: number): RunStep;
}

/** Builds an index step by step, for traces that do not fit into memory. */
export class TraceIndexer {
  readonly entries: StepEntry[] = [];
  readonly messages = { roles: [] as Message['role'][], digests: [] as number[], origins: [] as number[] };
  readonly #options: DiffOptions;
  /** One copy of each label, and the place of each call of the last answer. */
  readonly #labels = new Map<string, string>();
  #calls = new Map<string, number>();
  #answer: { readonly index: number; readonly digest: number } | undefined;
  /** Results of the last round; compared as texts, which is cheaper than another digest. */
  readonly #results = new Map<string, { readonly index: number; readonly step: ToolStep }>();

  constructor(options: DiffOptions) {
    this.#options = options;
  }

  add(step: RunStep): void {
    const index = this.entries.length;
    const firstMessage = this.messages.digests.length;
    const added = step.kind === 'assembled' || step.kind === 'request' ? step.added : [];
    for (const message of added) this.#addMessage(message);
    const place = step.kind === 'tool' ? this.#calls.get(step.call.id) : undefined;
    this.entries.push({
      kind: step.kind,
      round: step.round,
      label: this.#label(labelOf(step)),
      digest: digestOf(comparableStep(step, this.#options)),
      ...(place === undefined ? {} : { callPlace: place }),
      ...(step.kind === 'request' ? { sent: step.sent } : {}),
      firstMessage,
      messages: added.length,
    });
    if (step.kind === 'request') this.#results.clear();
    if (step.kind === 'response') {
      this.#answer = { index, digest: this.#digest(step.message) };
      this.#calls = new Map((step.message.toolCalls ?? []).map(({ id }, at) => [id, at]));
    }
    if (step.kind === 'tool') this.#results.set(step.call.id, { index, step });
  }

  #addMessage(message: Message): void {
    const digest = this.#digest(message);
    this.messages.roles.push(message.role);
    this.messages.digests.push(digest);
    this.messages.origins.push(this.#originOf(message, digest));
  }

  #label(text: string): string {
    const known = this.#labels.get(text);
    if (known !== undefined) return known;
    this.#labels.set(text, text);
    return text;
  }

  #originOf(message: Message, digest: number): number {
    if (message.role === 'assistant') return this.#answer?.digest === digest ? this.#answer.index : -1;
    if (message.role !== 'tool') return -1;
    const { index, step } = this.#results.get(message.toolCallId) ?? {};
    const says = (result: ToolStep) =>
      result.result === message.content &&
      result.isError === message.isError &&
      result.call.name === message.toolName;
    return index !== undefined && step !== undefined && says(step) ? index : -1;
  }

  #digest(message: Message): number {
    return digestOf(comparableMessage(message, this.#options));
  }
}

export function indexSteps(steps: readonly RunStep[], options: DiffOptions): TraceIndex {
  const indexer = new TraceIndexer(options);
  for (const step of steps) indexer.add(step);
  return {
    entries: indexer.entries,
    messages: indexer.messages,
    load: (index) => steps[index]!,
  };
}

function labelOf(step: RunStep): string {
  if (step.kind === 'tool') return String(step.call.name);
  if (step.kind === 'error') return String(step.code);
  if (step.kind !== 'response') return '';
  return `${step.finishReason} ${(step.message.toolCalls ?? []).map(({ name }) => name).join(' ')}`;
}
