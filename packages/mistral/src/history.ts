import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  replayedArgumentsText,
} from '@glassloop/core/adapter';
import { callIdsOfConversation } from './call-ids.ts';
import { asObject } from './json.ts';

/** A part of a message's content. Thinking goes back exactly as it came. */
export type MistralChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: string }
  | { readonly type: 'thinking'; readonly [field: string]: unknown };

type Content = string | readonly MistralChunk[];

/** A message as the API takes it. */
export type MistralMessage =
  | { readonly role: 'system' | 'user'; readonly content: Content }
  | {
      readonly role: 'assistant';
      readonly content: Content;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: 'function';
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
      readonly prefix?: true;
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string; readonly name: string };

/** What the adapter keeps of an answer to send it back: its thinking chunks as they came, and the calls they belong to. */
export interface MistralState {
  readonly thinking: readonly MistralChunk[];
  readonly callIds: readonly string[];
}

/** Said between a tool result and a user message, which Mistral does not allow to follow one another. */
const BRIDGE = 'Understood.';

/**
 * The conversation in the order that Mistral takes: system messages lead, in their order; a short assistant message
 * stands between tool results and a user message; an assistant message at the end is a prefix that the model goes on from.
 */
export function historyOf(messages: readonly Message[]): readonly MistralMessage[] {
  const nineLetters = callIdsOfConversation();
  const system: MistralMessage[] = [];
  const rest: MistralMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        if (message.content.trim() !== '') system.push({ role: 'system', content: message.content });
        break;
      case 'user':
        if (rest.at(-1)?.role === 'tool') rest.push({ role: 'assistant', content: BRIDGE });
        rest.push({ role: 'user', content: userContent(message.content) });
        break;
      case 'assistant':
        if (message.toolCalls.length > 0 || message.content.trim() !== '') {
          rest.push(assistantMessage(message, nineLetters));
        }
        break;
      case 'tool':
        rest.push({
          role: 'tool',
          content: message.content,
          tool_call_id: nineLetters(message.toolCallId),
          name: message.toolName,
        });
    }
  }
  const last = rest.at(-1);
  if (last?.role === 'assistant' && last.tool_calls === undefined) {
    rest[rest.length - 1] = { ...last, prefix: true };
  }
  return [...system, ...rest];
}

function userContent(content: string | readonly ContentPart[]): Content {
  if (typeof content === 'string') return content;
  const chunks = content.flatMap((part): MistralChunk[] => {
    if (part.type === 'image') return [{ type: 'image_url', image_url: imageURL(part.data, part.mediaType) }];
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  });
  return chunks.length === 0 ? '' : chunks;
}

function imageURL(data: string, mediaType: string): string {
  return /^https?:/i.test(data) ? data : `data:${mediaType};base64,${data}`;
}

function assistantMessage(message: AssistantMessage, nineLetters: (id: string) => string): MistralMessage {
  const { toolCalls } = message;
  const text = message.content.trim() === '' ? '' : message.content;
  const thinking = thinkingOf(message);
  return {
    role: 'assistant',
    content:
      thinking.length === 0 ? text : [...thinking, ...(text === '' ? [] : [{ type: 'text', text } as const])],
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, argumentsJson }) => ({
            id: nineLetters(id),
            type: 'function',
            function: { name, arguments: replayedArgumentsText(argumentsJson) },
          })),
        }),
  };
}

/** The thinking chunks of an answer of ours; none once its calls were edited, because they would contradict each other. */
function thinkingOf({ toolCalls, providerState }: AssistantMessage): readonly MistralChunk[] {
  const state = asObject(providerState?.['mistral']) as Partial<MistralState> | undefined;
  const fits =
    Array.isArray(state?.thinking) &&
    state.callIds?.length === toolCalls.length &&
    toolCalls.every(({ id }, index) => id === state.callIds?.[index]);
  return fits ? (state.thinking ?? []) : [];
}
