import type { CallOptions } from '../options.ts';

/** One JSON object of the wire, not yet trusted. */
export type Wire = { readonly [field: string]: unknown };

/** The options of a call that a model or host may not take. */
export type DialectOption = Exclude<keyof CallOptions, 'providerOptions' | '_capture_raw' | 'maxTokens'>;

/**
 * How one host speaks chat completions. What differs between hosts is data or a named function here; the mapping
 * itself is the same for all. The smallest dialect is a name and the field for `maxTokens`.
 */
export interface Dialect {
  /** The adapter's name: its key in `providerState` and `providerOptions`, and the beginning of its warnings. */
  readonly name: string;
  /** The request field that `maxTokens` goes into. */
  readonly maxTokensField: (model: string) => 'max_tokens' | 'max_completion_tokens';
  /** Whether an option must be left out for a model, with a warning. Default: every option is taken. */
  readonly refuses?: (option: DialectOption, model: string) => boolean;
  /** What asks for visible reasoning (`on`) or for none. Default: a warning that there is no such field. */
  readonly thinking?: (on: boolean, model: string, hasTools: boolean) => ThinkingFields;
  /** The word for `toolChoice: 'required'`. Default 'required'. */
  readonly requiredWord?: string;
  /** Whether `stream_options: { include_usage: true }` is needed to get the usage of a stream. Default true. */
  readonly streamOptions?: boolean;
  /** Call ids as this host accepts them in history, for those of other adapters. Must give the same for the same id. */
  readonly callId?: (id: string) => string;
  /** Message fields with visible reasoning; the first that holds text counts. Default `reasoning_content`, `reasoning`. */
  readonly reasoningFields?: readonly string[];
  /** Message fields that must go back as they came (reasoning details). Kept in `providerState`. Default: none. */
  readonly replayedFields?: readonly string[];
  /** Adds the pieces of a replayed field from one stream event to what came before. Default: lists are appended. */
  readonly joinReplayed?: (before: unknown, piece: unknown) => unknown;
  /** The usage object of an answer. Default `body.usage`. */
  readonly usage?: (body: Wire) => unknown;
}

/** Request fields, and one sentence if what was asked for cannot be had in full. */
export interface ThinkingFields {
  readonly fields?: Wire;
  readonly warning?: string;
}

export const REASONING_FIELDS: readonly string[] = ['reasoning_content', 'reasoning'];
