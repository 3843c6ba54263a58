import {
  argumentsText,
  joinThinking,
  splitInlineThinking,
  type ToolCall,
  withIds,
} from '@glassloop/core/adapter';

/** A content block as the Messages API writes it. Only `type` is sure; blocks nobody here knows travel unread. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What goes into `providerState.anthropic`: the answer's whole content, as it came. */
export interface AnthropicState {
  readonly content: readonly Block[];
}

export interface Reading {
  readonly content: string;
  readonly thinking: string | undefined;
  readonly toolCalls: readonly ToolCall[];
  /** Only where text followed by calls cannot say the same: thinking, citations, provider-side tools, unknown blocks. */
  readonly state: AnthropicState | undefined;
}

/** The content of an answer in our words. Tools that the provider runs itself are no calls of ours. */
export function readContent(content: readonly unknown[]): Reading {
  const blocks = content.filter(isBlock);
  const calls: { id: unknown; name: string; argumentsJson: string }[] = [];
  let text = '';
  let thinking = '';
  let plain = true;
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += textOf(block['text']);
        plain &&= calls.length === 0 && !hasEntries(block['citations']);
        break;
      case 'tool_use':
        calls.push({
          id: block['id'],
          name: textOf(block['name']),
          argumentsJson: argumentsText(block['input']),
        });
        plain &&= isDirect(block['caller']);
        break;
      case 'thinking':
        thinking += textOf(block['thinking']);
        plain = false;
        break;
      default:
        plain = false;
    }
  }
  const toolCalls = withIds(calls);
  const inline = splitInlineThinking(text);
  return {
    content: inline.content,
    thinking: joinThinking(thinking, inline.thinking),
    toolCalls,
    state: plain ? undefined : { content: withCallIds(blocks, toolCalls) },
  };
}

/** The same blocks; where a call had no id of its own, a copy with the id we gave it. */
function withCallIds(blocks: readonly Block[], toolCalls: readonly ToolCall[]): readonly Block[] {
  let position = 0;
  return blocks.map((block) => {
    if (block.type !== 'tool_use') return block;
    const id = toolCalls[position++]?.id;
    return block['id'] === id ? block : { ...block, id };
  });
}

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value['type'] === 'string';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** A call from the model itself, not from code that the provider runs for it. */
function isDirect(caller: unknown): boolean {
  return !isObject(caller) || caller['type'] === 'direct';
}
