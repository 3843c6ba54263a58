import type { ModelRequest } from '../adapter/adapter.ts';
import { replayedArgumentsText } from '../adapter/arguments.ts';
import { isPlainObject } from '../check.ts';
import type { AssistantMessage, ContentPart, Message } from '../message.ts';
import type { CallOptions } from '../options.ts';
import type { ToolSpec } from '../tool.ts';
import type { Dialect, DialectOption, Wire } from './dialect.ts';

/** A request body ready to be sent, and what of the request it leaves out. */
export interface ChatCompletionRequest {
  readonly body: Wire;
  readonly warnings: readonly string[];
}

/**
 * ModelRequest → body of a chat-completions request. Pure. Streams when `onDelta` is there.
 * System messages stay where they are; null counts as unset, as it comes from JSON; blank messages and text parts are not sent; what the dialect lacks becomes a
 * warning; `providerOptions[dialect.name]` is merged in last.
 */
export function toRequest(
  dialect: Dialect,
  model: string,
  request: Pick<ModelRequest, 'messages' | 'tools' | 'options' | 'onDelta'>,
): ChatCompletionRequest {
  const messages: Wire[] = [];
  for (const message of request.messages) {
    const wire = wireMessage(dialect, message);
    if (wire !== undefined) messages.push(wire);
  }
  const { fields, warnings } = requestFields(dialect, model, request);
  return { body: { model, messages, ...fields }, warnings };
}

/** Everything of the body but model and messages; `providerOptions` may name these too. */
export function requestFields(
  dialect: Dialect,
  model: string,
  { tools, options, onDelta }: Pick<ModelRequest, 'tools' | 'options' | 'onDelta'>,
): { readonly fields: Wire; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const stream = onDelta !== undefined;
  const fields: Wire = {
    ...toolFields(dialect, model, tools, options, warnings),
    ...optionFields(dialect, model, options, tools.length > 0, warnings),
    ...(stream ? { stream: true } : {}),
    ...(stream && dialect.streamOptions !== false ? { stream_options: { include_usage: true } } : {}),
    ...providerFields(dialect, options, warnings),
  };
  return { fields, warnings };
}

/** undefined: there is nothing to send. */
export function wireMessage(dialect: Dialect, message: Message): Wire | undefined {
  switch (message.role) {
    case 'system':
      return isBlank(message.content) ? undefined : { role: 'system', content: message.content };
    case 'user': {
      const content = userContent(message.content);
      return content === undefined ? undefined : { role: 'user', content };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: callId(dialect, message.toolCallId), content: message.content };
    case 'assistant':
      return assistantMessage(dialect, message);
  }
}

function userContent(content: string | readonly ContentPart[]): unknown {
  if (typeof content === 'string') return isBlank(content) ? undefined : content;
  const parts = content.flatMap((part): Wire[] => {
    if (part.type === 'image') return [{ type: 'image_url', image_url: { url: imageUrl(part) } }];
    return isBlank(part.text) ? [] : [{ type: 'text', text: part.text }];
  });
  if (parts.length === 0) return undefined;
  // Plain text wherever it can be: not every model behind this dialect takes a list.
  return parts.length === 1 && parts[0]!['type'] === 'text' ? parts[0]!['text'] : parts;
}

function imageUrl({ data, mediaType }: Extract<ContentPart, { type: 'image' }>): string {
  return /^https?:\/\//i.test(data) ? data : `data:${mediaType};base64,${data}`;
}

function assistantMessage(dialect: Dialect, message: AssistantMessage): Wire | undefined {
  const content = isBlank(message.content) ? null : message.content;
  if (message.toolCalls.length === 0) {
    return content === null ? undefined : { role: 'assistant', content, ...replayed(dialect, message) };
  }
  const tool_calls = message.toolCalls.map(({ id, name, argumentsJson }) => ({
    id: callId(dialect, id),
    type: 'function',
    function: { name: wireName(name), arguments: replayedArgumentsText(argumentsJson) },
  }));
  return { role: 'assistant', content, tool_calls, ...replayed(dialect, message) };
}

