import type { Message, Range, RunStep } from '@glassloop/core';
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
  /** Of a tool step. */
  readonly callId?: string;
  /** Of a response, in order. */
  readonly callIds?: readonly string[];
  /** Of a request. */
  readonly sent?: readonly Range[];
  /** Where its own messages begin in the list of all, and how many they are. */
  readonly firstMessage: number;
  readonly messages: number;
}

export interface MessageEntry {
  readonly role: Message['role'];
  readonly digest: number;
  /** The response or tool step that already says the same; its differences are told there. */
  readonly origin?: number;
}

/** A trace that can be compared: what alignment needs in memory, and the steps on demand. */
export interface TraceIndex {
  readonly entries: readonly StepEntry[];
  readonly messages: readonly MessageEntry[];
  load(index: number): RunStep;
}

/** Builds an index step by step, for traces that do not fit into memory. */
export class TraceIndexer {
  readonly entries: StepEntry[] = [];
  readonly messages: MessageEntry[] = [];
  readonly #options: DiffOptions;
  #answer: { readonly index: number; readonly digest: number } | undefined;
  readonly #results = new Map<string, { readonly index: number; readonly digest: number }>();

  constructor(options: DiffOptions) {
    this.#options = options;
  }

  add(step: RunStep): void {
    const index = this.entries.length;
    const firstMessage = this.messages.length;
    const added = step.kind === 'assembled' || step.kind === 'request' ? step.added : [];
    for (const message of added) this.messages.push(this.#messageEntry(message));
    this.entries.push({
      kind: step.kind,
      round: step.round,
      label: labelOf(step),
      digest: digestOf(comparableStep(step, this.#options)),
      ...(step.kind === 'tool' ? { callId: step.call.id } : {}),
      ...(step.kind === 'response' ? { callIds: (step.message.toolCalls ?? []).map(({ id }) => id) } : {}),
      ...(step.kind === 'request' ? { sent: step.sent } : {}),
      firstMessage,
      messages: added.length,
    });
    if (step.kind === 'request') this.#results.clear();
    if (step.kind === 'response') this.#answer = { index, digest: this.#digest(step.message) };
    if (step.kind === 'tool') {
      this.#results.set(step.call.id, {
        index,
        digest: digestOf([step.call.name, step.result, step.isError]),
      });
    }
  }

  #messageEntry(message: Message): MessageEntry {
    const digest = this.#digest(message);
    const origin = this.#originOf(message, digest);
    return { role: message.role, digest, ...(origin === undefined ? {} : { origin }) };
  }

  #originOf(message: Message, digest: number): number | undefined {
    if (message.role === 'assistant') return this.#answer?.digest === digest ? this.#answer.index : undefined;
    if (message.role !== 'tool') return undefined;
    const result = this.#results.get(message.toolCallId);
    return result?.digest === digestOf([message.toolName, message.content, message.isError])
      ? result.index
      : undefined;
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
