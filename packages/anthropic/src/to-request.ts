import { AdapterError, type CallOptions, type ModelRequest } from '@glassloop/core/adapter';
import { traitsOf } from './claude-model.ts';
import { isObject } from './content.ts';
import { toConversation, type WireMessage } from './messages.ts';
import { toWireTools } from './tools.ts';

/** Sent when `maxTokens` is unset, because the API demands a value. A ceiling, not a price. */
const DEFAULT_MAX_TOKENS = 8192;

const LEAST_BUDGET_TOKENS = 1024;

export interface WireRequest {
  /** The JSON body of POST /v1/messages. */
  readonly body: { readonly [field: string]: unknown };
  readonly warnings: readonly string[];
}

/** Options are picked by name, so nothing private can reach the body; `providerOptions.anthropic` comes last. */
export function toRequest(request: ModelRequest, model: string): WireRequest {
  const { tools } = request;
  const options = withoutNulls(request.options);
  const warnings: string[] = [];
  const { system, messages } = toConversation(request.messages);
  if (messages.length === 0) {
    throw new AdapterError('invalid_request', 'anthropic: there is no message with content to send', {
      hint: 'Add a user message; the API takes no request of system messages alone.',
    });
  }
  const own = options.providerOptions?.['anthropic'] ?? {};
  const maxTokens = options.maxTokens ?? DEFAULT_MAX_TOKENS;
  const thinking =
    own['thinking'] ?? thinkingFor(options, model, maxTokens, tools.length > 0, messages, warnings);
  const toolFields =
    tools.length === 0 ? undefined : { tools: toWireTools(tools, warnings), ...toolChoiceFor(options) };
  return {
    body: {
      model,
      max_tokens: maxTokens,
      ...(system !== undefined && { system }),
      messages,
      ...toolFields,
      ...samplingFor(options, model, thinking, warnings),
      ...stopFor(options, warnings),
      ...(thinking !== undefined && { thinking }),
      ...own,
      ...(request.onDelta !== undefined && { stream: true }),
    },
    warnings,
  };
}

function toolChoiceFor({ toolChoice, parallelToolCalls }: CallOptions): { tool_choice?: object } {
  if (toolChoice === 'none') return { tool_choice: { type: 'none' } };
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : undefined;
  if (toolChoice === undefined)
    return single === undefined ? {} : { tool_choice: { type: 'auto', ...single } };
  if (toolChoice === 'auto') return { tool_choice: { type: 'auto', ...single } };
  if (toolChoice === 'required') return { tool_choice: { type: 'any', ...single } };
  return { tool_choice: { type: 'tool', name: toolChoice.tool, ...single } };
}

function thinkingFor(
  { thinking, toolChoice }: CallOptions,
  model: string,
  maxTokens: number,
  hasTools: boolean,
  messages: readonly WireMessage[],
  warnings: string[],
): object | undefined {
  if (thinking === undefined) return undefined;
  const traits = traitsOf(model);
  if (!thinking) {
    if (traits.withoutThinking === 'impossible')
      warnings.push(`anthropic: ${model} always thinks; thinking: false was not sent.`);
    return traits.withoutThinking === 'disabled' ? { type: 'disabled' } : undefined;
  }
  const leaveOut = (why: string): undefined => {
    warnings.push(`anthropic: thinking was not asked for, because ${why}.`);
  };
  if (traits.thinking === 'none') return leaveOut(`${model} does not think`);
  if (hasTools && toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none') {
    return leaveOut('the API refuses it together with a forced tool choice');
  }
  // Newer models leave the text of their thinking out unless asked.
  if (traits.thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  if (maxTokens <= LEAST_BUDGET_TOKENS) {
    return leaveOut(`it needs a budget of ${LEAST_BUDGET_TOKENS} tokens and maxTokens is ${maxTokens}`);
  }
  if (turnBeganWithoutThinking(messages)) {
    return leaveOut('the tool calls that are being answered were made without it');
  }
  return { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET_TOKENS, Math.floor(maxTokens / 2)) };
}

/**
 * With a thinking budget, the API wants the turn that tool results belong to to begin with thinking. It does not
 * when its first round was forced to call a tool, or was answered by another provider.
 */
function turnBeganWithoutThinking(messages: readonly WireMessage[]): boolean {
  const lastUserWord = messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' && (typeof content === 'string' || content.some(({ type }) => type !== 'tool_result')),
  );
  const first = messages[lastUserWord + 1];
  if (first?.role !== 'assistant') return false;
  return typeof first.content === 'string' || !/^(redacted_)?thinking$/.test(first.content[0]?.type ?? '');
}

/** Never both: models from 4.1 on refuse that. */
function samplingFor(
  { temperature, topP }: CallOptions,
  model: string,
  thinking: unknown,
  warnings: string[],
): { temperature?: number; top_p?: number } {
  if (temperature === undefined && topP === undefined) return {};
  const thinks = isObject(thinking) && thinking['type'] !== 'disabled';
  if (!traitsOf(model).sampling) {
    const names = [temperature !== undefined && 'temperature', topP !== undefined && 'topP'].filter(Boolean);
    warnings.push(`anthropic: ${model} takes no sampling options; ${names.join(' and ')} not sent.`);
    return {};
  }
  if (temperature !== undefined && !(thinks && temperature !== 1)) {
    if (topP !== undefined)
      warnings.push('anthropic: temperature and topP cannot both be set; topP not sent.');
    if (temperature <= 1) return { temperature };
    warnings.push(`anthropic: temperature goes from 0 to 1; ${temperature} was sent as 1.`);
    return { temperature: 1 };
  }
  if (temperature !== undefined)
    warnings.push('anthropic: temperature cannot be set while thinking; not sent.');
  if (topP === undefined) return {};
  if (!thinks || topP >= 0.95) return { top_p: topP };
  warnings.push('anthropic: topP must be at least 0.95 while thinking; not sent.');
  return {};
}

function stopFor({ stop }: CallOptions, warnings: string[]): { stop_sequences?: readonly string[] } {
  if (stop === undefined) return {};
  const usable = stop.filter((text) => text.trim() !== '');
  if (usable.length < stop.length)
    warnings.push('anthropic: stop texts of white space alone are refused; not sent.');
  return usable.length === 0 ? {} : { stop_sequences: usable };
}

/** `top_k` can only come from providerOptions. */
export function asksForSampling(body: WireRequest['body']): boolean {
  return 'temperature' in body || 'top_p' in body || 'top_k' in body;
}

/** null comes from JSON and means unset; as null it would be refused. */
function withoutNulls(options: CallOptions): CallOptions {
  const entries = Object.entries(options);
  return entries.every(([, value]) => value !== null)
    ? options
    : Object.fromEntries(entries.filter(([, value]) => value !== null));
}
