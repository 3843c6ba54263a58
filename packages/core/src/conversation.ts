import { isPlainObject, shown } from './check.ts';
import { deepFreeze } from './freeze.ts';
import type { AssistantMessage, ContentPart, Message, ToolCall } from './message.ts';
import { wellFormed } from './text.ts';

/**
 * The caller's conversation, checked, copied and frozen: whatever the caller does to its own list later, what is sent
 * and recorded stays the same. Throws TypeError that names the message and what is wrong with it.
 */
export function copiedConversation(messages: readonly Message[]): Message[] {
  if (!Array.isArray(messages))
    throw new TypeError(`runLoop: messages must be a list; got ${shown(messages)}.`);
  if (messages.length === 0) throw new TypeError('runLoop: messages must hold at least one message.');
  const copies = messages.map((message, index) => deepFreeze(copied(message, `messages[${index}]`)));
  checkResults(copies);
  return copies;
}

function copied(message: Message, at: string): Message {
  if (!isPlainObject(message))
    throw new TypeError(`runLoop: ${at} must be an object; got ${shown(message)}.`);
  switch (message.role) {
    case 'system':
      return { role: 'system', content: text(message.content, `${at}.content`) };
    case 'user':
      return {
        role: 'user',
        content: Array.isArray(message.content)
          ? message.content.map((part, index) => copiedPart(part, `${at}.content[${index}]`))
          : text(message.content, `${at}.content`),
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: text(message.content ?? '', `${at}.content`),
        toolCalls: (message.toolCalls ?? []).map((call, index) =>
          copiedCall(call, `${at}.toolCalls[${index}]`),
        ),
        ...(message.providerState === undefined
          ? {}
          : { providerState: structuredClone(message.providerState) }),
      };
    case 'tool':
      return {
        role: 'tool',
        toolCallId: text(message.toolCallId, `${at}.toolCallId`),
        toolName: text(message.toolName, `${at}.toolName`),
        content: text(message.content, `${at}.content`),
        isError: message.isError === true,
      };
    default:
      throw new TypeError(
        `runLoop: ${at}.role must be 'system', 'user', 'assistant' or 'tool'; got ${shown((message as { role?: unknown }).role)}.`,
      );
  }
}

function copiedPart(part: ContentPart, at: string): ContentPart {
  if (isPlainObject(part)) {
    if (part.type === 'text') return { type: 'text', text: text(part.text, `${at}.text`) };
    if (part.type === 'image') {
      return {
        type: 'image',
        data: text(part.data, `${at}.data`),
        mediaType: text(part.mediaType, `${at}.mediaType`),
      };
    }
  }
  throw new TypeError(
    `runLoop: ${at} must be a text or image part; got ${shown((part as { type?: unknown })?.type ?? part)}.`,
  );
}

function copiedCall(call: ToolCall, at: string): ToolCall {
  return {
    id: text(call?.id, `${at}.id`),
    name: text(call?.name, `${at}.name`),
    argumentsJson: text(call?.argumentsJson, `${at}.argumentsJson`),
  };
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new TypeError(`runLoop: ${at} must be a text; got ${shown(value)}.`);
  return wellFormed(value);
}

/** Every provider refuses a conversation in which a call has no result or a result no call; say so before sending. */
function checkResults(messages: readonly Message[]): void {
  let open = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.toolCallId)) {
        throw new TypeError(
          `runLoop: messages[${index}] answers call ${shown(message.toolCallId)}, which the assistant message before it does not make.`,
        );
      }
      continue;
    }
    refuseOpen(open);
    open = message.role === 'assistant' ? new Map(message.toolCalls.map(({ id }) => [id, index])) : new Map();
  }
  refuseOpen(open);
}

function refuseOpen(open: ReadonlyMap<string, number>): void {
  for (const [id, index] of open) {
    throw new TypeError(
      `runLoop: call ${shown(id)} of messages[${index}] has no result; add its tool message.`,
    );
  }
}

/** An adapter's message, frozen and fit to be sent again; throws TypeError when an adapter returned something else. */
export function frozenAnswer(
  message: AssistantMessage,
  adapter: string,
  seenIds: Set<string>,
): AssistantMessage {
  if (!isPlainObject(message) || typeof message.content !== 'string' || !Array.isArray(message.toolCalls)) {
    throw new TypeError(`The adapter "${adapter}" returned no assistant message.`);
  }
  const content = wellFormed(message.content);
  const toolCalls: ToolCall[] = [];
  let changed = content !== message.content;
  for (const call of message.toolCalls) {
    const argumentsJson = wellFormed(call.argumentsJson);
    // A provider that counts its ids anew each round would make results ambiguous.
    let id = call.id;
    for (let again = 2; seenIds.has(id); again++) id = `${call.id}_${again}`;
    seenIds.add(id);
    changed ||= id !== call.id || argumentsJson !== call.argumentsJson;
    toolCalls.push(
      Object.freeze(
        id === call.id && argumentsJson === call.argumentsJson
          ? call
          : { id, name: call.name, argumentsJson },
      ),
    );
  }
  const answer = changed ? { ...message, content, toolCalls } : message;
  // What is inside the calls is text; only opaque state can be deep.
  Object.freeze(answer.toolCalls);
  deepFreeze(answer.providerState);
  return Object.freeze(answer);
}
