import type { ScriptedAnswer, ScriptedFailure } from '../turn.ts';

/** A request exactly as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: string;
  /** Raw header names and values, in wire order, names spelled as sent. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  readonly bodyBytes: Uint8Array;
  readonly bodyText: string;
  /** The body parsed as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** A request read neutrally: what a model on this wire would understand, whatever the dialect. */
export interface SeenRequest {
  readonly model: string | undefined;
  /** Every system text, in order, wherever the format keeps it. */
  readonly system: readonly string[];
  /** All but the leading system texts. */
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: unknown;
  }[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly tool: string } | undefined;
  readonly parallelToolCalls: boolean | undefined;
  readonly stream: boolean;
  /** Whether a stream was asked to report usage, for formats in which that must be asked for. */
  readonly streamUsage?: boolean;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[] | undefined;
  /** Whether reasoning was asked for; undefined: nothing said. */
  readonly thinking: boolean | undefined;
  /** The key, wherever the format carries it. */
  readonly apiKey: string | undefined;
}

export type SeenMessage =
  | { readonly role: 'system'; readonly text: string }
  | {
      readonly role: 'user';
      readonly text: string;
      readonly images: readonly { readonly data: string; readonly mediaType: string | undefined }[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly {
        readonly id: string | undefined;
        readonly name: string;
        readonly arguments: unknown;
      }[];
      /** Reasoning sent back as reasoning. */
      readonly thinking: string | undefined;
      /** Opaque tokens sent back, as `ScriptedAnswer.opaque` gave them. */
      readonly opaque: readonly string[];
    }
  /** One per result, also where the format puts several into one message. `sameTurn`: it shares a message with the result before it. */
  | {
      readonly role: 'tool';
      readonly callId: string | undefined;
      readonly name: string | undefined;
      /** The text of the result; a format that wants an object has its wrapper taken off. */
      readonly text: string;
      /** undefined where the format has no place for it. */
      readonly isError: boolean | undefined;
      readonly sameTurn: boolean;
    };

/** What goes back over the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Written one after another: one for a whole body, one per event for a stream. */
  readonly chunks: readonly string[];
  /** What raw capture must equal: the decoded body; for a stream the list of its decoded events. */
  readonly body: unknown;
}

/** One provider's HTTP dialect, seen from the provider's side. */
export interface WireFormat {
  readonly name: string;
  /** What an adapter's `baseURL` ends in, so that its SDK finds the path: '' or like '/v1'. */
  readonly basePath: string;
  /** What this format can say at all; a suite tests no more. */
  readonly can: {
    /** Calls and results carry ids. */
    readonly callIds: boolean;
    readonly thinking: boolean;
    /** Opaque state travels with an answer and must come back. */
    readonly opaque: boolean;
    readonly cacheRead: boolean;
    readonly cacheWrite: boolean;
    readonly reasoningTokens: boolean;
    readonly cost: boolean;
    readonly toolChoice: boolean;
    readonly parallelToolCalls: boolean;
    /** Results have a place for `isError`. */
    readonly errorResults: boolean;
    /** Arguments travel as text, so broken JSON can be written. */
    readonly argumentsText: boolean;
  };
  /** Whether this is a request for an answer at all; the server replies 404 otherwise. */
  accepts(request: RecordedRequest): boolean;
  /** Throws an Error that says what is wrong when the provider would refuse the request. */
  read(request: RecordedRequest): SeenRequest;
  write(answer: ScriptedAnswer, seen: SeenRequest): WireReply;
  /** An error in the provider's own shape. `seen` is undefined for a request that `read` refused. */
  fail(failure: ScriptedFailure['fail'], seen: SeenRequest | undefined): WireReply;
}
