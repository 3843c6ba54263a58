/** The conversation, in one neutral form that every adapter maps to and from its provider's own. */

/** What the model asked for. `argumentsJson` is the text as the model wrote it (`'{}'` for none); only the loop parses it. */
export interface ToolCall {
  /** Unique over the whole conversation. Taken from the provider where it gives one, else made up by the adapter. */
  readonly id: string;
  readonly name: string;
  readonly argumentsJson: string;
}

/** `data` is base64 without a `data:` prefix, or an http(s) URL. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mediaType: string };

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

/**
 * Opaque state by adapter name (thought signatures, signed thinking, reasoning details). An adapter reads and
 * writes only its own key and returns the value verbatim to its provider; every other adapter ignores it.
 */
export type ProviderState = { readonly [adapter: string]: unknown };

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly providerState?: ProviderState;
}

/** Answers one call. There is one for every call, in the order of the calls. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string;
  readonly isError: boolean;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
