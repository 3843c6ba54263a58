import type { FinishReason, Metadata, ModelResponse } from '../adapter/adapter.ts';
import { argumentsText } from '../adapter/arguments.ts';
import { count, usageOf } from '../adapter/counts.ts';
import { joinThinking, splitInlineThinking } from '../adapter/inline-thinking.ts';
import { withIds } from '../adapter/tool-call-fold.ts';
import { isPlainObject } from '../check.ts';
import type { AssistantMessage, ToolCall } from '../message.ts';
import type { Usage } from '../usage.ts';
import { type Dialect, REASONING_FIELDS, type Wire } from './dialect.ts';

/**
 * Body of a chat completion, as `completionIn` lets it through → ModelResponse. Pure.
 * Only the first choice is read. Everything in it may be null or missing: hosts fill this shape loosely.
 */
export function fromResponse(
  dialect: Dialect,
  body: Wire,
  about: {
    /** The body was folded from a stream: without a finish reason it is then incomplete, not finished. */
    readonly streamed: boolean;
    readonly warnings: readonly string[];
    readonly metadata?: Metadata | undefined;
  },
): ModelResponse {
  const choice = firstChoice(body);
  const wire = isPlainObject(choice['message']) ? choice['message'] : {};
  const refusal = textOf(wire['refusal']);
  const { content, thinking: inline } = splitInlineThinking(contentText(wire['content']));
  const thinking = joinThinking(reasoningText(dialect, wire), inline);
  const toolCalls = toolCallsOf(wire);
  const raw = textOf(choice['finish_reason']);
  const state = replayedState(dialect, wire, toolCalls);
  const message: AssistantMessage = {
    role: 'assistant',
    // A refusal is what the model said; the finish reason tells that it is no answer.
    content: content === '' ? (refusal ?? '') : content,
    toolCalls,
    ...(state === undefined ? {} : { providerState: { [dialect.name]: state } }),
  };
  const model = textOf(body['model']);
  return {
    message,
    ...(thinking === undefined ? {} : { thinking }),
    finishReason:
      refusal === undefined ? finishReason(raw, toolCalls.length > 0, about.streamed) : 'content_filter',
    ...(raw === undefined ? {} : { rawFinishReason: raw }),
    usage: usage(dialect.usage === undefined ? body['usage'] : dialect.usage(body)),
    ...(model === undefined ? {} : { model }),
    ...(about.warnings.length === 0 ? {} : { warnings: about.warnings }),
    ...(about.metadata === undefined ? {} : { metadata: about.metadata }),
  };
}

export function firstChoice(body: Wire): Wire {
  const choice = Array.isArray(body['choices']) ? body['choices'][0] : undefined;
  return isPlainObject(choice) ? choice : {};
}

/** The visible reasoning of a message or of a stream event's delta. */
function reasoningText({ reasoningFields = REASONING_FIELDS }: Dialect, message: Wire): string | undefined {
  for (const field of reasoningFields) {
    const text = textOf(message[field]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Text as it is; a list of parts as the text of its text parts, joined. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isPlainObject(part) ? (textOf(part['text']) ?? '') : '')).join('');
}

/** Name and arguments of a call, wherever the kind of call keeps them. */
export function calledFunction(call: Wire): { readonly name: unknown; readonly arguments: unknown } {
  if (isPlainObject(call['function'])) {
    return { name: call['function']['name'], arguments: call['function']['arguments'] };
  }
  if (isPlainObject(call['custom']))
    return { name: call['custom']['name'], arguments: call['custom']['input'] };
  return { name: undefined, arguments: undefined };
}

function toolCallsOf(message: Wire): readonly ToolCall[] {
  const { tool_calls: sent, function_call: legacy } = message;
  const calls: readonly unknown[] = Array.isArray(sent) ? sent : [];
  // The shape before there were tools; some compatible hosts still answer with it.
  const all = calls.length === 0 && isPlainObject(legacy) ? [{ function: legacy }] : calls;
  return withIds(
    all.filter(isPlainObject).map((call) => {
      const called = calledFunction(call);
      return {
        id: call['id'],
        name: textOf(called.name) ?? 'unknown_tool',
        argumentsJson: argumentsText(called.arguments),
      };
    }),
  );
}

/** Opaque fields and the calls they belong to, for the next request. */
function replayedState(
  { replayedFields = [] }: Dialect,
  message: Wire,
  toolCalls: readonly ToolCall[],
): { readonly fields: Wire; readonly callIds: readonly string[] } | undefined {
  const present = replayedFields.filter((field) => {
    const value = message[field];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
  if (present.length === 0) return undefined;
  return {
    fields: Object.fromEntries(present.map((field) => [field, message[field]])),
    callIds: toolCalls.map(({ id }) => id),
  };
}

function finishReason(raw: string | undefined, hasCalls: boolean, streamed: boolean): FinishReason {
  switch (raw) {
    case undefined:
      return streamed ? 'other' : hasCalls ? 'tool_calls' : 'stop';
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return hasCalls ? 'tool_calls' : 'stop';
    default:
      return hasCalls ? 'tool_calls' : 'other';
  }
}

function usage(sent: unknown): Usage {
  if (!isPlainObject(sent)) return {};
  const prompt = isPlainObject(sent['prompt_tokens_details']) ? sent['prompt_tokens_details'] : {};
  const completion = isPlainObject(sent['completion_tokens_details'])
    ? sent['completion_tokens_details']
    : {};
  const cost = sent['cost'];
  return usageOf({
    promptTokens: count(sent['prompt_tokens']),
    completionTokens: count(sent['completion_tokens']),
    totalTokens: count(sent['total_tokens']),
    // DeepSeek and others count cache hits beside, not inside the details.
    cacheReadTokens:
      count(prompt['cached_tokens']) ??
      count(sent['prompt_cache_hit_tokens']) ??
      count(sent['cached_tokens']),
    cacheWriteTokens: count(prompt['cache_write_tokens']),
    reasoningTokens: count(completion['reasoning_tokens']),
    estimatedCost: typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined,
  });
}

/** A text that says something; undefined for '' and everything that is no text. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
