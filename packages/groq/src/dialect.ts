import type { Dialect, ThinkingFields, Wire } from '@glassloop/core/chat-completions';

/** What Groq does its own way. */
export const groqDialect: Dialect = {
  name: 'groq',
  maxTokensField: () => 'max_completion_tokens',
  thinking,
  // Groq refuses `reasoning` in history, so nothing is replayed.
  reasoningFields: ['reasoning'],
  // Streams carry their usage here, also when nobody asks for it.
  usage: (body) => body['usage'] ?? (body['x_groq'] as Wire | undefined)?.['usage'],
};

/** Each family of reasoning models has its own fields, and all other models refuse every one of them. */
function thinking(on: boolean, model: string): ThinkingFields {
  if (/gpt-oss/i.test(model)) {
    if (on) return { fields: { include_reasoning: true } };
    return {
      fields: { include_reasoning: false, reasoning_effort: 'low' },
      warning: `thinking: false hides the reasoning and lowers the effort, because ${model} always thinks.`,
    };
  }
  if (/qwen-?3/i.test(model)) {
    return { fields: on ? { reasoning_format: 'parsed' } : { reasoning_effort: 'none' } };
  }
  if (/deepseek-r1|qwq/i.test(model)) {
    return on
      ? { fields: { reasoning_format: 'parsed' } }
      : {
          fields: { reasoning_format: 'hidden' },
          warning: `thinking: false hides the reasoning, because ${model} always thinks.`,
        };
  }
  return { warning: `thinking is not sent, because ${model} is not known to have a setting for it.` };
}
