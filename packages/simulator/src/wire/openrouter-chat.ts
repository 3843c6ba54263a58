import type { ScriptedAnswer } from '../turn.ts';
import { type ChatDialect, chatCompletions, type Fields } from './chat-completions.ts';
import { pieceLengthOf, pieces } from './chat-reply.ts';
import { fieldsOf, listOf } from './chat-request.ts';
import { chatUsage, effortAsked, openaiDialect } from './openai-chat.ts';
import type { WireFormat } from './wire-format.ts';

const openrouterDialect: ChatDialect = {
  ...openaiDialect,
  name: 'openrouter-chat',
  basePath: '/api/v1',
  path: '/api/v1/chat/completions',
  can: { ...openaiDialect.can, thinking: true, opaque: true, cacheWrite: true, cost: true },

  check(_body, messages) {
    for (const [i, message] of messages.entries()) detailsIn(message, `messages[${i}].reasoning_details`);
  },
  anyTool: true,
  looseTools: true,
  thinkingAsked(body) {
    if (body['reasoning'] == null) return effortAsked(body);
    const { enabled, effort } = fieldsOf(body['reasoning'], "'reasoning'");
    return enabled !== false && effort !== 'none';
  },
  reasoningIn(message) {
    const details = detailsIn(message, 'reasoning_details');
    const texts = details
      .filter((detail) => typeof detail['text'] === 'string')
      .map((detail) => detail['text']);
    const plain = typeof message['reasoning'] === 'string' ? message['reasoning'] : undefined;
    return {
      thinking: texts.length > 0 ? texts.join('') : plain,
      opaque: details
        .filter((detail) => detail['type'] === 'reasoning.encrypted')
        .map((detail) => String(detail['data'])),
    };
  },

  headers: {},
  envelope: {
    whole: { provider: 'Simulated', system_fingerprint: null },
    event: { provider: 'Simulated' },
  },
  replyIdPrefix: 'gen-1780000000-simulated',
  message(answer) {
    const { say, think, refuse } = answer;
    const details = [...(think === undefined ? [] : [thinkingDetail(think)]), ...encryptedDetails(answer)];
    return {
      content: say ?? null,
      refusal: refuse ?? null,
      reasoning: think ?? null,
      ...(details.length > 0 && { reasoning_details: details }),
    };
  },
  deltas(answer) {
    const length = pieceLengthOf(answer);
    const empty = { role: 'assistant', content: '' };
    return [
      ...pieces(answer.think ?? '', length).map((piece) => ({
        ...empty,
        reasoning: piece,
        reasoning_details: [thinkingDetail(piece)],
      })),
      ...encryptedDetails(answer).map((detail) => ({
        ...empty,
        reasoning: null,
        reasoning_details: [detail],
      })),
      ...pieces(answer.say ?? '', length).map((content) => ({ role: 'assistant', content })),
      ...pieces(answer.refuse ?? '', length).map((refusal) => ({ ...empty, refusal })),
    ];
  },
  choice: (_answer, finish) => ({ native_finish_reason: finish }),
  usage(usage) {
    const { cacheRead, cacheWrite, cost } = usage;
    return {
      ...chatUsage(usage),
      ...((cacheRead ?? cacheWrite) !== undefined && {
        prompt_tokens_details: {
          ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
          ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
          audio_tokens: 0,
        },
      }),
      ...(cost !== undefined && { cost, is_byok: false, cost_details: { upstream_inference_cost: cost } }),
    };
  },
  // The event with the usage repeats the finish reason instead of having no choices.
  closing(last, usage) {
    return usage === undefined ? [last] : [last, { ...last, usage }];
  },
  failure({ status, message, code, details }): Fields {
    const raw = code !== undefined && {
      metadata: { provider_name: 'Simulated', raw: JSON.stringify({ code }) },
    };
    return { error: { message, code: status, ...raw, ...details }, user_id: 'user_simulated' };
  },
  // Long calls are kept alive with white space before the body, and with comments before the first event.
  wholeText: (json) => `\n         \n\n         \n${json}`,
  streamOpening: ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
};

/** OpenRouter's chat completions: reasoning that must come back as it was, cost, and padding while it waits. */
export const openrouterChat: WireFormat = chatCompletions(openrouterDialect);

function thinkingDetail(text: string): Fields {
  return { type: 'reasoning.text', text, format: 'unknown', index: 0 };
}

function encryptedDetails({ think, opaque }: ScriptedAnswer): readonly Fields[] {
  if (opaque === undefined) return [];
  const index = think === undefined ? 0 : 1;
  return [{ type: 'reasoning.encrypted', data: opaque, format: 'unknown', id: 'rs_simulated', index }];
}

function detailsIn(message: Fields, at: string): readonly Fields[] {
  if (message['reasoning_details'] == null) return [];
  return listOf(message['reasoning_details'], at).map((value, i) => {
    const detail = fieldsOf(value, `${at}[${i}]`);
    if (typeof detail['type'] !== 'string') throw new Error(`${at}[${i}] has no type.`);
    if (detail['type'] === 'reasoning.encrypted' && typeof detail['data'] !== 'string') {
      throw new Error(`${at}[${i}] is encrypted reasoning without its data.`);
    }
    return detail;
  });
}
