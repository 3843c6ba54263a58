import type { ScriptedAnswer, ScriptedCall } from '../turn.ts';
import type { ChatDialect, Fields } from './chat-completions.ts';
import type { SeenRequest, WireReply } from './wire-format.ts';

/** A fixed clock: the same script makes the same bytes. */
const CREATED = 1_780_000_000;

export function writeWhole(answer: ScriptedAnswer, seen: SeenRequest, dialect: ChatDialect): WireReply {
  const calls = callsOf(answer, seen, dialect);
  const finish = finishOf(answer, dialect);
  const usage = usageOf(answer, dialect);
  const body = {
    ...opening(answer, seen, dialect, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          ...dialect.message(answer),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finish,
        ...dialect.choice?.(answer, finish),
      },
    ],
    ...(usage !== undefined && { usage }),
    ...dialect.envelope.whole,
    ...answer.extra,
  };
  const json = JSON.stringify(body);
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...dialect.headers },
    chunks: [dialect.wholeText?.(json) ?? json],
    body,
  };
}

export function writeStream(answer: ScriptedAnswer, seen: SeenRequest, dialect: ChatDialect): WireReply {
  const base = { ...opening(answer, seen, dialect, 'chat.completion.chunk'), ...dialect.envelope.event };
  const event = (delta: Fields, finish: string | null = null) => ({
    ...base,
    choices: [
      { index: 0, delta, finish_reason: finish, ...(finish !== null && dialect.choice?.(answer, finish)) },
    ],
  });
  const calls = callsOf(answer, seen, dialect);
  const deltas = [
    ...dialect.deltas(answer),
    ...(calls.length > 0 ? dialect.callDeltas(calls, pieceLengthOf(answer)) : []),
  ];
  const last = dialect.finishOnLastPiece && deltas.length > 1 ? deltas.pop() : {};
  const events: Fields[] = [
    ...deltas.map((delta) => event(delta)),
    ...dialect.closing(
      event(last ?? {}, finishOf(answer, dialect)),
      usageOf(answer, dialect),
      seen.streamUsage === true,
    ),
  ];
  events[0] = { ...events[0], ...answer.extra };
  const chunks = events.map((data) => `data: ${JSON.stringify(data)}\n\n`);
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...dialect.headers },
    chunks: [...(dialect.streamOpening ? [dialect.streamOpening] : []), ...chunks, 'data: [DONE]\n\n'],
    body: events,
  };
}

/** Cuts a text into pieces of `length` characters, never through the middle of one. */
export function pieces(text: string, length: number): string[] {
  const characters = [...text];
  const cut: string[] = [];
  for (let i = 0; i < characters.length; i += length) cut.push(characters.slice(i, i + length).join(''));
  return cut;
}

export function pieceLengthOf(answer: ScriptedAnswer): number {
  return answer.pieceLength ?? 8;
}

/** `arguments` as text; undefined for none at all. */
export function argumentsText(call: ScriptedCall): string | undefined {
  return typeof call.arguments === 'object' ? JSON.stringify(call.arguments) : call.arguments;
}

function opening(answer: ScriptedAnswer, seen: SeenRequest, dialect: ChatDialect, object: string) {
  return {
    id: dialect.replyIdPrefix + String(seen.messages.length).padStart(8, '0'),
    object,
    created: CREATED,
    model: answer.model ?? seen.model ?? 'simulated',
  };
}

function callsOf(answer: ScriptedAnswer, seen: SeenRequest, dialect: ChatDialect): Fields[] {
  const calls = answer.callTools ?? [];
  // The history grows with every round, so numbers do not repeat within a conversation.
  return calls.map((call, i) =>
    dialect.call(call.id ?? dialect.callId(seen.messages.length * 1000 + i), call),
  );
}

function finishOf(answer: ScriptedAnswer, dialect: ChatDialect): string | null {
  if (answer.rawFinish !== undefined) return answer.rawFinish;
  const fitting = (answer.callTools ?? []).length > 0 ? 'tool_calls' : 'stop';
  return dialect.finishWord(answer.finish ?? fitting);
}

function usageOf(answer: ScriptedAnswer, dialect: ChatDialect): Fields | undefined {
  if (answer.usage === null) return undefined;
  return dialect.usage(answer.usage ?? { prompt: 10, completion: 5 });
}
