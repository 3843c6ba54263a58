/** What the model on the other side says in one answer, in words that belong to no provider. */

export interface ScriptedCall {
  /** Default: one that this format gives, where it gives any. */
  readonly id?: string;
  readonly name: string;
  /** An object, or the text exactly as a model might write it, broken JSON included. Default: none at all. */
  readonly arguments?: { readonly [name: string]: unknown } | string;
}

/** Under the identity of core's Usage: `prompt` includes what was cached, `completion` includes reasoning. */
export interface ScriptedUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** US dollars. Written only by formats that report a cost. */
  readonly cost?: number;
}

export interface ScriptedAnswer {
  readonly say?: string;
  /** A refusal, where the format has a place of its own for it; elsewhere it is said as text. */
  readonly refuse?: string;
  /** Visible reasoning, in the format's native place. */
  readonly think?: string;
  /** A token that the format hides in its opaque state (signature, encrypted reasoning) and that must come back verbatim. */
  readonly opaque?: string;
  readonly callTools?: readonly ScriptedCall[];
  /** Default 10 / 5; null: no usage in the reply. */
  readonly usage?: ScriptedUsage | null;
  /** Default: what fits. The format writes its own word for it. */
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** The provider's own word, written as it is, instead of `finish`; null: none at all. */
  readonly rawFinish?: string | null;
  /** The model that answers. Default: the one asked for. */
  readonly model?: string;
  /** Streams: characters per piece of text. Default 8. */
  readonly pieceLength?: number;
  /** Further fields put on the top level of the body (whole) or of the first event (streamed). */
  readonly extra?: { readonly [field: string]: unknown };
}

export interface ScriptedFailure {
  readonly fail: {
    readonly status: number;
    /** Default: a sentence that names the status. */
    readonly message?: string;
    /** The provider's own code or type word. */
    readonly code?: string;
    /** Further fields of the error object. */
    readonly details?: { readonly [field: string]: unknown };
    readonly headers?: { readonly [name: string]: string };
  };
}

/** A reply given byte for byte, for what no neutral turn can say. */
export interface ScriptedReply {
  readonly reply: {
    /** Default 200. */
    readonly status?: number;
    /** Default: the content type that the first characters look like, JSON if in doubt. */
    readonly headers?: { readonly [name: string]: string };
    /** One network write each. Text or bytes. */
    readonly chunks: readonly (string | Uint8Array)[];
  };
}

/** How the connection behaves; goes with any turn. */
export interface ScriptedConnection {
  /** Wait before the first byte, in milliseconds. */
  readonly delayMs?: number;
  /** Never send: nothing at all, or nothing after the first chunk. Ends when the client goes away or the simulator closes. */
  readonly hang?: 'before' | 'midway';
  /** Destroy the connection: at once, or after this many chunks have been sent (pieces, with `splitBytes`). */
  readonly cutOff?: 'before' | number;
  /** End the body properly after this many chunks of a stream, as a proxy does that loses the rest. */
  readonly endAfter?: number;
  /** Write the body in pieces of this many bytes, each a network write of its own. These pieces are the chunks that are counted. */
  readonly splitBytes?: number;
}

export type ScriptedTurn = (ScriptedAnswer | ScriptedFailure | ScriptedReply) & ScriptedConnection;
