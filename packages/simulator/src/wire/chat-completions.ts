import type { ScriptedAnswer, ScriptedCall, ScriptedFailure, ScriptedUsage } from '../turn.ts';
import { writeStream, writeWhole } from './chat-reply.ts';
import { readChatRequest } from './chat-request.ts';
import type { RecordedRequest, WireFormat, WireReply } from './wire-format.ts';

export type Fields = { readonly [field: string]: unknown };

/** Everything in which a provider's chat completions differ from the others'. */
export interface ChatDialect extends Pick<WireFormat, 'name' | 'basePath' | 'can'> {
  /** The path of the one endpoint, base path included. */
  readonly path: string;

  // Requests
  /** Throws for what only this provider refuses. */
  check?(body: Fields, messages: readonly Fields[]): void;
  /** `any` is an older word for `required` here. */
  readonly anyTool?: true;
  /** A tool without a type is a function, and tools of the provider's own kinds may stand beside them. */
  readonly looseTools?: true;
  thinkingAsked(body: Fields): boolean | undefined;
  /** What the replayed `message` of the assistant carries besides text and calls. */
  reasoningIn(message: Fields): {
    readonly thinking?: string | undefined;
    readonly opaque?: readonly string[];
  };

  // Replies
  readonly headers: { readonly [name: string]: string };
  /** Fields of a whole body, or of each event, beside id, model and choices. */
  readonly envelope: { readonly whole: Fields; readonly event: Fields };
  readonly replyIdPrefix: string;
  /** `number` counts up over a conversation. */
  callId(number: number): string;
  finishWord(finish: NonNullable<ScriptedAnswer['finish']>): string;
  /** Fields of the whole message, without the calls. */
  message(answer: ScriptedAnswer): Fields;
  /** Fields of the pieces of a streamed message, without the calls; the first opens it. */
  deltas(answer: ScriptedAnswer): readonly Fields[];
  call(id: string, call: ScriptedCall): Fields;
  /** The pieces in which the calls are streamed. */
  callDeltas(calls: readonly Fields[], pieceLength: number): readonly Fields[];
  /** Streams: the last piece itself carries the finish reason, else an empty one after it. */
  readonly finishOnLastPiece?: true;
  choice?(answer: ScriptedAnswer, finish: string | null): Fields;
  usage(usage: ScriptedUsage): Fields;
  /** The last events: the one that carries the finish reason, and where usage goes. */
  closing(last: Fields, usage: Fields | undefined, usageAsked: boolean): readonly Fields[];
  failure(failure: ScriptedFailure['fail'] & { readonly message: string }): Fields;
  /** The body as it is written. Default: plain JSON. */
  wholeText?(json: string): string;
  /** Lines before the first event. */
  readonly streamOpening?: string;
}

/** The wire format of one provider's chat completions. */
export function chatCompletions(dialect: ChatDialect): WireFormat {
  const { name, basePath, can, path } = dialect;
  return {
    name,
    basePath,
    can,
    accepts: (request: RecordedRequest) => request.method === 'POST' && request.path === path,
    read: (request) => readChatRequest(request, dialect),
    write: (answer, seen) =>
      seen.stream ? writeStream(answer, seen, dialect) : writeWhole(answer, seen, dialect),
    fail(failure): WireReply {
      const body = dialect.failure({
        ...failure,
        message: failure.message ?? `The provider answered with status ${failure.status}.`,
      });
      return {
        status: failure.status,
        headers: { 'content-type': 'application/json', ...dialect.headers, ...failure.headers },
        chunks: [JSON.stringify(body)],
        body,
      };
    },
  };
}
