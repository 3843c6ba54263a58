import {
  AdapterError,
  type AssistantMessage,
  type CallOptions,
  type ContentPart,
  type Message,
  type ModelRequest,
  replayedArguments,
  type ToolSpec,
} from '@glassloop/core/adapter';
import { asObject } from './json.ts';

/** A message as `/api/chat` takes it. */
type OllamaMessage =
  | { readonly role: 'system' | 'user'; readonly content: string; readonly images?: readonly string[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly thinking?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: Record<string, unknown> };
      }[];
    }
  | {
      readonly role: 'tool';
      readonly content: string;
      readonly tool_name: string;
      readonly tool_call_id: string;
    };

/** The body of `/api/chat`. Made anew for each call, because the SDK writes into what it is given. */
export interface OllamaBody {
  readonly model: string;
  readonly messages: readonly OllamaMessage[];
  readonly stream: boolean;
  readonly [field: string]: unknown;
}

/** What the adapter keeps of an answer to send it back: the model's reasoning, and the calls it belongs to. */
export interface OllamaState {
  readonly thinking: string;
  readonly callIds: readonly string[];
}

export function toRequest(
  model: string,
  request: ModelRequest,
): { readonly body: OllamaBody; readonly warnings: readonly string[] } {
  const { options } = request;
  const warnings: string[] = [];
  const tools = offered(request.tools, options, warnings);
  const own = options.providerOptions?.['ollama'] ?? {};
  const sampling = { ...samplingOf(options), ...asObject(own['options']) };
  return {
    body: {
      model,
      messages: messagesOf(request.messages),
      ...(tools.length === 0 ? {} : { tools: tools.map(declaration) }),
      ...present({ think: options.thinking }),
      ...own,
      ...(Object.keys(sampling).length === 0 ? {} : { options: sampling }),
      // Last: how the answer is read depends on it.
      stream: request.onDelta !== undefined,
    },
    warnings,
  };
}

function samplingOf({ temperature, topP, maxTokens, stop }: CallOptions): Record<string, unknown> {
  return present({ temperature, top_p: topP, num_predict: maxTokens, stop });
}

/** The fields that have a value. null counts as none: it comes from JSON and must never reach the server. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The tools to send. Ollama always decides by itself whether to call one, so that any other wish becomes a warning. */
function offered(
  tools: readonly ToolSpec[],
  { toolChoice, parallelToolCalls }: CallOptions,
  warnings: string[],
): readonly ToolSpec[] {
  if (tools.length === 0) return tools;
  if (parallelToolCalls === false) {
    warnings.push('parallelToolCalls: false was not sent, because Ollama has no such option.');
  }
  if (toolChoice === 'none') {
    warnings.push("toolChoice 'none' was kept by sending no tools, because Ollama has no such option.");
    return [];
  }
  if (toolChoice && toolChoice !== 'auto') {
    const wish = toolChoice === 'required' ? "'required'" : `{ tool: '${toolChoice.tool}' }`;
    warnings.push(
      `toolChoice ${wish} was not sent, because Ollama has no such option; the model may answer without a call.`,
    );
  }
  return tools;
}

function declaration({ name, description, parameters }: ToolSpec) {
  return { type: 'function', function: { name, description, parameters } };
}

function messagesOf(messages: readonly Message[]): OllamaMessage[] {
  const sent: OllamaMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        if (message.content.trim() !== '') sent.push({ role: 'system', content: message.content });
        break;
      case 'user':
        sent.push(userMessage(message.content));
        break;
      case 'assistant':
        if (message.toolCalls.length > 0 || message.content.trim() !== '')
          sent.push(assistantMessage(message));
        break;
      case 'tool':
        sent.push({
          role: 'tool',
          content: message.content,
          tool_name: message.toolName,
          tool_call_id: message.toolCallId,
        });
    }
  }
  return sent;
}

function userMessage(content: string | readonly ContentPart[]): OllamaMessage {
  if (typeof content === 'string') return { role: 'user', content };
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of content) {
    if (part.type === 'image') images.push(base64(part.data));
    else if (part.text.trim() !== '') texts.push(part.text);
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
}

function base64(data: string): string {
  if (/^https?:/i.test(data)) {
    throw new AdapterError('unsupported', 'ollama: an image given by its URL cannot be sent', {
      hint: 'Download the image and pass its bytes as base64.',
    });
  }
  return data;
}

function assistantMessage({ content, toolCalls, providerState }: AssistantMessage): OllamaMessage {
  const state = asObject(providerState?.['ollama']) as Partial<OllamaState> | undefined;
  const fits =
    typeof state?.thinking === 'string' &&
    state.callIds?.length === toolCalls.length &&
    toolCalls.every(({ id }, index) => id === state.callIds?.[index]);
  return {
    role: 'assistant',
    content: content.trim() === '' ? '' : content,
    ...(fits ? { thinking: state.thinking! } : {}),
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, argumentsJson }) => ({
            id,
            function: { name, arguments: replayedArguments(argumentsJson) },
          })),
        }),
  };
}
