import { argumentsText, type Delta, InlineThinkingStream, quietly } from '@glassloop/core/adapter';
import { badResponse, providerError } from './errors.ts';
import { isCall, isObject, isPlainText, isRealId, type Part, present, readParts } from './parts.ts';

/**
 * Chunks of a stream → deltas on the way, and in the end the body that generateContent would have sent, for
 * `fromResponse`. Each chunk is a body of its own: parts are added up, of every other field the last value counts.
 */
export class StreamFold {
  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  #body: Part | undefined;
  #candidate: Part | undefined;
  #usage: Part | undefined;
  #calls = 0;
  readonly #parts: Part[] = [];

  constructor(onDelta: (delta: Delta) => void) {
    this.#emit = quietly(onDelta);
    this.#inline = new InlineThinkingStream((kind, text) => this.#emit({ kind, text }));
  }

  /** The text so far, thinking left out. */
  get text(): string {
    return readParts(this.#parts).content;
  }

  /** Throws AdapterError when the chunk is an error, as Google sends it in the middle of a stream. */
  add(chunk: unknown, secrets: readonly string[]): void {
    if (!isObject(chunk)) throw badResponse('an event of the stream was not an object', {});
    const { candidates, usageMetadata, error, ...rest } = chunk;
    if (error !== undefined && error !== null) throw providerError(error, { secrets });
    this.#body = { ...this.#body, ...present(rest) };
    if (isObject(usageMetadata)) this.#usage = { ...this.#usage, ...present(usageMetadata) };
    const candidate = Array.isArray(candidates)
      ? candidates.find((one) => isObject(one) && (one['index'] ?? 0) === 0)
      : undefined;
    if (candidate === undefined) return;
    const { content, ...fields } = candidate as Part;
    this.#candidate = { ...this.#candidate, ...present(fields) };
    const parts = isObject(content) ? content['parts'] : undefined;
    if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) this.#add(part);
  }

  /** The whole body. Throws AdapterError when nothing came at all. */
  end(): Part {
    this.#inline.end();
    if (this.#body === undefined) throw badResponse('the stream was empty', {});
    return {
      ...(this.#candidate === undefined
        ? {}
        : { candidates: [{ ...this.#candidate, content: { role: 'model', parts: this.#parts } }] }),
      ...this.#body,
      ...(this.#usage === undefined ? {} : { usageMetadata: this.#usage }),
    };
  }

  #add(part: Part): void {
    if (isCall(part)) {
      const { id, name, args } = part.functionCall;
      this.#emit({
        kind: 'tool_call',
        index: this.#calls++,
        ...(isRealId(id) ? { id } : {}),
        ...(typeof name === 'string' ? { name } : {}),
        argumentsText: argumentsText(args),
      });
    } else if (typeof part['text'] === 'string' && part['text'] !== '') {
      if (part['thought'] === true) this.#emit({ kind: 'thinking', text: part['text'] });
      else this.#inline.push(part['text']);
    }
    const last = this.#parts.at(-1);
    const behindText = last !== undefined && isPlainText(last);
    // Pieces of one text become one part again. Its signature comes last, on an empty piece; a text that brings its
    // own stays a part of its own.
    if (behindText && (isPlainText(part) || (part['text'] === '' && part['thought'] !== true))) {
      this.#parts[this.#parts.length - 1] = { ...part, text: last.text + part['text'] };
    } else if (!isPlainText(part) || part.text !== '') {
      this.#parts.push(part);
    }
  }
}
