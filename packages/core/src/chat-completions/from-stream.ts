import type { Delta } from '../adapter/adapter.ts';
import { quietly } from '../adapter/emit.ts';
import { InlineThinkingStream } from '../adapter/inline-thinking.ts';
import { ToolCallFold } from '../adapter/tool-call-fold.ts';
import { isPlainObject } from '../check.ts';
import { type Dialect, REASONING_FIELDS, type Wire } from './dialect.ts';
import { calledFunction, contentText } from './from-response.ts';

/**
 * Events of a stream → the body the host would have sent whole, which `fromResponse` then reads: one mapping for both.
 * Reports each piece to `onDelta` on its way. Work per event does not grow with what came before.
 */
export class ChatCompletionFold {
  readonly #dialect: Dialect;
  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  readonly #top = new Map<string, unknown>();
  readonly #texts = new Map<string, string>();
  readonly #replayed = new Map<string, unknown>();
  readonly #calls = new ToolCallFold();
  #choice: Record<string, unknown> | undefined;
  #choiceIndex: unknown;

  constructor(dialect: Dialect, onDelta: (delta: Delta) => void = () => {}) {
    this.#dialect = dialect;
    this.#emit = quietly(onDelta);
    this.#inline = new InlineThinkingStream((kind, text) => this.#emit({ kind, text }));
  }

  add(event: unknown): void {
    if (!isPlainObject(event)) return;
    for (const [field, value] of Object.entries(event)) {
      // The last event may repeat a field as null or empty; what was said before still holds.
      if (field !== 'choices' && value !== null && value !== '') this.#top.set(field, value);
    }
    if (!Array.isArray(event['choices'])) return;
    for (const choice of event['choices']) if (isPlainObject(choice)) this.#addChoice(choice);
  }

  /** The text received so far. */
  get text(): string {
    return this.#texts.get('content') ?? '';
  }

  /** The whole body; undefined when no event carried an answer. */
  body(): Wire | undefined {
    this.#inline.end();
    if (this.#choice === undefined) return undefined;
    const calls = this.#calls.calls();
    const message = {
      role: 'assistant',
      content: null,
      ...Object.fromEntries(this.#texts),
      ...Object.fromEntries(this.#replayed),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, argumentsJson }) => ({
              id,
              type: 'function',
              function: { name, arguments: argumentsJson },
            })),
          }),
    };
    return { ...Object.fromEntries(this.#top), choices: [{ ...this.#choice, message }] };
  }

  #addChoice({ index, delta, message, ...facts }: Wire): void {
    // Of several choices only the first is read, whatever number its host counts from.
    if (this.#choice === undefined) this.#choiceIndex = index;
    else if (index !== this.#choiceIndex && index !== undefined) return;
    this.#choice ??= {};
    for (const [field, value] of Object.entries(facts)) if (value !== null) this.#choice[field] = value;
    const piece = isPlainObject(delta) ? delta : isPlainObject(message) ? message : {};
    this.#addTexts(piece);
    for (const field of this.#dialect.replayedFields ?? []) this.#addReplayed(field, piece[field]);
    this.#addCalls(piece);
  }

  #addTexts(piece: Wire): void {
    const { reasoningFields = REASONING_FIELDS } = this.#dialect;
    // A host that sends its reasoning under two names sends the same twice.
    let thinking = '';
    for (const field of reasoningFields) {
      const text = piece[field];
      if (typeof text !== 'string') continue;
      this.#append(field, text);
      if (thinking === '') thinking = text;
    }
    if (thinking !== '') this.#emit({ kind: 'thinking', text: thinking });
    if (piece['content'] !== undefined && piece['content'] !== null) {
      const text = contentText(piece['content']);
      this.#append('content', text);
      this.#inline.push(text);
    }
    if (typeof piece['refusal'] === 'string') {
      this.#append('refusal', piece['refusal']);
      if (piece['refusal'] !== '') this.#emit({ kind: 'text', text: piece['refusal'] });
    }
  }

  #append(field: string, text: string): void {
    this.#texts.set(field, (this.#texts.get(field) ?? '') + text);
  }

  #addReplayed(field: string, piece: unknown): void {
    if (piece === undefined || piece === null) return;
    const join = this.#dialect.joinReplayed ?? appended;
    this.#replayed.set(field, join(this.#replayed.get(field), piece));
  }

  #addCalls(piece: Wire): void {
    const calls: unknown[] = Array.isArray(piece['tool_calls']) ? piece['tool_calls'] : [];
    for (const [at, call] of calls.entries()) {
      // Calls without a number that come in one event are told apart by their place in it.
      if (isPlainObject(call)) this.#addCall(call, calls.length > 1 ? at : undefined);
    }
    if (isPlainObject(piece['function_call'])) this.#addCall({ function: piece['function_call'] }, undefined);
  }

  #addCall(call: Wire, place: number | undefined): void {
    const called = calledFunction(call);
    const id = typeof call['id'] === 'string' ? call['id'] : undefined;
    const name = typeof called.name === 'string' ? called.name : undefined;
    const index = typeof call['index'] === 'number' ? call['index'] : place;
    const { position, isNew } = this.#calls.add({ index, id, name, arguments: called.arguments });
    this.#emit({
      kind: 'tool_call',
      index: position,
      ...(isNew && id ? { id } : {}),
      ...(isNew && name ? { name } : {}),
      argumentsText: argumentsPiece(called.arguments),
    });
  }
}

function argumentsPiece(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function appended(before: unknown, piece: unknown): unknown {
  if (typeof before === 'string' && typeof piece === 'string') return before + piece;
  return Array.isArray(before) && Array.isArray(piece) ? [...before, ...piece] : piece;
}
