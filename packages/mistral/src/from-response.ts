import {
  argumentsText,
  count,
  type FinishReason,
  joinThinking,
  type ModelResponse,
  splitInlineThinking,
  type ToolCall,
  type Usage,
  usageOf,
  withIds,
} from '@glassloop/core/adapter';
import type { MistralChunk, MistralState } from './history.ts';
import { asObject } from './json.ts';

type Wire = Readonly<Record<string, unknown>>;

/** The decoded body of a whole answer → ModelResponse. `ended: false`: the stream it was folded from broke off. */
export function fromResponse(body: Wire, { ended } = { ended: true }): ModelResponse {
  const choice = firstChoice(body) ?? {};
  const message = asObject(choice['message']) ?? {};
  const calls = callsOf(message['tool_calls']);
  const inline = splitInlineThinking(contentText(message['content']));
  const chunks = thinkingChunks(message['content']);
  const thinking = joinThinking(chunks.map(thinkingText).join(''), inline.thinking);
  const rawFinishReason = choice['finish_reason'];
  const state: MistralState = { thinking: chunks, callIds: calls.map(({ id }) => id) };
  return {
    message: {
      role: 'assistant',
      content: inline.content,
      toolCalls: calls,
      ...(chunks.length === 0 ? {} : { providerState: { mistral: state } }),
    },
    ...(thinking === undefined ? {} : { thinking }),
    finishReason: ended ? finishReason(rawFinishReason, calls) : 'other',
    ...(typeof rawFinishReason === 'string' ? { rawFinishReason } : {}),
    usage: usage(body['usage']),
    ...(typeof body['model'] === 'string' ? { model: body['model'] } : {}),
  };
}

export function firstChoice(body: Wire | undefined): Wire | undefined {
  const choices = body?.['choices'];
  return Array.isArray(choices) ? asObject(choices[0]) : undefined;
}

/** A text as it is; of a list of chunks the text of those that are text. Other kinds are not the answer's text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(asObject)
    .map((chunk) => (chunk?.['type'] === 'text' ? textOf(chunk['text']) : ''))
    .join('');
}

export function thinkingChunks(content: unknown): readonly MistralChunk[] {
  if (!Array.isArray(content)) return [];
  return content.filter((chunk) => asObject(chunk)?.['type'] === 'thinking');
}

/** The text of a thinking chunk, whose `thinking` is a list of chunks, or a text in older answers. */
export function thinkingText(chunk: MistralChunk): string {
  const thinking = (chunk as Wire)['thinking'];
  return typeof thinking === 'string' ? thinking : contentText(thinking);
}

function callsOf(value: unknown): readonly ToolCall[] {
  if (!Array.isArray(value)) return [];
  return withIds(
    value.flatMap((entry) => {
      const call = asObject(entry);
      if (call === undefined) return [];
      const called = asObject(call['function']);
      return [
        {
          id: call['id'],
          name: textOf(called?.['name']) || 'unknown_tool',
          argumentsJson: argumentsText(called?.['arguments']),
        },
      ];
    }),
  );
}

function finishReason(word: unknown, calls: readonly ToolCall[]): FinishReason {
  switch (word) {
    case 'length':
    case 'model_length':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case undefined:
    case null:
    case '':
    case 'stop':
    case 'tool_calls':
      return calls.length > 0 ? 'tool_calls' : 'stop';
    default:
      return calls.length > 0 ? 'tool_calls' : 'other';
  }
}

function usage(value: unknown): Usage {
  const sent = asObject(value) ?? {};
  const prompt = asObject(sent['prompt_tokens_details']);
  return usageOf({
    promptTokens: count(sent['prompt_tokens']),
    completionTokens: count(sent['completion_tokens']),
    totalTokens: count(sent['total_tokens']),
    // Some answers count cache hits beside, not inside the details.
    cacheReadTokens: count(prompt?.['cached_tokens']) ?? count(sent['num_cached_tokens']),
    reasoningTokens: count(asObject(sent['completion_tokens_details'])?.['reasoning_tokens']),
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
