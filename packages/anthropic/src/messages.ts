import {
  AdapterError,
  type AssistantMessage,
  argumentsText,
  type ContentPart,
  type Message,
  nineLetterId,
  replayedArguments,
  type ToolMessage,
} from '@glassloop/core/adapter';
import { type AnthropicState, type Block, isBlock, isObject, readContent } from './content.ts';

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

export interface WireConversation {
  /** All system messages, wherever they stood: the API has one place for them. */
  readonly system: string | readonly Block[] | undefined;
  readonly messages: readonly WireMessage[];
}

/**
 * All results of a round are one user message, and user text right behind them goes into it: the API wants them
 * together and first. Other neighbours of one role stay apart; the API combines them. Empty parts are left out, and
 * messages with them: the API refuses what it has itself sent.
 */
export function toConversation(messages: readonly Message[]): WireConversation {
  const system: string[] = [];
  const sent: WireMessage[] = [];
  let answered: Block[] | undefined;
  for (const message of messages) {
    if (message.role === 'system') {
      if (!isBlank(message.content)) system.push(message.content);
      continue;
    }
    const wire = wireFormOf(message);
    if (wire === undefined) continue;
    if (wire.role === 'assistant') answered = undefined;
    else if (answered !== undefined) {
      answered.push(...blocksOf(wire));
      continue;
    } else if (message.role === 'tool') {
      answered = [...blocksOf(wire)];
      sent.push({ role: 'user', content: answered });
      continue;
    }
    sent.push(wire);
  }
  return {
    system: system.length < 2 ? system[0] : system.map((text) => ({ type: 'text', text })),
    messages: sent,
  };
}

/** Wire forms of frozen messages: a conversation is sent again every round, with a few messages more. */
const wireForms = new WeakMap<Message, WireMessage>();

type SentMessage = Exclude<Message, { role: 'system' }>;

function wireFormOf(message: SentMessage): WireMessage | undefined {
  const known = wireForms.get(message);
  if (known !== undefined) return known;
  const content = contentFor(message);
  if (content.length === 0) return undefined;
  // Frozen, because a preview hands it out.
  const wire: WireMessage = Object.freeze({
    role: message.role === 'assistant' ? 'assistant' : 'user',
    content: Object.freeze(content),
  });
  if (Object.isFrozen(message)) wireForms.set(message, wire);
  return wire;
}

function contentFor(message: SentMessage): string | readonly Block[] {
  switch (message.role) {
    case 'user':
      return typeof message.content === 'string'
        ? unlessBlank(message.content)
        : message.content.flatMap((part) => partBlocks(part));
    case 'tool':
      return [toolResult(message)];
    case 'assistant':
      return replayed(message) ?? spelledOut(message);
  }
}

function partBlocks(part: ContentPart): readonly Block[] {
  if (part.type === 'text') return textBlocks(part.text);
  if (/^https?:\/\//i.test(part.data)) return [{ type: 'image', source: { type: 'url', url: part.data } }];
  const mediaType = part.mediaType === 'image/jpg' ? 'image/jpeg' : part.mediaType;
  if (!/^image\/(jpeg|png|gif|webp)$/.test(mediaType)) {
    throw new AdapterError('unsupported', `anthropic: images of type "${mediaType}" cannot be sent`, {
      hint: 'Use image/jpeg, image/png, image/gif or image/webp.',
    });
  }
  return [{ type: 'image', source: { type: 'base64', media_type: mediaType, data: part.data } }];
}

function toolResult({ toolCallId, content, isError }: ToolMessage): Block {
  const block = { type: 'tool_result', tool_use_id: wireId(toolCallId) };
  // Blank text is refused in any block, and an error without text as well.
  if (!isError) return content.trim() === '' ? block : { ...block, content };
  return { ...block, content: content.trim() === '' ? '(no message)' : content, is_error: true };
}

/** The answer's own blocks, as far as the message still says what they say; undefined if it does not. */
function replayed(message: AssistantMessage): readonly Block[] | undefined {
  const state = message.providerState?.['anthropic'];
  if (!isState(state)) return undefined;
  const said = readContent(state.content);
  const fits =
    said.content === message.content &&
    said.toolCalls.length === message.toolCalls.length &&
    said.toolCalls.every(({ id, name, argumentsJson }, position) => {
      const call = message.toolCalls[position];
      return call?.id === id && call.name === name && call.argumentsJson === argumentsJson;
    });
  if (!fits) return undefined;
  const blocks = state.content
    .filter((block) => block.type !== 'text' || !isBlank(block['text']))
    .map((block) => ('input' in block && !isObject(block['input']) ? withObjectInput(block) : block));
  // Thinking with nothing behind it, as left by a cut answer, is refused.
  return blocks.slice(0, blocks.findLastIndex(({ type }) => !/^(redacted_)?thinking$/.test(type)) + 1);
}

function withObjectInput(block: Block): Block {
  return { ...block, input: replayedArguments(argumentsText(block['input'])) };
}

function spelledOut({ content, toolCalls }: AssistantMessage): string | readonly Block[] {
  if (toolCalls.length === 0) return unlessBlank(content);
  return [
    ...textBlocks(content),
    ...toolCalls.map(({ id, name, argumentsJson }) => ({
      type: 'tool_use',
      id: wireId(id),
      name,
      input: replayedArguments(argumentsJson),
    })),
  ];
}

/** Ids of other providers may hold characters that this one refuses. */
function wireId(id: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? id : `call_${nineLetterId(id)}`;
}

function blocksOf({ content }: WireMessage): readonly Block[] {
  return typeof content === 'string' ? textBlocks(content) : content;
}

function textBlocks(text: string): readonly Block[] {
  return isBlank(text) ? [] : [{ type: 'text', text }];
}

function unlessBlank(text: string): string {
  return isBlank(text) ? '' : text;
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

function isState(value: unknown): value is AnthropicState {
  return isObject(value) && Array.isArray(value['content']) && value['content'].every(isBlock);
}
