/** The contract between the loop and a provider: one call in, one whole answer out. */

import type { AssistantMessage, Message } from '../message.ts';
import type { CallOptions } from '../options.ts';
import type { ToolSpec } from '../tool.ts';
import type { Usage } from '../usage.ts';

export interface Adapter {
  /** Lower-case, stable: the key of `providerState` and `providerOptions`. */
  readonly name: string;
  readonly model: string;
  readonly capabilities: Capabilities;
  /**
   * One request, one answer; no retries (the loop retries). Resolves to the whole answer, also when `onDelta` asked
   * for a stream. Rejects with an AdapterError made from named fields, or with `signal.reason` once the signal is
   * aborted. Never changes the request. Safe to call several times at once: calls share nothing.
   */
  chat(request: ModelRequest): Promise<ModelResponse>;
  /** What `chat` would send, without sending it. Pure; throws AdapterError "unsupported" where `chat` would. */
  preview?(request: ModelRequest): RequestPreview;
}

/** Every key must be answered. What is false is refused early with code "unsupported", or simply absent from responses. */
export interface Capabilities {
  /** With `onDelta` the answer arrives in pieces. */
  readonly streaming: boolean;
  /** The model may ask for several calls in one round. */
  readonly parallelToolCalls: boolean;
  /** `toolChoice` 'required' and a named tool are obeyed by the provider; if not, they are a warning. */
  readonly requiredToolChoice: boolean;
  /** Visible reasoning is kept apart from the answer. */
  readonly thinking: boolean;
  /** Image parts in user messages. */
  readonly images: boolean;
  /** The provider reports what the call cost. */
  readonly cost: boolean;
}

export interface ModelRequest {
  /** At least one. Frozen by the loop; an adapter reads only. */
  readonly messages: readonly Message[];
  /** Empty: send no tool field at all. */
  readonly tools: readonly ToolSpec[];
  readonly options: CallOptions;
  readonly signal?: AbortSignal;
  /**
   * The same Map in all calls of one run: a place for what an adapter keeps from round to round, under a key of its own,
   * gone with the run. With it, messages are frozen, and mostly each list begins with that of the call before.
   */
  readonly memo?: Map<object, unknown>;
  /** Present: stream, and report each piece. What it throws must not reach the call. */
  readonly onDelta?: (delta: Delta) => void;
}

/** A piece of a streamed answer. The whole answer follows as the result; pieces are for people who watch. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** `index` counts the calls of this answer from 0. `id` and `name` come with the first piece of a call. */
  | {
      readonly kind: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly argumentsText: string;
    }
  /** From the loop: the attempt failed and is made again; forget the pieces of this round. */
  | { readonly kind: 'restart' };

export interface ModelResponse {
  readonly message: AssistantMessage;
  /** Visible reasoning, never part of `message.content`. */
  readonly thinking?: string;
  readonly finishReason: FinishReason;
  /** The provider's own word. */
  readonly rawFinishReason?: string;
  readonly usage: Usage;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** What was asked for and not sent, or sent differently: one sentence each. */
  readonly warnings?: readonly string[];
  readonly metadata?: Metadata;
}

/**
 * Why the model stopped. `tool_calls` whenever the answer holds calls, unless it was cut (`length`), filtered
 * (`content_filter`) or ended without the provider's end mark (`other`): the calls of such an answer are not run.
 */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

/** Facts of one provider. `_raw` and `_wire` are there only when raw capture was asked for. */
export type Metadata = { readonly [key: string]: unknown };

/** The JSON body `chat` would send, and the warnings its response would carry. */
export interface RequestPreview {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/**
 * What every adapter factory takes. No key: the provider's own environment variable, else an AdapterError with code
 * "auth" that names the variable, before anything is sent. Keys of another provider are never read.
 */
export interface AdapterSettings {
  readonly model: string;
  readonly apiKey?: string;
  /** Where the provider's API is served. Default: the provider's own. */
  readonly baseURL?: string;
  /** Sent with every request; cannot replace the authorization header. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** Milliseconds for the whole call, streams included. Default 120,000. */
  readonly timeoutMs?: number;
}
