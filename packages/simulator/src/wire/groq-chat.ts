import { type ChatDialect, chatCompletions, type Fields } from './chat-completions.ts';
import { pieceLengthOf, pieces } from './chat-reply.ts';
import { chatUsage, effortAsked, openaiDialect, usualCode } from './openai-chat.ts';
import type { WireFormat } from './wire-format.ts';

const REQUEST_ID = 'req_simulated';

const groqDialect: ChatDialect = {
  ...openaiDialect,
  name: 'groq-chat',
  basePath: '',
  path: '/openai/v1/chat/completions',
  can: { ...openaiDialect.can, thinking: true },

  check(_body, messages) {
    for (const [i, message] of messages.entries()) {
      for (const property of ['reasoning', 'reasoning_content', 'reasoning_details']) {
        if (property in message) throw new Error(`'messages.${i}': property '${property}' is unsupported`);
      }
      if (
        message['role'] === 'assistant' &&
        message['content'] != null &&
        typeof message['content'] !== 'string'
      ) {
        throw new Error(`'messages.${i}.content': value must be a string`);
      }
    }
  },
  thinkingAsked(body) {
    if (typeof body['include_reasoning'] === 'boolean') return body['include_reasoning'];
    if (body['reasoning_format'] != null) return body['reasoning_format'] !== 'hidden';
    return effortAsked(body);
  },

  headers: { 'x-request-id': REQUEST_ID },
  envelope: {
    whole: {
      usage_breakdown: null,
      system_fingerprint: 'fp_simulated',
      x_groq: { id: REQUEST_ID, seed: 1 },
      service_tier: 'on_demand',
    },
    event: { system_fingerprint: 'fp_simulated' },
  },
  // A field without a value is left out, `content` too.
  message: ({ say, think, refuse }) => ({
    ...((say ?? refuse) !== undefined && { content: say ?? refuse }),
    ...(think !== undefined && { reasoning: think }),
  }),
  deltas(answer) {
    const length = pieceLengthOf(answer);
    return [
      { role: 'assistant', content: '' },
      ...pieces(answer.think ?? '', length).map((reasoning) => ({ reasoning, channel: 'analysis' })),
      ...pieces(answer.say ?? answer.refuse ?? '', length).map((content) => ({ content })),
    ];
  },
  callDeltas: (calls) => calls.map((call, index) => ({ tool_calls: [{ ...call, index }] })),
  choice: () => ({ logprobs: null }),
  usage: (usage) => ({ queue_time: 0.02, ...chatUsage(usage), total_time: 0.05 }),
  closing(last, usage, usageAsked) {
    if (usage === undefined) return [{ ...last, x_groq: { id: REQUEST_ID } }];
    const closing = { ...last, x_groq: { id: REQUEST_ID, usage }, usage };
    return usageAsked ? [closing, { ...last, choices: [], usage }] : [closing];
  },
  failure({ status, message, code = usualCode(status), details }): Fields {
    const type =
      status >= 500 ? 'internal_server_error' : status === 429 ? 'tokens' : 'invalid_request_error';
    return { error: { message, type, ...(code !== null && { code }), ...details } };
  },
};

/** Groq's chat completions: visible reasoning that may not come back, usage under `x_groq`, calls in one piece. */
export const groqChat: WireFormat = chatCompletions(groqDialect);
