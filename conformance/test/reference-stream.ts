import { ToolCallFold } from '@glassloop/core/adapter';
import { ProviderSaid } from './reference-adapter.ts';

interface Detail {
  readonly type?: string;
  readonly index?: number;
  readonly text?: string;
}
interface Chunk {
  readonly error?: unknown;
  readonly model?: string;
  readonly usage?: object | null;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning?: string | null;
      readonly reasoning_details?: readonly Detail[];
      readonly tool_calls?: readonly {
        readonly index?: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
  }[];
}

export type Piece = (kind: 'text' | 'thinking' | 'tool_call', text: string, call?: object) => void;

/** Folds chunks to the body that the same answer has when it is not streamed. */
export async function fold(events: AsyncIterable<unknown>, piece: Piece): Promise<unknown> {
  const calls = new ToolCallFold();
  const details: Detail[] = [];
  let [content, reasoning] = ['', ''];
  let model: string | undefined;
  let usage: object | null | undefined;
  let finish: string | null = null;
  let started = false;
  for await (const event of events) {
    const chunk = event as Chunk;
    if (chunk.error != null) throw new ProviderSaid(chunk);
    model ??= chunk.model;
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) continue;
    started = true;
    finish = choice.finish_reason ?? finish;
    const { delta = {} } = choice;
    if (delta.reasoning) {
      reasoning += delta.reasoning;
      piece('thinking', delta.reasoning);
    }
    for (const detail of delta.reasoning_details ?? []) addDetail(details, detail);
    if (delta.content) {
      content += delta.content;
      piece('text', delta.content);
    }
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const { position, isNew } = calls.add({ index, id, name: called?.name, arguments: called?.arguments });
      const facts = isNew ? { index: position, id, name: called?.name } : { index: position };
      piece('tool_call', called?.arguments ?? '', facts);
    }
  }
  const tool_calls = calls
    .calls()
    .map(({ id, name, argumentsJson }) => ({ id, function: { name, arguments: argumentsJson } }));
  const message = { content, reasoning, reasoning_details: details, tool_calls };
  return {
    model,
    usage,
    ended: finish !== null,
    choices: started ? [{ message, finish_reason: finish }] : [],
  };
}

/** Pieces of one entry share its type and index; their texts add up. */
function addDetail(details: Detail[], piece: Detail): void {
  const last = details.at(-1);
  if (last === undefined || last.type !== piece.type || last.index !== piece.index) details.push(piece);
  else
    details[details.length - 1] = {
      ...last,
      ...piece,
      ...(piece.text && { text: (last.text ?? '') + piece.text }),
    };
}

/** The decoded data of server-sent events; lines may end in LF, CR or CRLF, anywhere across pieces. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    // A CR at the end may be half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* decodedLines(lines);
  }
  yield* decodedLines((rest + decoder.decode()).split(/\r\n|\n|\r/));
}

function* decodedLines(lines: readonly string[]): Generator<unknown> {
  for (const line of lines) {
    // No `.` in a pattern here: it stops at U+2028, which JSON may hold as it is.
    const data = line.startsWith('data:') ? line.slice(5).trim() : '';
    if (data !== '' && data !== '[DONE]') yield JSON.parse(data);
  }
}
