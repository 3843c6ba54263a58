import type { Message, ModelRequest, ToolMessage } from '@glassloop/core/adapter';
import { anthropicMessages, type ScriptedTurn } from '@glassloop/simulator';
import * as shared from '../../../scripts/testing/provider.ts';
import {
  asking,
  type Body,
  json,
  type Mode,
  reply,
  scriptedProvider,
} from '../../../scripts/testing/provider.ts';
import { type AnthropicSettings, anthropic } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const KEY = 'KEY-SENTINEL-7f3a';
export const MODEL = 'claude-sonnet-4-5';

export const scripted = scriptedProvider<AnthropicSettings, ReturnType<typeof anthropic>>(
  { wire: anthropicMessages },
  (settings) => anthropic({ model: MODEL, apiKey: KEY, ...settings }),
);

/** A turn given as the events of a stream. */
export function sse(...events: readonly Body[]) {
  return reply(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    'text/event-stream; charset=utf-8',
  );
}

/** The body of a whole answer with this content in it. */
export function answer(content: readonly object[], more: object = {}): Body {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 3 },
    ...more,
  };
}

/** The events that say the same as a whole answer. */
export function eventsOf(whole: Body): Body[] {
  const { content, stop_reason, stop_sequence, usage, ...message } = whole;
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: 'message_start', message: { ...start, usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...content.flatMap((block: Body, index: number) => [
      { type: 'content_block_start', index, content_block: openingOf(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
}

function openingOf(block: Body): Body {
  if (block.type === 'text') return { ...block, text: '', citations: undefined };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: Body): Body[] {
  switch (block.type) {
    case 'text':
      return [
        ...(block.citations ?? []).map((citation: Body) => ({ type: 'citations_delta', citation })),
        ...halves(block.text).map((text) => ({ type: 'text_delta', text })),
      ];
    case 'thinking':
      return [
        ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
      return halves(JSON.stringify(block.input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
    default:
      return [];
  }
}

function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** `whole` as the turn that fits the mode. */
export function turnFor(whole: Body, onDelta: Mode): ScriptedTurn {
  return onDelta === undefined ? json(whole) : sse(...eventsOf(whole));
}

export function preview(
  more: Partial<ModelRequest>,
  model = MODEL,
): { body: Body; warnings: readonly string[] } {
  const shown = anthropic({ model, apiKey: 'k' }).preview?.(asking(more));
  if (shown === undefined) throw new Error('no preview');
  return shown as { body: Body; warnings: readonly string[] };
}

export const system = (content: string): Message => ({ role: 'system', content });
export const said = (content: string): Message => ({ role: 'assistant', content, toolCalls: [] });
/** Calls of the tool `echo`, and a result of one. */
export const called = (...ids: string[]): Message => shared.called(ids.map((id) => [id, 'echo', '{"a":1}']));
export const result = (toolCallId: string, content: string, isError?: boolean): ToolMessage =>
  shared.result(toolCallId, 'echo', content, isError);
