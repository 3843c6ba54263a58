import {
  AdapterError,
  argumentsText,
  count,
  excerpt,
  type FinishReason,
  joinThinking,
  type Metadata,
  type ModelResponse,
  splitInlineThinking,
  type Usage,
  usageOf,
  withIds,
} from '@glassloop/core/adapter';

/** The parts of a chat completion that are read; anything may be missing or null. */
export interface Completion {
  readonly model?: string;
  readonly choices?: readonly Choice[];
  readonly usage?: WireUsage | null;
  /** Only in a folded stream: whether its end mark came. */
  readonly ended?: boolean;
}
interface Choice {
  readonly message?: WireMessage;
  readonly finish_reason?: string | null;
}
interface WireMessage {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly unknown[];
  readonly tool_calls?: readonly { id?: string; function: { name: string; arguments?: unknown } }[] | null;
}
interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  readonly cost?: number | null;
}

export interface Around {
  readonly name: string;
  readonly warnings: readonly string[];
  readonly metadata: Metadata | undefined;
}

/** A decoded body → ModelResponse; the same for a folded stream. */
export function fromBody(body: unknown, { name, warnings, metadata }: Around): ModelResponse {
  const { choices, model, usage, ended = true } = (body ?? {}) as Completion;
  const choice = choices?.[0];
  if (choice?.message == null || typeof choice.message !== 'object') {
    throw new AdapterError(
      'bad_response',
      `${name}: the answer has no message: ${excerpt(JSON.stringify(body))}`,
    );
  }
  const { message, finish_reason } = choice;
  const { content, thinking: inline } = splitInlineThinking(message.content ?? '');
  const toolCalls = withIds(
    (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      argumentsJson: argumentsText(call.function.arguments),
    })),
  );
  const thinking = joinThinking(message.reasoning ?? undefined, inline);
  const details = message.reasoning_details ?? [];
  const state = { ids: toolCalls.map((call) => call.id), details };
  return {
    message: {
      role: 'assistant',
      content,
      toolCalls,
      ...(details.length > 0 && { providerState: { [name]: state } }),
    },
    ...(thinking !== undefined && { thinking }),
    finishReason: ended ? finishOf(finish_reason, toolCalls.length > 0) : 'other',
    ...(typeof finish_reason === 'string' && { rawFinishReason: finish_reason }),
    usage: usageFrom(usage ?? {}),
    ...(model !== undefined && { model }),
    ...(warnings.length > 0 && { warnings }),
    ...(metadata !== undefined && { metadata }),
  };
}

function usageFrom(usage: WireUsage): Usage {
  return usageOf({
    promptTokens: count(usage.prompt_tokens),
    completionTokens: count(usage.completion_tokens),
    cacheReadTokens: count(usage.prompt_tokens_details?.cached_tokens),
    cacheWriteTokens: count(usage.prompt_tokens_details?.cache_write_tokens),
    reasoningTokens: count(usage.completion_tokens_details?.reasoning_tokens),
    estimatedCost: typeof usage.cost === 'number' ? usage.cost : undefined,
  });
}

function finishOf(word: string | null | undefined, hasCalls: boolean): FinishReason {
  if (word === 'length' || word === 'content_filter') return word;
  if (hasCalls) return 'tool_calls';
  return word === 'stop' || word == null ? 'stop' : 'other';
}
