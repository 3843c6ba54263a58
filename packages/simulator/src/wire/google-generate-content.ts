import type { ScriptedAnswer, ScriptedFailure } from '../turn.ts';
import { argumentsValue, scriptedUsage } from './answer-parts.ts';
import { pieceLengthOf, pieces } from './chat-reply.ts';
import { GivenState } from './given-state.ts';
import { PATH, readGoogle } from './google-read.ts';
import { sealed } from './opaque-token.ts';
import type { RecordedRequest, SeenRequest, WireFormat, WireReply } from './wire-format.ts';

type Fields = { readonly [field: string]: unknown };

const given = new GivenState();

/** The Gemini API: generateContent, and streamGenerateContent as events (alt=sse) or as one JSON array. */
export const googleGenerateContent: WireFormat = {
  name: 'google-generate-content',
  basePath: '',
  can: {
    callIds: false,
    thinking: true,
    opaque: true,
    cacheRead: true,
    cacheWrite: false,
    reasoningTokens: true,
    cost: false,
    toolChoice: true,
    parallelToolCalls: false,
    errorResults: true,
    argumentsText: false,
  },
  accepts: (request) => request.method === 'POST' && PATH.test(request.path),
  read(request) {
    const seen = readGoogle(request);
    checkSignaturesKept(request, seen);
    return given.noteRequest(seen, request);
  },
  write: (answer, seen) => (seen.stream ? writeStream(answer, seen) : writeWhole(answer, seen)),
  fail,
};

/** A call that came with a signature goes back with it, until the user speaks again. */
function checkSignaturesKept(request: RecordedRequest, seen: SeenRequest): void {
  const lastUser = seen.messages.findLastIndex((message) => message.role === 'user');
  for (const [index, message] of seen.messages.entries()) {
    if (message.role !== 'assistant' || index < lastUser || message.opaque.length > 0) continue;
    const call = message.calls.find((one) => given.cameWithState(request, index, one));
    if (call !== undefined) {
      throw new Error(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Function call \`${call.name}\`, position ${index}.`,
      );
    }
  }
}

function writeWhole(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const { say, opaque } = answer;
  const calls = callParts(answer, seen);
  const parts: Fields[] = [...thoughtParts(answer.think === undefined ? [] : [answer.think])];
  if (say !== undefined || (opaque !== undefined && calls.length === 0)) {
    parts.push({ text: say ?? '', ...(calls.length === 0 && signature(opaque)) });
  }
  parts.push(...calls);
  const body = { ...event(answer, seen, parts, true), ...answer.extra };
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    chunks: [`${printed(body, 2)}\n`],
    body,
  };
}

function writeStream(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const length = pieceLengthOf(answer);
  const calls = callParts(answer, seen);
  const middle: Fields[][] = [
    ...thoughtParts(pieces(answer.think ?? '', length)),
    ...pieces(answer.say ?? '', length).map((text) => ({ text })),
  ].map((part) => [part]);
  // Calls come whole, all in one event. A signature without a call comes last, on a text part of its own.
  const last = calls.length > 0 ? calls : answer.opaque === undefined ? middle.pop() : undefined;
  const end = last ?? (answer.opaque === undefined ? [] : [{ text: '', ...signature(answer.opaque) }]);
  const events = [
    ...middle.map((parts) => event(answer, seen, parts, false)),
    event(answer, seen, end, true),
  ];
  events[0] = { ...events[0], ...answer.extra };
  return asEvents(seen)
    ? {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        chunks: events.map((data) => `data: ${printed(data)}\r\n\r\n`),
        body: events,
      }
    : {
        status: 200,
        headers: { 'content-type': 'application/json; charset=UTF-8' },
        chunks: [...events.map((data, index) => `${index === 0 ? '[' : ',\r\n'}${printed(data, 2)}\n`), ']'],
        body: events,
      };
}

/** JSON as the provider's printer writes it: what could break out of a script or a line is escaped. */
function printed(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function asEvents(seen: SeenRequest): boolean {
  const request = given.requestOf(seen);
  return request === undefined || new URLSearchParams(request.query).get('alt') === 'sse';
}

/** One GenerateContentResponse: the whole answer, or one event of it. */
function event(answer: ScriptedAnswer, seen: SeenRequest, parts: readonly Fields[], atEnd: boolean): Fields {
  const finishReason = atEnd ? finishWord(answer) : null;
  return {
    candidates: [
      {
        content: { ...(parts.length > 0 && { parts }), role: 'model' },
        ...(finishReason !== null && { finishReason }),
        index: 0,
      },
    ],
    ...usageField(answer, atEnd),
    modelVersion: answer.model ?? seen.model,
    responseId: `Simulated${String(seen.messages.length).padStart(14, '0')}`,
  };
}

function thoughtParts(thoughts: readonly string[]): Fields[] {
  return thoughts.map((text) => ({ text, thought: true }));
}

/** The signature is on the first of several calls. Ids are sent only where the script has them, as most models send none. */
function callParts(answer: ScriptedAnswer, seen: SeenRequest): Fields[] {
  return (answer.callTools ?? []).map((call, index) => {
    const args = argumentsValue(call.arguments);
    const signed = index === 0 && answer.opaque !== undefined;
    given.noteCall(seen, { name: call.name, arguments: args }, signed);
    return {
      functionCall: { name: call.name, args, ...(call.id !== undefined && { id: call.id }) },
      ...(signed && signature(answer.opaque)),
    };
  });
}

function signature(opaque: string | undefined): Fields {
  return opaque === undefined ? {} : { thoughtSignature: Buffer.from(sealed(opaque)).toString('base64') };
}

/** This API has no word of its own for calls. */
function finishWord(answer: ScriptedAnswer): string | null {
  if (answer.rawFinish !== undefined) return answer.rawFinish;
  return { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' }[
    answer.finish ?? 'stop'
  ];
}

/** Thoughts are not part of `candidatesTokenCount`, but of the total. Counts of 0 are left out. */
function usageField(answer: ScriptedAnswer, atEnd: boolean): Fields {
  const usage = scriptedUsage(answer);
  if (usage === undefined) return {};
  const { prompt, completion, cacheRead, reasoning = 0 } = usage;
  const candidates = completion - reasoning;
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(atEnd && candidates > 0 && { candidatesTokenCount: candidates }),
      totalTokenCount: atEnd ? prompt + completion : prompt,
      ...(cacheRead !== undefined && { cachedContentTokenCount: cacheRead }),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
      ...(atEnd && reasoning > 0 && { thoughtsTokenCount: reasoning }),
    },
  };
}

const STATUS_WORDS: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function fail(failure: ScriptedFailure['fail'], seen?: SeenRequest): WireReply {
  const { status, message = `The provider answered with status ${status}.`, code } = failure;
  const error = { error: { code: status, message, status: code ?? STATUS_WORDS[status] ?? 'UNKNOWN' } };
  // Without alt=sse a stream is one array, also when all it holds is an error.
  const body = seen?.stream === true && !asEvents(seen) ? [error] : error;
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...failure.headers },
    chunks: [`${printed(body, 2)}\n`],
    body,
  };
}
