/** What the list needs of a step: small, so that a trace of any size has all of them in memory. */

import type {
  AssembledStep,
  ContentPart,
  FinishReason,
  Message,
  Range,
  RunStep,
  Source,
  Usage,
} from '@glassloop/core';
import { countHidden } from './hidden-text.ts';

export interface CallSummary {
  readonly id: string;
  readonly name: string;
  /** The beginning of the arguments. */
  readonly args: string;
}

/** How much of the context window a message is. Lengths are UTF-16 units. */
export interface MessageWeight {
  readonly role: Message['role'];
  readonly length: number;
  /** Of `length`, what snippets and skills put there. */
  readonly inserted: number;
}

export interface StepSummary {
  /** Position in the trace, from 0. */
  readonly index: number;
  readonly kind: RunStep['kind'];
  readonly round: number;
  /** Unix milliseconds; for steps with a duration, their end. */
  readonly at: number;
  readonly durationMs?: number;
  readonly firstTokenMs?: number;
  readonly failed: boolean;
  /** The beginning of what was said, answered or complained about. */
  readonly head: string;
  /** UTF-16 units of the whole of it. */
  readonly length: number;
  /** Tool steps: name of the tool. Responses: the model that answered. */
  readonly name?: string;
  readonly callId?: string;
  /** Equal for calls of one tool with the same arguments. */
  readonly callKey?: string;
  readonly args?: string;
  readonly calls?: readonly CallSummary[];
  readonly usage?: Usage;
  readonly finishReason?: FinishReason;
  readonly thinkingLength?: number;
  /** Messages this step adds to the log. */
  readonly added?: readonly MessageWeight[];
  /** Characters of all tools that are offered. */
  readonly toolLength?: number;
  readonly sent?: readonly Range[];
  readonly tools?: number;
  readonly dropped?: number;
  readonly attempt?: number;
  readonly code?: string;
  readonly retryInMs?: number;
  readonly fullBytes?: number;
  readonly hasRaw?: boolean;
  /** Characters that cannot be seen. */
  readonly hidden: number;
}

const HEAD = 240;

export function summarize(step: RunStep, index: number): StepSummary {
  const base = { index, kind: step.kind, round: step.round, at: numberOr(step.at, 0), failed: false };
  switch (step.kind) {
    case 'assembled': {
      const prompt = askedText(step);
      return {
        ...base,
        ...text(prompt),
        added: step.added.map((message, index) => weigh(message, index, step.sources)),
        tools: step.tools.length,
        toolLength: JSON.stringify(step.tools).length,
        dropped: step.dropped.length,
        hidden: step.added.reduce((sum, message) => sum + countHidden(messageText(message)), 0),
      };
    }
    case 'request':
      return {
        ...base,
        ...text(''),
        added: step.added.map((message, index) => weigh(message, index, [])),
        sent: step.sent,
        tools: step.toolsOffered.length,
        attempt: step.attempt ?? 1,
        hidden: step.added.reduce((sum, message) => sum + countHidden(messageText(message)), 0),
      };
    case 'response':
      return {
        ...base,
        ...text(step.message.content),
        durationMs: step.durationMs,
        ...defined({ firstTokenMs: step.firstTokenMs, name: step.model }),
        calls: (step.message.toolCalls ?? []).map((call) => ({
          id: call.id,
          name: call.name,
          args: cut(textOf(call.argumentsJson)),
        })),
        usage: step.usage,
        finishReason: step.finishReason,
        ...(step.thinking === undefined ? {} : { thinkingLength: text(step.thinking).length }),
        hasRaw: step.raw !== undefined,
        hidden: countHidden(step.message.content) + countHidden(step.thinking),
      };
    case 'tool':
      return {
        ...base,
        // The model was told only that it failed; people want to know why.
        ...text(step.isError && step.thrown !== undefined ? step.thrown : step.result),
        length: text(step.result).length,
        durationMs: step.durationMs,
        failed: step.isError === true,
        name: step.call.name,
        callId: step.call.id,
        callKey: `${step.call.name} ${hash(textOf(step.call.argumentsJson))}`,
        args: cut(textOf(step.call.argumentsJson)),
        ...defined({ fullBytes: step.fullBytes }),
        hidden: countHidden(step.result) + countHidden(step.call.argumentsJson),
      };
    case 'error':
      return {
        ...base,
        ...text(step.message),
        failed: true,
        code: step.code,
        ...defined({ durationMs: step.durationMs, retryInMs: step.retryInMs }),
        hasRaw: step.raw !== undefined,
        hidden: countHidden(step.message),
      };
    case 'end':
      return {
        ...base,
        ...text(step.detail ?? ''),
        ...defined({ durationMs: step.durationMs }),
        failed: step.stopReason === 'failed',
        code: step.stopReason,
        usage: step.usage,
        hidden: 0,
      };
  }
}

function weigh(message: Message, index: number, sources: readonly Source[]): MessageWeight {
  const calls = message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? []).length : 0;
  const length = text(messageText(message)).length + calls;
  const inserted = sources
    .filter(({ kind, message: at }) => at === index && (kind === 'snippet' || kind === 'skill'))
    .reduce((sum, { range }) => sum + (range === undefined ? length : range[1] - range[0]), 0);
  return { role: message.role, length, inserted: Math.min(inserted, length) };
}

/** All text of a message, its parts one behind the other. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  if (!Array.isArray(message.content)) return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** What the caller wrote last, without the skills that were put before it. */
function askedText(step: AssembledStep): string {
  const source = step.sources.findLast(
    ({ kind, message }) => kind === 'caller' && step.added[message]?.role === 'user',
  );
  const message = source === undefined ? undefined : step.added[source.message];
  if (source === undefined || message === undefined) return lastUserText(step.added);
  const part =
    source.part === undefined ? undefined : (message.content[source.part] as ContentPart | undefined);
  const whole = part?.type === 'text' ? part.text : messageText(message);
  return source.range === undefined ? whole : whole.slice(...source.range);
}

function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return last === undefined ? '' : messageText(last);
}

/** A long value may stand as a reference to where the whole of it is. */
function text(value: unknown): { head: string; length: number } {
  const reference = value as { $blob?: unknown; head?: unknown; bytes?: unknown } | null | undefined;
  const isReference = typeof value === 'object' && typeof reference?.$blob === 'string';
  const whole = textOf(value);
  return { head: cut(whole), length: isReference ? numberOr(reference?.bytes, 0) : whole.length };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  const { head } = value as { head?: unknown };
  return typeof head === 'string' ? head : (JSON.stringify(value) ?? '');
}

function cut(value: string): string {
  return value.length <= HEAD ? value : value.slice(0, HEAD);
}

/** FNV-1a; only compared with others of the same trace. */
function hash(value: string): string {
  let state = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) {
    state = Math.imul(state ^ value.charCodeAt(index), 0x01000193);
  }
  return `${value.length}:${state >>> 0}`;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

function defined<Values extends object>(
  values: Values,
): { [key in keyof Values]: Exclude<Values[key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
