import type { Usage } from '@glassloop/core';
import { joinThinking, splitInlineThinking, usageOf } from '@glassloop/core/adapter';
import { decodedBody, type RecordedExchange, type RecordedExpectation } from './exchange.ts';

/** What an adapter must make of a recorded answer, in core's words. Empty and absent texts are the same: ''. */
export interface ExpectedAnswer {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly {
    /** undefined: the provider gave none. */
    readonly id: string | undefined;
    readonly name: string;
    /** Decoded; the text itself where it is no JSON. */
    readonly arguments: unknown;
  }[];
  readonly rawFinishReason: string | undefined;
  readonly usage: Usage;
  readonly model: string | undefined;
  /** undefined: no error. `message` is '' where the provider gave none. */
  readonly error: { readonly message: string } | undefined;
}

/** undefined where the recording says nothing about it. */
export function expectedOf(exchange: RecordedExchange): ExpectedAnswer | undefined {
  const { expected } = exchange;
  if (expected === null) return undefined;
  const { content, thinking } = splitInlineThinking(expected.content || expected.refusal || '');
  return {
    content,
    thinking: joinThinking(expected.thinking ?? undefined, thinking) ?? '',
    calls: callsIn(expected).map((call) => ({
      id: call.id ?? undefined,
      name: call.name,
      arguments: call.arguments ?? (call.argumentsText === undefined ? {} : decoded(call.argumentsText)),
    })),
    rawFinishReason: expected.finishReason ?? undefined,
    usage: expected.usage === null ? {} : usageFrom(exchange, expected.usage),
    model: expected.model ?? undefined,
    error: expected.error === null ? undefined : { message: expected.error.message ?? '' },
  };
}

function callsIn({ toolCalls, legacyFunctionCall }: RecordedExpectation): RecordedExpectation['toolCalls'] {
  return toolCalls.length > 0 || !legacyFunctionCall ? toolCalls : [{ id: null, ...legacyFunctionCall }];
}

function decoded(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Each provider's way of counting, brought under core's identity. */
function usageFrom(exchange: RecordedExchange, usage: NonNullable<RecordedExpectation['usage']>): Usage {
  const completion = usage.completion ?? undefined;
  const reasoning = usage.reasoning ?? undefined;
  const shared = {
    cacheReadTokens: usage.cached ?? undefined,
    cacheWriteTokens: usage.cacheCreation ?? undefined,
    reasoningTokens: reasoning,
    estimatedCost: usage.cost ?? undefined,
  };
  switch (exchange.provider) {
    case 'anthropic':
      return usageOf({
        ...shared,
        promptTokens: sum(usage.prompt, usage.cached, usage.cacheCreation),
        completionTokens: completion,
      });
    case 'google': {
      const promptTokens = sum(usage.prompt, toolUsePrompt(exchange));
      // Gemini leaves out counts of 0; the total shows that they were meant.
      const empty = usage.total !== null && usage.total === promptTokens ? 0 : undefined;
      return usageOf({
        ...shared,
        promptTokens,
        completionTokens: sum(usage.completion, usage.reasoning) ?? empty,
      });
    }
    default:
      return usageOf({
        ...shared,
        cacheReadTokens: shared.cacheReadTokens ?? lastUsage(exchange)['num_cached_tokens'],
        promptTokens: usage.prompt ?? undefined,
        completionTokens: completion,
      });
  }
}

/** undefined when none is known. */
function sum(...counts: readonly (number | null | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== null && count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

/** What provider-side tools added to the prompt; the recordings' own table leaves it out. */
function toolUsePrompt(exchange: RecordedExchange): number | undefined {
  return lastUsage(exchange)['toolUsePromptTokenCount'];
}

/** The usage as the body has it, for counts that `expected` has no place for. */
function lastUsage(exchange: RecordedExchange): { readonly [count: string]: number | undefined } {
  const body = decodedBody(exchange);
  const usages = (Array.isArray(body) ? body : [body]).map((event) => event?.usageMetadata ?? event?.usage);
  return usages.findLast((usage) => typeof usage === 'object' && usage !== null) ?? {};
}
