import { argumentsText, type Delta, InlineThinkingStream, quietly } from '@glassloop/core/adapter';
import { type Block, isBlock, isObject } from './content.ts';

interface OpenBlock {
  readonly index: unknown;
  readonly block: Record<string, unknown>;
  /** The pieces of `input`, joined; undefined when none has come. */
  json: string | undefined;
  /** Which call of the answer it is; undefined for all other blocks. */
  readonly call: number | undefined;
}

/** Stream events → deltas as they come, and in the end the body that a call without a stream would have had. */
export class MessageFold {
  /** Whether anything at all has come. */
  received = false;

  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  readonly #blocks: OpenBlock[] = [];
  #message: Record<string, unknown> = {};
  #calls = 0;

  constructor(onDelta: (delta: Delta) => void) {
    this.#emit = quietly(onDelta);
    this.#inline = new InlineThinkingStream((kind, text) => this.#emit({ kind, text }));
  }

  add(event: unknown): void {
    if (!isBlock(event)) return;
    switch (event.type) {
      case 'message_start':
        this.received = true;
        if (isObject(event['message'])) this.#message = withoutOutputCount(event['message']);
        break;
      case 'content_block_start':
        this.received = true;
        if (isBlock(event['content_block'])) this.#open(event['index'], event['content_block']);
        break;
      case 'content_block_delta':
        this.received = true;
        if (isBlock(event['delta'])) this.#extend(this.#blockAt(event['index']), event['delta']);
        break;
      case 'content_block_stop':
        this.#finish(this.#blockAt(event['index']));
        break;
      case 'message_delta':
        this.#overlay(event['delta'], event['usage']);
        break;
      case 'message_stop':
        this.#inline.end();
        break;
    }
  }

  /** The stop reason comes with the last count of tokens, when all content is there; `message_stop` adds nothing. */
  get ended(): boolean {
    return typeof this.#message['stop_reason'] === 'string';
  }

  body(): Record<string, unknown> {
    return {
      ...this.#message,
      content: this.#blocks.map(({ block, json }) =>
        json === undefined || json.trim() === '' ? block : { ...block, input: decoded(json) },
      ),
    };
  }

  /** The text so far, for an error that ends the stream; undefined when there is none. */
  partial(): string | undefined {
    const text = this.#blocks.map(({ block }) => (block['type'] === 'text' ? block['text'] : '')).join('');
    return text === '' ? undefined : text;
  }

  #open(index: unknown, block: Block): void {
    const call = block.type === 'tool_use' ? this.#calls++ : undefined;
    this.#blocks.push({ index, block: { ...block }, json: undefined, call });
    if (call !== undefined) {
      const { id, name } = block;
      this.#emit({
        kind: 'tool_call',
        index: call,
        ...(typeof id === 'string' && { id }),
        ...(typeof name === 'string' && { name }),
        argumentsText: '',
      });
    } else if (block.type === 'text') this.#inline.push(stringOf(block['text']));
    else if (block.type === 'thinking') this.#think(stringOf(block['thinking']));
  }

  #extend(open: OpenBlock | undefined, delta: Block): void {
    if (open === undefined) return;
    const { block } = open;
    switch (delta.type) {
      case 'input_json_delta': {
        const piece = stringOf(delta['partial_json']);
        open.json = (open.json ?? '') + piece;
        if (open.call !== undefined && piece !== '') this.#arguments(open.call, piece);
        return;
      }
      case 'citations_delta': {
        const known = block['citations'];
        block['citations'] = [...(Array.isArray(known) ? known : []), delta['citation']];
        return;
      }
      // A signature comes whole.
      case 'signature_delta':
        block['signature'] = delta['signature'];
        return;
    }
    // Text, thinking, and whatever a later API adds: texts grow, all else is replaced.
    for (const [field, value] of Object.entries(delta)) {
      if (field === 'type') continue;
      const known = block[field];
      block[field] = typeof value === 'string' && typeof known === 'string' ? known + value : value;
    }
    if (delta.type === 'text_delta') this.#inline.push(stringOf(delta['text']));
    else if (delta.type === 'thinking_delta') this.#think(stringOf(delta['thinking']));
  }

  /** A call whose input came whole, without pieces. */
  #finish(open: OpenBlock | undefined): void {
    if (open?.call === undefined || open.json !== undefined) return;
    const { input } = open.block;
    if (isObject(input) && Object.keys(input).length > 0) this.#arguments(open.call, argumentsText(input));
  }

  #overlay(delta: unknown, usage: unknown): void {
    if (isObject(delta)) this.#message = { ...this.#message, ...present(delta) };
    if (!isObject(usage)) return;
    const known = this.#message['usage'];
    this.#message['usage'] = { ...(isObject(known) ? known : {}), ...present(usage) };
  }

  #blockAt(index: unknown): OpenBlock | undefined {
    return index === undefined ? this.#blocks.at(-1) : this.#blocks.findLast((open) => open.index === index);
  }

  #arguments(index: number, argumentsText: string): void {
    this.#emit({ kind: 'tool_call', index, argumentsText });
  }

  #think(text: string): void {
    if (text !== '') this.#emit({ kind: 'thinking', text });
  }
}

/** The first event counts a token or so of output; the real count comes with the last. */
function withoutOutputCount(message: Record<string, unknown>): Record<string, unknown> {
  const { usage } = message;
  if (!isObject(usage)) return { ...message };
  const { output_tokens: _, ...rest } = usage;
  return { ...message, usage: rest };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Input that is no JSON stays text: the loop tells the model. */
function decoded(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
