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
  readonly #top: Record<string, unknown> = {};
  readonly #texts: Record<string, string> = {};
  readonly #replayed: Record<string, unknown> = {};
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
    for (const field in event) {
      const value = event[field];
      // The last event may repeat a field as null or empty; what was said before still holds.
      if (value !== null && value !== '' && field !== 'choices') keep(this.#top, field, value);
    }
    const choices = event['choices'];
    if (Array.isArray(choices))
      for (const choice of choices) if (isPlainObject(choice)) this.#addChoice(choice);
  }

  /** The text received so far. */
  get text(): string {
    return this.#texts['content'] ?? '';
  }

  /** The whole body; undefined when no event carried an answer. */
  body(): Wire | undefined {
    this.#inline.end();
    if (this.#choice === undefined) return undefined;
    const calls = this.#calls.calls();
    const message = {
      role: 'assistant',
      content: null,
      ...this.#texts,
      ...this.#replayed,
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
    return { ...this.#top, choices: [{ ...this.#choice, message }] };
  }

  #addChoice(choice: Wire): void {
    const { index, delta, message } = choice;
    // Of several choices only the first is read, whatever number its host counts from.
    if (this.#choice === undefined) this.#choiceIndex = index;
    else if (index !== this.#choiceIndex && index !== undefined) return;
    this.#choice ??= {};
    for (const field in choice) {
      if (field === 'index' || field === 'delta' || field === 'message' || choice[field] === null) continue;
      keep(this.#choice, field, choice[field]);
    }
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
    this.#texts[field] = (this.#texts[field] ?? '') + text;
  }

  #addReplayed(field: string, piece: unknown): void {
    if (piece === undefined || piece === null) return;
    const join = this.#dialect.joinReplayed ?? appended;
    this.#replayed[field] = join(this.#replayed[field], piece);
  }

  #addCalls(piece: Wire): void {
    const calls = piece['tool_calls'];
    for (let at = 0; Array.isArray(calls) && at < calls.length; at++) {
      // Calls without a number that come in one event are told apart by their place in it.
      if (isPlainObject(calls[at])) this.#addCall(calls[at], calls.length > 1 ? at : undefined);
    }
    if (isPlainObject(piece['function_call'])) this.#addCall({ function: piece['function_call'] }, undefined);
  }

  #addCall(call: Wire, place: number | undefined): void {
    const called = calledFunction(call);
    const id = typeof call['id'] === 'string' ? call['id'] : undefined;
    const name = typeof called.name === 'string' ? called.name : undefined;
    const index = typeof call['index'] === 'number' ? call['index'] : place;
    const { position, isNew } = this.#calls.add({ index, id, name, arguments: called.arguments });
    const argumentsText = argumentsPiece(called.arguments);
    const begun = isNew ? { ...(id && { id }), ...(name && { name }) } : undefined;
    this.#emit({ kind: 'tool_call', index: position, ...begun, argumentsText });
  }
}

/** Sets a field that a host named; `__proto__` would set something else, and means nothing. */
function keep(fields: Record<string, unknown>, field: string, value: unknown): void {
  if (field !== '__proto__') fields[field] = value;
}

function argumentsPiece(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function appended(before: unknown, piece: unknown): unknown {
  if (typeof before === 'string' && typeof piece === 'string') return before + piece;
  return Array.isArray(before) && Array.isArray(piece) ? [...before, ...piece] : piece;
}
