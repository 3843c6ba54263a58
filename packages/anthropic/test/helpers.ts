import type { AdapterError, Delta, Message, ModelRequest, ToolSpec } from '@glassloop/core/adapter';
import {
  anthropicMessages,
  type ScriptedTurn,
  type Simulator,
  startSimulator,
  type WireFormat,
} from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type AnthropicSettings, anthropic } from '../src/index.ts';

export const KEY = 'KEY-SENTINEL-7f3a';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close();
});

/** A provider that answers by script, and an adapter that talks to it. */
export async function scripted(
  turns: readonly ScriptedTurn[],
  settings: Partial<AnthropicSettings> = {},
  wire: WireFormat = anthropicMessages,
) {
  const simulator = await startSimulator({ wire, turns });
  running.push(simulator);
  const adapter = anthropic({
    model: 'claude-sonnet-4-5',
    apiKey: KEY,
    baseURL: simulator.baseURL,
    ...settings,
  });
  return {
    simulator,
    adapter,
    body: (index = 0) => simulator.exchanges[index]?.request.body as Body,
    header: (name: string, index = 0) =>
      simulator.exchanges[index]?.request.rawHeaders.find(([key]) => key.toLowerCase() === name)?.[1],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into bodies
export type Body = any;

/** A turn given as the JSON body of a whole answer. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedTurn {
  return {
    reply: {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
    },
  };
}

/** A turn given as the events of a stream. */
export function sse(...events: readonly Body[]): ScriptedTurn {
  return {
    reply: {
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      chunks: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    },
  };
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

export const user: Message = { role: 'user', content: 'hi' };

export function tool(
  name: string,
  parameters: Record<string, unknown> = { type: 'object', properties: {} },
): ToolSpec {
  return { name, description: `The tool ${name}.`, parameters };
}

export function asking(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [user], tools: [], options: {}, ...more };
}

/** The same request once whole and once streamed, for `it.each`. */
export const modes = [
  ['whole', undefined],
  ['streamed', () => {}],
] as const satisfies readonly (readonly [string, ((delta: Delta) => void) | undefined])[];

/** `whole` as the turn that fits the mode. */
export function turnFor(whole: Body, onDelta: ((delta: Delta) => void) | undefined): ScriptedTurn {
  return onDelta === undefined ? json(whole) : sse(...eventsOf(whole));
}

/** The request without an `onDelta` key where there is none. */
export function mode(onDelta: ((delta: Delta) => void) | undefined): Partial<ModelRequest> {
  return onDelta === undefined ? {} : { onDelta };
}

/** What `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<AdapterError> {
  try {
    await promise;
  } catch (error) {
    return error as AdapterError;
  }
  throw new Error('expected a rejection');
}

export const MODEL = 'claude-sonnet-4-5';

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
export const called = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'echo', argumentsJson: '{"a":1}' })),
});
export const result = (toolCallId: string, content: string, isError = false): Message => ({
  role: 'tool',
  toolCallId,
  toolName: 'echo',
  content,
  isError,
});
