import {
  count,
  type FinishReason,
  joinThinking,
  type Metadata,
  type ModelResponse,
  sumOf,
  type Usage,
  usageOf,
  withIds,
} from '@glassloop/core/adapter';
import { badResponse, providerError } from './errors.ts';
import { isObject, type Part, readParts, stateOf } from './parts.ts';

export interface ResponseFacts {
  /** false: a stream that ended, so without a finish reason it is not complete. */
  readonly whole: boolean;
  readonly secrets: readonly string[];
  readonly warnings: readonly string[];
  readonly metadata: Metadata | undefined;
}

/** A decoded body of generateContent → the answer. Throws AdapterError for an error inside it, or no answer. */
export function fromResponse(body: unknown, facts: ResponseFacts): ModelResponse {
  if (!isObject(body)) throw badResponse('the body was not an object', {});
  if (body['error'] !== undefined && body['error'] !== null) throw providerError(body['error'], facts);
  const { candidates, promptFeedback, usageMetadata, modelVersion } = body;
  const candidate = Array.isArray(candidates) && isObject(candidates[0]) ? candidates[0] : undefined;
  const blockReason = isObject(promptFeedback) ? word(promptFeedback['blockReason']) : undefined;
  if (candidate === undefined && blockReason === undefined) {
    throw badResponse('the answer held no candidate', {});
  }
  const content = candidate?.['content'];
  const parts = isObject(content) && Array.isArray(content['parts']) ? content['parts'].filter(isObject) : [];
  const read = readParts(parts);
  const rawFinishReason = candidate === undefined ? blockReason : word(candidate['finishReason']);
  const finishReason =
    candidate === undefined
      ? 'content_filter'
      : finishReasonOf(rawFinishReason, read.calls.length > 0, facts.whole);
  if (isFailure(rawFinishReason, finishReason, parts)) {
    const said = word(candidate?.['finishMessage']);
    throw badResponse(`the model stopped with ${rawFinishReason}${said === undefined ? '' : `: ${said}`}`, {
      partial: read.content === '' ? undefined : read.content,
      // It was generated and is paid for, though nothing came of it.
      usage: usageFrom(isObject(usageMetadata) ? usageMetadata : {}),
    });
  }
  if (read.calls.some(({ name }) => name === ''))
    throw badResponse('the model called a tool without a name', {});
  const state = stateOf(parts, read);
  const thinking = joinThinking(read.thinking, read.inlineThinking);
  const model = word(modelVersion);
  return {
    message: {
      role: 'assistant',
      content: read.content,
      toolCalls: withIds(read.calls),
      ...(state === undefined ? {} : { providerState: { google: state } }),
    },
    ...(thinking === undefined ? {} : { thinking }),
    finishReason,
    ...(rawFinishReason === undefined ? {} : { rawFinishReason }),
    usage: usageFrom(isObject(usageMetadata) ? usageMetadata : {}),
    ...(model === undefined ? {} : { model }),
    ...(facts.warnings.length === 0 ? {} : { warnings: facts.warnings }),
    ...(facts.metadata === undefined ? {} : { metadata: facts.metadata }),
  };
}

function finishReasonOf(raw: string | undefined, hasCalls: boolean, whole: boolean): FinishReason {
  if (raw === undefined && !whole) return 'other';
  if (raw === 'MAX_TOKENS') return 'length';
  if (raw !== undefined && FILTERED.test(raw)) return 'content_filter';
  if (hasCalls) return 'tool_calls';
  return raw === undefined || raw === 'STOP' ? 'stop' : 'other';
}

const FILTERED = /^(IMAGE_)?(SAFETY|RECITATION|PROHIBITED_CONTENT)$|^(BLOCKLIST|SPII|LANGUAGE)$/;

/** A failed call is never an answer; a reason that is not known is none when it comes without anything. */
function isFailure(raw: string | undefined, finishReason: FinishReason, parts: readonly Part[]): boolean {
  if (raw === undefined) return false;
  if (/MALFORMED|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE/.test(raw)) return true;
  return finishReason === 'other' && parts.every((part) => part['text'] === '' || part['thought'] === true);
}

/**
 * `promptTokenCount` includes what came from the cache but not what server tools read, and `candidatesTokenCount`
 * leaves out the thoughts. https://ai.google.dev/api/generate-content#UsageMetadata
 */
function usageFrom(usage: Part): Usage {
  const promptTokens = sumOf(count(usage['promptTokenCount']), count(usage['toolUsePromptTokenCount']));
  const reasoningTokens = count(usage['thoughtsTokenCount']);
  const totalTokens = count(usage['totalTokenCount']);
  // Google leaves out a count that is 0, as in a blocked prompt.
  const rest =
    promptTokens === undefined || totalTokens === undefined
      ? undefined
      : Math.max(0, totalTokens - promptTokens);
  return usageOf({
    promptTokens,
    completionTokens: sumOf(count(usage['candidatesTokenCount']), reasoningTokens) ?? rest,
    totalTokens,
    cacheReadTokens: count(usage['cachedContentTokenCount']),
    reasoningTokens,
  });
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
