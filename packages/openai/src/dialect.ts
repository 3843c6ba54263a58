import { nineLetterId } from '@glassloop/core/adapter';
import type { Dialect, ThinkingFields } from '@glassloop/core/chat-completions';

/** How OpenAI itself, or a host that follows it, wants to be spoken to. */
export function openaiDialect(
  ownHost: boolean,
  maxTokensField?: 'max_tokens' | 'max_completion_tokens',
): Dialect {
  return {
    name: 'openai',
    // OpenAI has deprecated max_tokens, and its reasoning models refuse it; most other hosts know nothing else.
    maxTokensField: (model) =>
      maxTokensField ?? (ownHost || isReasoning(model) ? 'max_completion_tokens' : 'max_tokens'),
    refuses: (option, model) =>
      isReasoning(model) &&
      (option === 'temperature' ||
        option === 'topP' ||
        option === 'stop' ||
        (option === 'parallelToolCalls' && isOSeries(model))),
    thinking,
    // The API refuses ids of more than 40 characters, as some other providers give them.
    callId: (id) => (id.length <= 40 ? id : `call_${nineLetterId(id)}`),
  };
}

/** o1, o3, o4-mini …; gpt-5 and later, but for gpt-5-chat, which does not reason. Also fine-tuned or behind a prefix. */
function isReasoning(model: string): boolean {
  return isOSeries(model) || /^(ft:|.*\/)?gpt-([5-9]|\d\d)(?!-chat)/i.test(model);
}

function isOSeries(model: string): boolean {
  return /^(ft:|.*\/)?o\d/i.test(model);
}

/** Chat completions never show what OpenAI's models think; how much they think can be told. */
function thinking(on: boolean, model: string, hasTools: boolean): ThinkingFields {
  if (!isReasoning(model)) {
    return { warning: `thinking is not sent, because ${model} is not known to have a setting for it.` };
  }
  if (!on) {
    if (isOSeries(model)) {
      return {
        fields: { reasoning_effort: 'low' },
        warning: `thinking: false is sent as low effort, because ${model} always thinks.`,
      };
    }
    // 'none' came with gpt-5.1, which no longer knows 'minimal'.
    const effort = /gpt-5(?!\.)/i.test(model) ? 'minimal' : 'none';
    return { fields: { reasoning_effort: effort } };
  }
  if (hasTools && /gpt-(5\.[4-9]|[6-9])/i.test(model)) {
    return {
      warning: `thinking is not sent, because chat completions refuse a reasoning effort together with tools for ${model}.`,
    };
  }
  return {
    fields: { reasoning_effort: 'medium' },
    warning: `${model} thinks, but chat completions do not show what.`,
  };
}