function callId(dialect: Dialect, id: string): string {
  return dialect.callId === undefined ? id : dialect.callId(id);
}

/** A name that the model made up may break the host's own rule, and would then make the whole history unsendable. */
function wireName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
    ? name
    : name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool';
}

/** The opaque fields of a message of ours, unless its calls have been changed since. */
function replayed({ name, replayedFields = [] }: Dialect, message: AssistantMessage): Wire | undefined {
  const state = message.providerState?.[name];
  if (!isPlainObject(state) || !isPlainObject(state['fields']) || !Array.isArray(state['callIds'])) return;
  const ids = state['callIds'];
  const fits =
    ids.length === message.toolCalls.length && message.toolCalls.every(({ id }, at) => id === ids[at]);
  if (!fits) return;
  const { fields } = state as { fields: Wire };
  return Object.fromEntries(
    replayedFields.filter((field) => field in fields).map((field) => [field, fields[field]]),
  );
}

function toolFields(
  dialect: Dialect,
  model: string,
  tools: readonly ToolSpec[],
  { toolChoice, parallelToolCalls }: CallOptions,
  warnings: string[],
): Wire {
  if (tools.length === 0) return {};
  const fields: Record<string, unknown> = { tools: tools.map(wireTool) };
  if (toolChoice != null && takes(dialect, 'toolChoice', model, warnings)) {
    fields['tool_choice'] =
      typeof toolChoice === 'object'
        ? { type: 'function', function: { name: toolChoice.tool } }
        : toolChoice === 'required'
          ? (dialect.requiredWord ?? 'required')
          : toolChoice;
  }
  if (parallelToolCalls != null && takes(dialect, 'parallelToolCalls', model, warnings)) {
    fields['parallel_tool_calls'] = parallelToolCalls;
  }
  return fields;
}

function wireTool({ name, description, parameters }: ToolSpec): Wire {
  return { type: 'function', function: { name, description, parameters } };
}

function optionFields(
  dialect: Dialect,
  model: string,
  options: CallOptions,
  hasTools: boolean,
  warnings: string[],
): Wire {
  const { maxTokens, temperature, topP, stop, thinking } = options;
  const fields: Record<string, unknown> = {};
  if (maxTokens != null) fields[dialect.maxTokensField(model)] = maxTokens;
  if (temperature != null && takes(dialect, 'temperature', model, warnings)) {
    fields['temperature'] = temperature;
  }
  if (topP != null && takes(dialect, 'topP', model, warnings)) fields['top_p'] = topP;
  if (stop != null && takes(dialect, 'stop', model, warnings)) fields['stop'] = stop;
  if (thinking != null && takes(dialect, 'thinking', model, warnings)) {
    const asked = dialect.thinking?.(thinking, model, hasTools) ?? {
      warning: 'thinking is not sent, because this API has no field for it.',
    };
    Object.assign(fields, asked.fields);
    if (asked.warning !== undefined) warnings.push(`${dialect.name}: ${asked.warning}`);
  }
  return fields;
}

function takes(dialect: Dialect, option: DialectOption, model: string, warnings: string[]): boolean {
  if (dialect.refuses?.(option, model) !== true) return true;
  warnings.push(`${dialect.name}: ${option} is not sent, because ${model} does not take it.`);
  return false;
}

function providerFields({ name }: Dialect, { providerOptions }: CallOptions, warnings: string[]): Wire {
  const fields = providerOptions?.[name];
  if (fields == null) return {};
  const { stream, ...rest } = fields;
  // Whether a call streams is decided by `onDelta` alone: the answer is read accordingly.
  if (stream !== undefined) {
    warnings.push(
      `${name}: providerOptions.${name}.stream is not sent; a call streams when onDelta is given.`,
    );
  }
  return rest;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
