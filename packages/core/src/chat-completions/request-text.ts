import type { ModelRequest } from '../adapter/adapter.ts';
import type { Message } from '../message.ts';
import type { Dialect } from './dialect.ts';
import { requestFields, toRequest, wireMessage } from './to-request.ts';

type TextRequest = Pick<ModelRequest, 'messages' | 'tools' | 'options' | 'onDelta' | 'memo'>;

/** A request body as the JSON text that is sent, and what of the request it leaves out. */
export interface RequestText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * The bodies of one adapter as JSON text, letter by letter what `JSON.stringify(toRequest(…).body)` prints. A run sends
 * its whole conversation again in every round; what was printed for the round before is not printed again, so that a
 * round costs what it adds. Kept in `ModelRequest.memo`: nothing of a request outlives its run.
 */
export class RequestTexts {
  readonly #dialect: Dialect;
  readonly #model: string;

  constructor(dialect: Dialect, model: string) {
    this.#dialect = dialect;
    this.#model = model;
  }

  textOf(request: TextRequest): RequestText {
    let printed = request.memo?.get(this) as Printed | undefined;
    if (printed === undefined) {
      printed = new Printed(this.#dialect, this.#model);
      request.memo?.set(this, printed);
    }
    return printed.next(request);
  }
}

/** What is printed of one conversation. */
class Printed {
  readonly #dialect: Dialect;
  readonly #model: string;
  #last: TextRequest | undefined;
  /** The messages of `#last`, without the brackets around them. */
  #messages = '';
  /** What stands behind them. undefined: the caller's own fields replace them, or the model before them. */
  #tail: string | undefined;
  #warnings: readonly string[] = [];

  constructor(dialect: Dialect, model: string) {
    this.#dialect = dialect;
    this.#model = model;
  }

  next(request: TextRequest): RequestText {
    if (!this.#hasSameTail(request)) this.#printTail(request);
    this.#printMessages(request.messages);
    this.#last = request;
    const text =
      this.#tail === undefined
        ? JSON.stringify(toRequest(this.#dialect, this.#model, request).body)
        : `{"model":${JSON.stringify(this.#model)},"messages":[${this.#messages}${this.#tail}`;
    return { text, warnings: this.#warnings };
  }

  #hasSameTail({ tools, options, onDelta }: TextRequest): boolean {
    const last = this.#last;
    return (
      last !== undefined &&
      last.tools === tools &&
      last.options === options &&
      (last.onDelta === undefined) === (onDelta === undefined)
    );
  }

  #printTail(request: TextRequest): void {
    const { fields, warnings } = requestFields(this.#dialect, this.#model, request);
    const text = JSON.stringify(fields);
    this.#warnings = warnings;
    this.#tail =
      'messages' in fields || 'model' in fields ? undefined : text === '{}' ? ']}' : `],${text.slice(1)}`;
  }

  #printMessages(messages: readonly Message[]): void {
    let index = this.#last?.messages.length ?? 0;
    if (this.#last?.messages.some((message, at) => message !== messages[at]) === true) {
      this.#messages = '';
      index = 0;
    }
    for (; index < messages.length; index++) {
      const text = messageText(this.#dialect, messages[index]!);
      if (text !== undefined) this.#messages += this.#messages === '' ? text : `,${text}`;
    }
  }
}

/** undefined: there is nothing to send. */
function messageText(dialect: Dialect, message: Message): string | undefined {
  const wire = wireMessage(dialect, message);
  if (wire === undefined || message.role !== 'tool') return wire && JSON.stringify(wire);
  // Half of what a loop sends: three fields, printed three times as fast as by looking for them.
  const { tool_call_id, content } = wire;
  return `{"role":"tool","tool_call_id":${JSON.stringify(tool_call_id)},"content":${JSON.stringify(content)}}`;
}
