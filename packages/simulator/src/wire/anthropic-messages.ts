import type { ScriptedAnswer, ScriptedCall, ScriptedFailure } from '../turn.ts';
import { argumentsValue, bodyObject, isObject, scriptedUsage } from './answer-parts.ts';
import { readAnthropic } from './anthropic-read.ts';
import { pieceLengthOf, pieces } from './chat-reply.ts';
import { GivenState } from './given-state.ts';
import { sealed } from './opaque-token.ts';
import type { RecordedRequest, SeenRequest, WireFormat, WireReply } from './wire-format.ts';

type Fields = { readonly [field: string]: unknown };

const given = new GivenState();

/** Anthropic's Messages API. */
export const anthropicMessages: WireFormat = {
  name: 'anthropic-messages',
  basePath: '',
  can: {
    callIds: true,
    thinking: true,
    opaque: true,
    cacheRead: true,
    cacheWrite: true,
    reasoningTokens: true,
    cost: false,
    toolChoice: true,
    parallelToolCalls: true,
    errorResults: true,
    argumentsText: false,
  },
  accepts: (request) => request.method === 'POST' && request.path === '/v1/messages',
  read(request) {
    const seen = readAnthropic(request);
    checkThinkingKept(request, seen);
    return given.noteRequest(seen, request);
  },
  write: (answer, seen) => (seen.stream ? writeStream(answer, seen) : writeWhole(answer, seen)),
  fail,
};

/** With thinking enabled, calls that came with signed thinking go back behind it, until the user speaks again. */
function checkThinkingKept(request: RecordedRequest, seen: SeenRequest): void {
  const { thinking } = bodyObject(request.body);
  if (!isObject(thinking) || thinking['type'] !== 'enabled') return;
  const lastUser = seen.messages.findLastIndex((message) => message.role === 'user');
  for (const [index, message] of seen.messages.entries()) {
    if (message.role !== 'assistant' || index < lastUser || message.opaque.length > 0) continue;
    if (message.calls.some((call) => given.cameWithState(request, index, call))) {
      throw new Error(
        'messages: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).',
      );
    }
  }
}

function writeWhole(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const body = {
    ...opening(answer, seen),
    content: blocksOf(answer, seen),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    ...usageField(answer, true),
    ...answer.extra,
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'request-id': requestId(seen) },
    chunks: [JSON.stringify(body)],
    body,
  };
}

function writeStream(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const length = pieceLengthOf(answer);
  const scripted = answer.callTools ?? [];
  const blocks = blocksOf(answer, seen);
  const firstCall = blocks.length - scripted.length;
  const events: Fields[] = [
    {
      type: 'message_start',
      message: {
        ...opening(answer, seen),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...usageField(answer, false),
      },
      ...answer.extra,
    },
  ];
  for (const [index, block] of blocks.entries()) {
    events.push({ type: 'content_block_start', index, content_block: emptied(block) });
    if (index === 0) events.push({ type: 'ping' });
    for (const delta of deltasOf(block, scripted[index - firstCall], length)) {
      events.push({ type: 'content_block_delta', index, delta });
    }
    events.push({ type: 'content_block_stop', index });
  }
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      ...usageField(answer, true),
    },
    { type: 'message_stop' },
  );
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': requestId(seen) },
    chunks: events.map((event, index) => `event: ${event['type']}\ndata: ${padded(event, index)}\n\n`),
    body: events,
  };
}

/** Real events carry blanks before their last brace, so that their length tells nothing. */
function padded(event: Fields, index: number): string {
  return `${JSON.stringify(event).slice(0, -1)}${' '.repeat((index * 7) % 15)}}`;
}

function opening(answer: ScriptedAnswer, seen: SeenRequest): Fields {
  return {
    model: answer.model ?? seen.model,
    id: `msg_01Simulated${String(seen.messages.length).padStart(10, '0')}`,
    type: 'message',
    role: 'assistant',
  };
}

function blocksOf(answer: ScriptedAnswer, seen: SeenRequest): Fields[] {
  const { say, think, opaque } = answer;
  const blocks: Fields[] = [];
  if (think !== undefined) {
    blocks.push({ type: 'thinking', thinking: think, signature: sealed(opaque ?? '', think) });
  } else if (opaque !== undefined) {
    blocks.push({ type: 'redacted_thinking', data: sealed(opaque) });
  }
  if (say !== undefined && say !== '') blocks.push({ type: 'text', text: say });
  for (const [index, call] of (answer.callTools ?? []).entries()) {
    const input = argumentsValue(call.arguments);
    given.noteCall(seen, { name: call.name, arguments: input }, opaque !== undefined);
    blocks.push({ type: 'tool_use', id: call.id ?? callId(seen, index), name: call.name, input });
  }
  return blocks;
}

/** The history grows with every round, so these do not repeat within a conversation. */
function callId(seen: SeenRequest, index: number): string {
  return `toolu_01Simulated${String(seen.messages.length * 1000 + index).padStart(10, '0')}`;
}

/** A block as it starts in a stream, before its pieces. */
function emptied(block: Fields): Fields {
  switch (block['type']) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: Fields, call: ScriptedCall | undefined, length: number): Fields[] {
  switch (block['type']) {
    case 'thinking':
      return [
        ...pieces(String(block['thinking']), length).map((thinking) => ({
          type: 'thinking_delta',
          thinking,
        })),
        { type: 'signature_delta', signature: block['signature'] },
      ];
    case 'text':
      return pieces(String(block['text']), length).map((text) => ({ type: 'text_delta', text }));
    case 'tool_use':
      // The first piece is always empty; a call without arguments has no other.
      return ['', ...pieces(inputText(call), length)].map((partial) => ({
        type: 'input_json_delta',
        partial_json: partial,
      }));
    default:
      return [];
  }
}

function inputText(call: ScriptedCall | undefined): string {
  const scripted = call?.arguments ?? '';
  if (typeof scripted === 'string') return scripted;
  return Object.keys(scripted).length === 0 ? '' : JSON.stringify(scripted);
}

function stopReason(answer: ScriptedAnswer): string | null {
  if (answer.rawFinish !== undefined) return answer.rawFinish;
  const fitting = (answer.callTools ?? []).length > 0 ? 'tool_calls' : 'stop';
  return {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'refusal',
  }[answer.finish ?? fitting];
}

/** What came from or went to the cache is not part of `input_tokens`. Before the end, hardly any output is counted. */
function usageField(answer: ScriptedAnswer, atEnd: boolean): Fields {
  const usage = scriptedUsage(answer);
  if (usage === undefined) return {};
  const { prompt, completion, cacheRead = 0, cacheWrite = 0, reasoning } = usage;
  return {
    usage: {
      input_tokens: prompt - cacheRead - cacheWrite,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: atEnd ? completion : Math.min(1, completion),
      ...(atEnd && reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
    },
  };
}

const ERROR_TYPES: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function fail(failure: ScriptedFailure['fail'], seen?: SeenRequest): WireReply {
  const { status, code, message = `The provider answered with status ${status}.` } = failure;
  const type = code ?? ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const body = { type: 'error', error: { type, message }, request_id: requestId(seen) };
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': requestId(seen), ...failure.headers },
    chunks: [JSON.stringify(body)],
    body,
  };
}

function requestId(seen: SeenRequest | undefined): string {
  return `req_01Simulated${String(seen?.messages.length ?? 0).padStart(10, '0')}`;
}
