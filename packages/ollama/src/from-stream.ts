import { argumentsText, type Delta, InlineThinkingStream, newCallId } from '@glassloop/core/adapter';
import { asObject } from './json.ts';

/** Folds the lines of a stream to the body that the same answer would have had as a whole, and reports each piece. */
export class AnswerFold {
  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  #last: Readonly<Record<string, unknown>> | undefined;
  #content = '';
  #thinking = '';
  readonly #calls: Readonly<Record<string, unknown>>[] = [];

  constructor(emit: (delta: Delta) => void) {
    this.#emit = emit;
    this.#inline = new InlineThinkingStream((kind, text) => emit({ kind, text }));
  }

  add(line: unknown): void {
    const event = asObject(line);
    if (event === undefined) return;
    this.#last = { ...this.#last, ...event };
    const message = asObject(event['message']);
    const { content, thinking, tool_calls: calls } = message ?? {};
    if (typeof thinking === 'string' && thinking !== '') {
      this.#thinking += thinking;
      this.#emit({ kind: 'thinking', text: thinking });
    }
    if (typeof content === 'string' && content !== '') {
      this.#content += content;
      this.#inline.push(content);
    }
    if (Array.isArray(calls)) for (const call of calls) this.#addCall(asObject(call) ?? {});
    if (event['done'] === true) this.#inline.end();
  }

  /** Text of the answer so far, for an error that has to report it. */
  get partial(): string | undefined {
    return this.#content === '' ? undefined : this.#content;
  }

  /** Whether any part of an answer came at all. */
  get hasBegun(): boolean {
    return asObject(this.#last?.['message']) !== undefined;
  }

  /** Whether the line came that ends an answer. */
  get isDone(): boolean {
    return this.#last?.['done'] === true;
  }

  body(): Readonly<Record<string, unknown>> {
    return {
      ...this.#last,
      message: {
        role: 'assistant',
        content: this.#content,
        ...(this.#thinking === '' ? {} : { thinking: this.#thinking }),
        ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      },
    };
  }

  /** A call always comes whole. One without an id gets it here, so that its piece and the answer say the same. */
  #addCall(call: Readonly<Record<string, unknown>>): void {
    const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : newCallId();
    const called = asObject(call['function']);
    this.#emit({
      kind: 'tool_call',
      index: this.#calls.length,
      id,
      name: typeof called?.['name'] === 'string' ? called['name'] : '',
      argumentsText: argumentsText(called?.['arguments']),
    });
    this.#calls.push({ ...call, id });
  }
}
