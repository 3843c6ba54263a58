/**
 * Reasoning that a model wrote into its answer as `<think>…</think>`. One rule for all adapters:
 *
 * - every block is taken out and becomes thinking, trimmed, several joined by a line break;
 * - an opening tag that is never closed takes the rest (the answer was cut while thinking);
 * - a closing tag without an opening one takes what stands before it (the opening tag was in the prompt template);
 * - outside the blocks nothing changes, but for blanks right behind a block at the start or behind other blanks.
 */
export function splitInlineThinking(text: string): { readonly content: string; readonly thinking?: string } {
  if (!/<\/?think>/i.test(text)) return { content: text };
  const thoughts: string[] = [];
  let content = '';
  let rest = text;
  for (;;) {
    const tag = /<(\/?)think>/i.exec(rest);
    if (tag === null) break;
    const before = rest.slice(0, tag.index);
    const after = rest.slice(tag.index + tag[0].length);
    if (tag[1] === '/') {
      // Only the first tag of an answer can be a closing one on its own; a later stray one is dropped.
      if (thoughts.length === 0 && content === '') thoughts.push(before);
      else content += before;
      rest = seam(content, after);
      continue;
    }
    content += before;
    const end = /<\/think>/i.exec(after);
    thoughts.push(end === null ? after : after.slice(0, end.index));
    rest = end === null ? '' : seam(content, after.slice(end.index + end[0].length));
  }
  const thinking = thoughts
    .map((thought) => thought.trim())
    .filter((thought) => thought !== '')
    .join('\n');
  return thinking === '' ? { content: content + rest } : { content: content + rest, thinking };
}

function seam(content: string, after: string): string {
  return content === '' || /\s$/.test(content) ? after.trimStart() : after;
}

/** Joins native and inline thinking; undefined when there is none. */
export function joinThinking(...parts: readonly (string | undefined)[]): string | undefined {
  const texts = parts.filter((part) => part !== undefined && part.trim() !== '');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/**
 * The same for a stream: feeds text and thinking pieces to `emit` as they can be told apart. The fold of the whole
 * answer uses `splitInlineThinking`; this is for those who watch, who see a lone closing tag's text as answer first.
 */
export class InlineThinkingStream {
  readonly #emit: (kind: 'text' | 'thinking', text: string) => void;
  #thinking = false;
  #held = '';

  constructor(emit: (kind: 'text' | 'thinking', text: string) => void) {
    this.#emit = emit;
  }

  push(piece: string): void {
    let text = this.#held + piece;
    this.#held = '';
    for (;;) {
      const tag = /<\/?think>/i.exec(text);
      if (tag === null) break;
      this.#send(text.slice(0, tag.index));
      this.#thinking = tag[0][1] !== '/';
      text = text.slice(tag.index + tag[0].length);
    }
    // A piece may end inside a tag; what could still become one waits for the next piece.
    const start = text.lastIndexOf('<');
    if (start !== -1 && /^<\/?(t(h(i(n(k)?)?)?)?)?$/i.test(text.slice(start))) {
      this.#held = text.slice(start);
      text = text.slice(0, start);
    }
    this.#send(text);
  }

  end(): void {
    this.#send(this.#held);
    this.#held = '';
  }

  #send(text: string): void {
    if (text !== '') this.#emit(this.#thinking ? 'thinking' : 'text', text);
  }
}
