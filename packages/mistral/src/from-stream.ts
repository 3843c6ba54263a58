import { type Delta, InlineThinkingStream, ToolCallFold } from '@glassloop/core/adapter';
import { contentText, firstChoice, thinkingChunks, thinkingText } from './from-response.ts';
import type { MistralChunk } from './history.ts';
import { asObject } from './json.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Folds the events of a stream to the body that the same answer would have had as a whole, and reports each piece. */
export class AnswerFold {
  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  readonly #calls = new ToolCallFold();
  #callCount = 0;
  #top: Wire = {};
  #choice: Wire | undefined;
  #text = '';
  /** One thinking chunk at a time grows here; its text is kept apart until it is complete. */
  #thinking: { fields: Wire; text: string }[] = [];

  constructor(emit: (delta: Delta) => void) {
    this.#emit = emit;
    this.#inline = new InlineThinkingStream((kind, text) => emit({ kind, text }));
  }

  add(event: Wire): void {
    const { choices: _, ...top } = event;
    // The last event may repeat a field as null; what was said before still holds.
    this.#top = { ...this.#top, ...saying(top) };
    const choice = firstChoice(event);
    if (choice === undefined) return;
    const { delta: piece, message, ...facts } = choice;
    this.#choice = { ...this.#choice, ...saying(facts) };
    const delta = asObject(piece) ?? asObject(message) ?? {};
    this.#addContent(delta['content']);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) for (const call of calls) this.#addCall(asObject(call) ?? {});
    if (this.isDone) this.#inline.end();
  }

  /** Text of the answer so far, for an error that has to report it. */
  get partial(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  /** Whether any part of an answer came at all. */
  get hasBegun(): boolean {
    return this.#choice !== undefined;
  }

  /** Whether the event came that says why the model stopped. */
  get isDone(): boolean {
    return typeof this.#choice?.['finish_reason'] === 'string';
  }

  body(): Wire {
    const calls = this.#calls.calls();
    const thinking = this.#thinking.map(({ fields: { type, ...rest }, text }) => ({
      type,
      thinking: [{ type: 'text', text }],
      ...rest,
    }));
    return {
      ...this.#top,
      choices: [
        {
          ...this.#choice,
          message: {
            role: 'assistant',
            content:
              thinking.length === 0
                ? this.#text
                : [...thinking, ...(this.#text === '' ? [] : [{ type: 'text', text: this.#text }])],
            tool_calls: calls.map(({ id, name, argumentsJson }) => ({
              id,
              function: { name, arguments: argumentsJson },
            })),
          },
        },
      ],
    };
  }

  #addContent(content: unknown): void {
    for (const chunk of thinkingChunks(content)) this.#addThinking(chunk);
    const text = contentText(content);
    if (text === '') return;
    this.#text += text;
    this.#inline.push(text);
  }

  /** Pieces of thinking are chunks of their own; a signature closes one, because it belongs to what stands before it. */
  #addThinking(chunk: MistralChunk): void {
    const text = thinkingText(chunk);
    const { thinking: _, ...fields } = chunk as Wire;
    const open = this.#thinking.at(-1);
    if (open === undefined || typeof open.fields['signature'] === 'string') {
      this.#thinking.push({ fields, text });
    } else {
      open.fields = { ...open.fields, ...saying(fields) };
      open.text += text;
    }
    if (text !== '') this.#emit({ kind: 'thinking', text });
  }

  #addCall(call: Wire): void {
    const called = asObject(call['function']) ?? {};
    // The API writes a missing id as the text "null"; an id that is none must not hold pieces together.
    const id = typeof call['id'] === 'string' && call['id'] !== 'null' ? call['id'] : '';
    const name = typeof called['name'] === 'string' ? called['name'] : '';
    const index = typeof call['index'] === 'number' ? call['index'] : undefined;
    const { position, isNew } = this.#calls.add({
      // Without id and number only the name says that a new call begins: later pieces have none.
      index: index ?? (id === '' && name !== '' ? this.#callCount : undefined),
      id,
      name,
      arguments: called['arguments'],
    });
    if (isNew) this.#callCount += 1;
    this.#emit({
      kind: 'tool_call',
      index: position,
      ...(isNew && id !== '' ? { id } : {}),
      ...(isNew && name !== '' ? { name } : {}),
      argumentsText: pieceOf(called['arguments']),
    });
  }
}

function pieceOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function saying(fields: Wire): Wire {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
