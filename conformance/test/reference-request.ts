import {
  type ContentPart,
  type Message,
  type ModelRequest,
  type RequestPreview,
  replayedArgumentsText,
  type ToolCall,
  type ToolChoice,
} from '@glassloop/core/adapter';

type Fields = Record<string, unknown>;

/** ModelRequest → the body of a chat completion. */
export function toBody(
  model: string,
  request: ModelRequest,
  adapter: string,
): RequestPreview & { body: Fields } {
  const { messages, tools, options, onDelta } = request;
  const { temperature, topP, maxTokens, stop, toolChoice, parallelToolCalls, thinking, providerOptions } =
    options;
  const body: Fields = {
    model,
    messages: messages.flatMap((message) => turnOf(message, adapter)),
    ...given('temperature', temperature),
    ...given('top_p', topP),
    ...given('max_completion_tokens', maxTokens),
    ...given('stop', stop),
    ...given('reasoning_effort', effortOf(thinking)),
  };
  if (tools.length > 0) {
    body['tools'] = tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }));
    Object.assign(
      body,
      given('tool_choice', choiceOf(toolChoice)),
      given('parallel_tool_calls', parallelToolCalls),
    );
  }
  if (onDelta !== undefined) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return { body: { ...body, ...providerOptions?.[adapter] }, warnings: [] };
}

function given(field: string, value: unknown): Fields {
  return value == null ? {} : { [field]: value };
}

function effortOf(thinking: boolean | undefined): string | undefined {
  return thinking == null ? undefined : thinking ? 'medium' : 'none';
}

function choiceOf(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' && choice !== null
    ? { type: 'function', function: { name: choice.tool } }
    : choice;
}

function turnOf(message: Message, adapter: string): Fields[] {
  switch (message.role) {
    case 'system':
      return message.content.trim() === '' ? [] : [{ role: 'system', content: message.content }];
    case 'user':
      return [
        {
          role: 'user',
          content: typeof message.content === 'string' ? message.content : message.content.flatMap(partOf),
        },
      ];
    case 'assistant': {
      const { content, toolCalls, providerState } = message;
      if (content.trim() === '' && toolCalls.length === 0) return [];
      const state = fitting(providerState?.[adapter], toolCalls);
      return [
        {
          role: 'assistant',
          content: content === '' ? null : content,
          ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(callOf) }),
          ...(state !== undefined && { reasoning_details: state }),
        },
      ];
    }
    case 'tool':
      return [{ role: 'tool', tool_call_id: shortId(message.toolCallId), content: message.content }];
  }
}

/** State belongs to the calls it came with; a turn that was edited is sent without it. */
function fitting(state: unknown, calls: readonly ToolCall[]): unknown {
  const { ids, details } = (state ?? {}) as { ids?: readonly string[]; details?: unknown };
  return ids?.join() === calls.map((call) => call.id).join() ? details : undefined;
}

function callOf({ id, name, argumentsJson }: ToolCall): Fields {
  return {
    id: shortId(id),
    type: 'function',
    function: { name, arguments: replayedArgumentsText(argumentsJson) },
  };
}

/** Ids of other providers may be longer than the 40 characters allowed here. */
function shortId(id: string): string {
  return id.length <= 40 ? id : `${id.slice(0, 20)}${id.slice(-20)}`;
}

function partOf(part: ContentPart): Fields[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const url = /^https?:/.test(part.data) ? part.data : `data:${part.mediaType};base64,${part.data}`;
  return [{ type: 'image_url', image_url: { url } }];
}
