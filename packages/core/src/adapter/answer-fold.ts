import type { Usage } from '../usage.ts';
import type { Delta, FinishReason, Metadata, ModelResponse } from './adapter.ts';
import { argumentsText } from './arguments.ts';
import { count, usageOf } from './counts.ts';
import { quietly } from './emit.ts';
import { given } from './given.ts';
import { InlineThinkingStream, joinThinking, splitInlineThinking } from './inline-thinking.ts';
import { ToolCallFold, type ToolCallFragment, withIds } from './tool-call-fold.ts';

/** A part of an answer: all of it, or what one event of a stream adds. What is undefined or null says nothing. */
export interface AnswerPart {
  readonly text?: string | null | undefined;
  /** Reasoning that the provider sends apart from the text. `<think>` blocks in the text are found without help. */
  readonly thinking?: string | null | undefined;
  /** Whole calls. */
  readonly calls?: readonly WholeCall[] | null | undefined;
  /** Pieces of calls, from a provider that streams their arguments. */
  readonly callFragments?: readonly ToolCallFragment[] | null | undefined;
  /** The provider's own word for why it stopped. Completes the answer. */
  readonly finish?: string | null | undefined;
  /** Counts as the provider sent them; a later part overrides. What is no number is left out. */
  readonly usage?: { readonly [name in keyof Usage]?: unknown } | null | undefined;
  /** The model that answered. */
  readonly model?: string | null | undefined;
  /** true: the answer is complete, although no word was said. */
  readonly last?: boolean | undefined;
}

export interface WholeCall {
  readonly id?: string | null | undefined;
  readonly name: string;
  /** Text as the model wrote it, or an object. */
  readonly arguments?: unknown;
}

/**
 * Parts → ModelResponse. One mapping for whole and streamed answers: a whole answer is a stream of one part. Each part
 * is reported to `onDelta` as it is added; what that throws is swallowed.
 */
export class AnswerFold {
  readonly #emit: (delta: Delta) => void;
  readonly #inline: InlineThinkingStream;
  readonly #calls: { id: unknown; name: string; argumentsJson: string }[] = [];
  readonly #fragments = new ToolCallFold();
  readonly #usage: Record<string, unknown> = {};
  #text = '';
  #thinking = '';
  #finish: string | undefined;
  #model: string | undefined;
  #complete = false;

  constructor(onDelta: (delta: Delta) => void = () => {}) {
    this.#emit = quietly(onDelta);
    this.#inline = new InlineThinkingStream((kind, text) => this.#emit({ kind, text }));
  }

  add(part: AnswerPart): void {
    const { text, thinking, calls, callFragments, finish, usage, model, last } = part;
    if (thinking) {
      this.#inline.end();
      this.#thinking += thinking;
      this.#emit({ kind: 'thinking', text: thinking });
    }
    if (text) {
      this.#text += text;
      this.#inline.push(text);
    }
    if (calls?.length || callFragments?.length) this.#inline.end();
    for (const call of calls ?? []) this.#addCall(call);
    for (const fragment of callFragments ?? []) this.#addFragment(fragment);
    Object.assign(this.#usage, given(usage ?? {}));
    if (model) this.#model = model;
    if (finish) this.#finish = finish;
    if (finish || last) this.#complete = true;
  }

  /** The text so far, for the `partial` of an error. */
  get text(): string {
    return this.#text;
  }

  /**
   * The answer. `finishReasons`: what the provider's words mean; one that is not listed is 'other', and so is an answer
   * that is not complete. An answer with calls is 'tool_calls' unless its word means that it was cut or filtered.
   */
  response(about: {
    readonly finishReasons: { readonly [word: string]: FinishReason };
    readonly warnings?: readonly string[];
    readonly metadata?: Metadata | undefined;
  }): ModelResponse {
    this.#inline.end();
    const { content, thinking } = splitInlineThinking(this.#text);
    const toolCalls = withIds([...this.#calls, ...this.#fragments.calls()]);
    const warnings = about.warnings?.length ? about.warnings : undefined;
    return {
      message: { role: 'assistant', content, toolCalls },
      ...given({ thinking: joinThinking(this.#thinking, thinking) }),
      finishReason: this.#finishReason(about.finishReasons, toolCalls.length > 0),
      ...given({ rawFinishReason: this.#finish }),
      usage: this.#counts(),
      ...given({ model: this.#model, warnings, metadata: about.metadata }),
    };
  }

  #addCall({ id, name, arguments: written }: WholeCall): void {
    const argumentsJson = argumentsText(written);
    const index = this.#calls.push({ id, name, argumentsJson }) - 1;
    this.#emit({ kind: 'tool_call', index, ...given({ id, name }), argumentsText: argumentsJson });
  }

  #addFragment(fragment: ToolCallFragment): void {
    const { position, isNew } = this.#fragments.add(fragment);
    const { id, name, arguments: piece } = fragment;
    this.#emit({
      kind: 'tool_call',
      index: this.#calls.length + position,
      ...(isNew && given({ id, name })),
      argumentsText: typeof piece === 'string' ? piece : piece == null ? '' : JSON.stringify(piece),
    });
  }

  #finishReason(reasons: { readonly [word: string]: FinishReason }, hasCalls: boolean): FinishReason {
    if (!this.#complete) return 'other';
    const word = this.#finish;
    const said = word === undefined ? 'stop' : Object.hasOwn(reasons, word) ? reasons[word]! : 'other';
    if (said === 'length' || said === 'content_filter') return said;
    if (hasCalls) return 'tool_calls';
    return said === 'tool_calls' ? 'other' : said;
  }

  #counts(): Usage {
    const { estimatedCost: cost, ...counts } = this.#usage;
    return usageOf({
      ...Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, count(value)])),
      estimatedCost: typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined,
    });
  }
}
