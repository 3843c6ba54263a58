import {
  AdapterError,
  argumentsText,
  count,
  excerpt,
  type FinishReason,
  joinThinking,
  type ModelResponse,
  splitInlineThinking,
  type ToolCall,
  usageOf,
  withIds,
} from '@glassloop/core/adapter';
import { asObject } from './json.ts';
import type { OllamaState } from './to-request.ts';

/** The decoded body of a whole answer → ModelResponse. `ended: false`: the stream it was folded from broke off. */
export function fromResponse(body: unknown, { ended } = { ended: true }): ModelResponse {
  const answer = asObject(body);
  const message = asObject(answer?.['message']);
  if (answer === undefined || message === undefined) {
    throw new AdapterError(
      'bad_response',
      `ollama: an answer without a message: ${excerpt(JSON.stringify(body) ?? 'nothing')}`,
    );
  }
  const calls = callsOf(message['tool_calls']);
  const inline = splitInlineThinking(textOf(message['content']));
  const native = textOf(message['thinking']);
  const thinking = joinThinking(native, inline.thinking);
  const rawFinishReason = answer['done_reason'];
  const generatedNothing = calls.length === 0 && inline.content === '' && thinking === undefined;
  if ((rawFinishReason === 'load' || rawFinishReason === 'unload') && generatedNothing) {
    throw new AdapterError(
      'invalid_request',
      `ollama: nothing was generated; the server only did a "${rawFinishReason}" of the model`,
      { hint: 'Send at least one user message with text.' },
    );
  }
  const state: OllamaState = { thinking: native, callIds: calls.map(({ id }) => id) };
  return {
    message: {
      role: 'assistant',
      content: inline.content,
      toolCalls: calls,
      ...(native.trim() === '' ? {} : { providerState: { ollama: state } }),
    },
    ...(thinking === undefined ? {} : { thinking }),
    finishReason: finishReason(rawFinishReason, calls, ended && answer['done'] !== false),
    ...(typeof rawFinishReason === 'string' ? { rawFinishReason } : {}),
    usage: usageOf({
      promptTokens: count(answer['prompt_eval_count']),
      completionTokens: count(answer['eval_count']),
    }),
    ...(typeof answer['model'] === 'string' ? { model: answer['model'] } : {}),
  };
}

function finishReason(word: unknown, calls: readonly ToolCall[], ended: boolean): FinishReason {
  if (!ended) return 'other';
  if (word === 'length') return 'length';
  if (calls.length > 0) return 'tool_calls';
  return word === undefined || word === null || word === '' || word === 'stop' ? 'stop' : 'other';
}

function callsOf(value: unknown): readonly ToolCall[] {
  if (!Array.isArray(value)) return [];
  return withIds(
    value.map((entry) => {
      const call = asObject(entry);
      const called = asObject(call?.['function']);
      return {
        id: call?.['id'],
        name: textOf(called?.['name']) || 'unknown_tool',
        argumentsJson: argumentsText(called?.['arguments']),
      };
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
