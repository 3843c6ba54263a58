import type { ScriptedFailure, ScriptedUsage } from '../turn.ts';
import { type ChatDialect, chatCompletions, type Fields } from './chat-completions.ts';
import { argumentsText, pieceLengthOf, pieces } from './chat-reply.ts';
import type { WireFormat } from './wire-format.ts';

/** OpenAI's own dialect, and what the other chat completions start from. */
export const openaiDialect: ChatDialect = {
  name: 'openai-chat',
  basePath: '/v1',
  path: '/v1/chat/completions',
  can: {
    callIds: true,
    thinking: false,
    opaque: false,
    cacheRead: true,
    cacheWrite: false,
    reasoningTokens: true,
    cost: false,
    toolChoice: true,
    parallelToolCalls: true,
    errorResults: false,
    argumentsText: true,
  },

  check(body, messages) {
    for (const [i, message] of messages.entries()) {
      const long = callIdsIn(message).find((id) => id.length > 40);
      if (long !== undefined)
        throw new Error(`messages[${i}]: the id '${long}' is longer than 40 characters.`);
    }
    if (!/^o\d/.test(String(body['model']))) return;
    for (const field of ['max_tokens', 'temperature', 'top_p']) {
      if (body[field] != null && (field === 'max_tokens' || body[field] !== 1)) {
        throw new Error(`Unsupported parameter: '${field}' is not supported with this model.`);
      }
    }
  },
  thinkingAsked: effortAsked,
  reasoningIn: () => ({}),

  headers: { 'x-request-id': 'req_simulated' },
  envelope: {
    whole: { service_tier: 'default', system_fingerprint: null },
    event: { service_tier: 'default', system_fingerprint: null },
  },
  replyIdPrefix: 'chatcmpl-simulated',
  callId: (number) => `call_${number.toString(36).padStart(24, '0')}`,
  finishWord: (finish) => finish,
  message: ({ say, refuse }) => ({ content: say ?? null, refusal: refuse ?? null, annotations: [] }),
  deltas(answer) {
    const { say, refuse } = answer;
    const length = pieceLengthOf(answer);
    return [
      { role: 'assistant', content: say === undefined ? null : '', refusal: null },
      ...pieces(say ?? '', length).map((content) => ({ content })),
      ...pieces(refuse ?? '', length).map((refusal) => ({ refusal })),
    ];
  },
  call: (id, call) => ({
    id,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }),
  callDeltas: (calls, length) =>
    calls.flatMap((call, index) => {
      const { name, arguments: written } = call['function'] as { name: string; arguments?: string };
      const opening = { name, ...(written !== undefined && { arguments: '' }) };
      return [
        { tool_calls: [{ ...call, index, function: opening }] },
        ...pieces(written ?? '', length).map((piece) => ({
          tool_calls: [{ index, function: { arguments: piece } }],
        })),
      ];
    }),
  usage: chatUsage,
  closing(last, usage, usageAsked) {
    if (!usageAsked) return [last];
    return [{ ...last, usage: null }, ...(usage === undefined ? [] : [{ ...last, choices: [], usage }])];
  },
  failure: ({ status, message, code, details }) => ({
    error: {
      message,
      type: openaiErrorType(status, code),
      param: null,
      code: code ?? usualCode(status),
      ...details,
    },
  }),
};

/** OpenAI's chat completions, which most other providers' are modelled on. */
export const openaiChat: WireFormat = chatCompletions(openaiDialect);

/** The ids of calls in `message`, or the one it answers. */
export function callIdsIn(message: Fields): readonly string[] {
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  return [
    ...calls.map((call) => String(call?.id)),
    ...(message['tool_call_id'] == null ? [] : [String(message['tool_call_id'])]),
  ];
}

export function effortAsked(body: Fields): boolean | undefined {
  const effort = body['reasoning_effort'];
  return effort == null ? undefined : effort !== 'none';
}

/** Details are written only for what the script counts. */
export function chatUsage(usage: ScriptedUsage): Fields {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    ...(usage.cacheRead !== undefined && {
      prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    }),
    ...(usage.reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
    }),
  };
}

function openaiErrorType(status: number, code: ScriptedFailure['fail']['code']): string {
  if (code === 'insufficient_quota') return code;
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function usualCode(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  if (status === 404) return 'model_not_found';
  return status === 429 ? 'rate_limit_exceeded' : null;
}
