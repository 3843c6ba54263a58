import {
  count,
  type FinishReason,
  type Metadata,
  type ModelResponse,
  sumOf,
  type Usage,
  usageOf,
} from '@glassloop/core/adapter';
import { isObject, readContent } from './content.ts';
import { errorInBody, notAnAnswer } from './errors.ts';

export interface AnswerFacts {
  readonly secrets: readonly string[];
  readonly warnings: readonly string[];
  readonly metadata: Metadata | undefined;
  /** false: a stream that broke off before its end mark. */
  readonly ended: boolean;
}

/** The decoded body of an answer, whole or folded from a stream → ModelResponse. Throws AdapterError for anything else. */
export function fromResponse(
  body: unknown,
  { secrets, warnings, metadata, ended }: AnswerFacts,
): ModelResponse {
  const error = errorInBody(body, secrets);
  if (error !== undefined) throw error;
  if (!isObject(body) || !Array.isArray(body['content'])) throw notAnAnswer(body, secrets);
  const { content, thinking, toolCalls, state } = readContent(body['content']);
  const { stop_reason: word, model } = body;
  return {
    message: {
      role: 'assistant',
      content,
      toolCalls,
      ...(state !== undefined && { providerState: { anthropic: state } }),
    },
    ...(thinking !== undefined && { thinking }),
    finishReason: ended ? finishReasonOf(word, toolCalls.length > 0) : 'other',
    ...(typeof word === 'string' && { rawFinishReason: word }),
    usage: usageIn(body['usage']),
    ...(typeof model === 'string' && { model }),
    ...(warnings.length > 0 && { warnings }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** `pause_turn` is 'other': the provider has not finished. Sending the conversation again goes on with it. */
function finishReasonOf(word: unknown, hasCalls: boolean): FinishReason {
  switch (word) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
  }
  if (hasCalls) return 'tool_calls';
  switch (word) {
    case 'end_turn':
    case 'stop_sequence':
    case undefined:
    case null:
      return 'stop';
    default:
      return 'other';
  }
}

/** `input_tokens` leaves out what was read from or written to the cache; `Usage` does not. */
function usageIn(usage: unknown): Usage {
  if (!isObject(usage)) return {};
  const fresh = count(usage['input_tokens']);
  const cacheReadTokens = count(usage['cache_read_input_tokens']);
  const cacheWriteTokens = count(usage['cache_creation_input_tokens']);
  const details = usage['output_tokens_details'];
  return usageOf({
    promptTokens: fresh === undefined ? undefined : sumOf(fresh, cacheReadTokens, cacheWriteTokens),
    completionTokens: count(usage['output_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: isObject(details) ? count(details['thinking_tokens']) : undefined,
  });
}
