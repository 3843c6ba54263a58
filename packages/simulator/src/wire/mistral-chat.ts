import { type ChatDialect, chatCompletions, type Fields } from './chat-completions.ts';
import { argumentsText, pieceLengthOf, pieces } from './chat-reply.ts';
import { callIdsIn, chatUsage, effortAsked, openaiDialect } from './openai-chat.ts';
import type { WireFormat } from './wire-format.ts';

const CALL_ID = /^[a-zA-Z0-9]{9}$/;
/** Other providers' names; each request field that Mistral does not know is refused. */
const FOREIGN_FIELDS = ['stream_options', 'max_completion_tokens', 'seed', 'reasoning'];

const mistralDialect: ChatDialect = {
  ...openaiDialect,
  name: 'mistral-chat',
  basePath: '',
  path: '/v1/chat/completions',
  can: { ...openaiDialect.can, thinking: true, reasoningTokens: false },

  check(body, messages) {
    const foreign = FOREIGN_FIELDS.find((field) => field in body);
    if (foreign !== undefined) throw new Error(`body.${foreign}: Extra inputs are not permitted`);
    checkTools(body);
    let before: unknown;
    for (const message of messages) {
      const role = message['role'];
      if (before === 'tool' && (role === 'user' || role === 'system')) {
        throw new Error(`Unexpected role '${role}' after role 'tool'`);
      }
      for (const id of callIdsIn(message)) {
        if (CALL_ID.test(id)) continue;
        throw new Error(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
      }
      if (role === 'tool' && (typeof message['name'] !== 'string' || message['name'] === '')) {
        throw new Error('A tool message needs the name of its tool.');
      }
      before = role;
    }
    if (before === 'assistant' && messages.at(-1)?.['prefix'] !== true) {
      throw new Error(
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      );
    }
  },
  anyTool: true,
  looseTools: true,
  thinkingAsked(body) {
    return body['prompt_mode'] === 'reasoning' ? true : effortAsked(body);
  },
  reasoningIn(message) {
    const parts = (Array.isArray(message['content']) ? message['content'] : []) as readonly Fields[];
    const texts = parts
      .filter((part) => part['type'] === 'thinking')
      .flatMap((part) => part['thinking'] as readonly { text?: string }[]);
    return { thinking: texts.length > 0 ? texts.map((part) => part.text ?? '').join('') : undefined };
  },

  headers: { 'mistral-correlation-id': 'req_simulated' },
  envelope: { whole: {}, event: { p: 'abcdefghijkl' } },
  replyIdPrefix: '5150a7ed00000000000000000',
  callId: (number) => number.toString(36).padStart(9, '0'),
  message({ say, think, refuse }) {
    const said = say ?? refuse;
    if (think === undefined) return { content: said ?? '', tool_calls: null };
    return {
      content: [thinkingPart(think), ...(said === undefined ? [] : [textPart(said)])],
      tool_calls: null,
    };
  },
  deltas(answer) {
    const length = pieceLengthOf(answer);
    const thought = pieces(answer.think ?? '', length).map((piece) => thinkingPart(piece));
    const said = pieces(answer.say ?? answer.refuse ?? '', length);
    // The border between thinking and text lies inside one event.
    const lastThought = thought.at(-1);
    const border = lastThought === undefined ? [] : [lastThought, ...said.slice(0, 1).map(textPart)];
    return [
      { role: 'assistant', content: '' },
      ...thought.slice(0, -1).map((part) => ({ content: [part] })),
      ...(border.length > 0 ? [{ content: border }] : []),
      ...said.slice(border.length > 0 ? 1 : 0).map((content) => ({ content })),
    ];
  },
  call: (id, call) => ({ id, function: { name: call.name, arguments: argumentsText(call) ?? '{}' } }),
  callDeltas: (calls) => [{ tool_calls: calls.map((call, index) => ({ ...call, index })) }],
  finishOnLastPiece: true,
  usage(usage) {
    const { prompt_tokens, completion_tokens, total_tokens } = chatUsage(usage);
    return {
      prompt_tokens,
      total_tokens,
      completion_tokens,
      ...(usage.cacheRead !== undefined && { prompt_tokens_details: { cached_tokens: usage.cacheRead } }),
    };
  },
  closing(last, usage) {
    return [usage === undefined ? last : { ...last, usage }];
  },
  failure({ status, message, code, details }): Fields {
    if (status === 401) return { detail: message, ...details };
    if (status === 422) {
      const detail = [{ type: code ?? 'value_error', loc: ['body'], msg: message, input: null }];
      return { detail, ...details };
    }
    const [type, number] = status === 429 ? ['rate_limited', '1300'] : usualError(status);
    return { object: 'error', message, type, param: null, code: code ?? number, ...details };
  },
};

/** Mistral's chat completions: strict ids and order of roles, thinking inside the content, calls in one piece. */
export const mistralChat: WireFormat = chatCompletions(mistralDialect);

function usualError(status: number): readonly [type: string, code: string] {
  return status >= 500 ? ['internal_server_error', '3000'] : ['invalid_request_error', '3230'];
}

function checkTools(body: Fields): void {
  const tools = (Array.isArray(body['tools']) ? body['tools'] : []) as readonly { function?: Fields }[];
  for (const [i, tool] of tools.entries()) {
    if (tool.function?.['parameters'] == null)
      throw new Error(`body.tools.${i}.function.parameters: Field required`);
  }
}

function thinkingPart(text: string): Fields {
  return { type: 'thinking', thinking: [textPart(text)], closed: true };
}

function textPart(text: string): Fields {
  return { type: 'text', text };
}
