import type { ToolCall } from '../message.ts';
import { argumentsText } from './arguments.ts';
import { newCallId } from './call-id.ts';

/** A fragment of a call, as streams of the chat-completions kind send them. Everything may be missing or null. */
export interface ToolCallFragment {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** A piece of the text, or a whole object from a provider that does not send text. */
  readonly arguments?: unknown;
}

/**
 * Streamed fragments → calls. A call is final only when the stream is: arguments that happen to be valid JSON early
 * prove nothing. Fragments belong together by index; a new id under a known index is a new call; an empty id, or one
 * seen before, goes on with the call it names; a name that comes again is not doubled.
 */
export class ToolCallFold {
  readonly #calls: { index: number | undefined; id: string; name: string; text: string }[] = [];

  /** Returns the position of the call the fragment belongs to and whether it began it. */
  add(fragment: ToolCallFragment): { readonly position: number; readonly isNew: boolean } {
    const index = typeof fragment.index === 'number' ? fragment.index : undefined;
    const id = typeof fragment.id === 'string' ? fragment.id : '';
    let position = id === '' ? this.#lastWith(index) : this.#calls.findLastIndex((call) => call.id === id);
    if (position === -1 && id !== '') {
      // The id may come later than the first fragment of its call.
      const open = this.#lastWith(index);
      if (open !== -1 && index !== undefined && this.#calls[open]?.id === '') position = open;
    }
    const isNew = position === -1;
    if (isNew) position = this.#calls.push({ index, id, name: '', text: '' }) - 1;
    const call = this.#calls[position]!;
    if (id !== '') call.id = id;
    if (typeof fragment.name === 'string' && fragment.name !== '' && fragment.name !== call.name) {
      call.name = call.name === '' ? fragment.name : call.name + fragment.name;
    }
    if (typeof fragment.arguments === 'string') call.text += fragment.arguments;
    else if (fragment.arguments !== undefined && fragment.arguments !== null)
      call.text += JSON.stringify(fragment.arguments);
    return { position, isNew };
  }

  /** The calls so far, in the order they began. */
  calls(): readonly ToolCall[] {
    return withIds(
      this.#calls.map(({ id, name, text }) => ({ id, name, argumentsJson: argumentsText(text) })),
    );
  }

  #lastWith(index: number | undefined): number {
    let position = this.#calls.length - 1;
    if (index !== undefined) while (position >= 0 && this.#calls[position]!.index !== index) position--;
    return position;
  }
}

/** The calls, each with an id of its own: a missing, doubled or placeholder id is replaced by a new one. */
export function withIds(
  calls: readonly { id?: unknown; name: string; argumentsJson: string }[],
): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.map(({ id, name, argumentsJson }) => {
    const usable = typeof id === 'string' && id !== '' && id !== 'null' && !seen.has(id) ? id : newCallId();
    seen.add(usable);
    return { id: usable, name, argumentsJson };
  });
}
