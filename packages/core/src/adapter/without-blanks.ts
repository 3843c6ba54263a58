import type { ContentPart, Message } from '../message.ts';

/**
 * The messages without what providers refuse: blank system and user messages, blank text parts, and assistant turns
 * with neither text nor calls. Tool results stay, empty ones too: a call must have its answer.
 */
export function withoutBlanks(messages: readonly Message[]): readonly Message[] {
  return messages.map(withoutBlankParts).filter(({ role, content, ...rest }) => {
    if (role === 'tool' || ('toolCalls' in rest && rest.toolCalls.length > 0)) return true;
    return typeof content === 'string' ? !isBlank(content) : content.length > 0;
  });
}

function withoutBlankParts(message: Message): Message {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.filter((part) => part.type !== 'text' || !isBlank(part.text)),
  };
}

/** The text of a user message: its text parts, joined by a line break. For APIs that take text only. */
export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
