import { type Adapter, checkSettings } from '@glassloop/core/adapter';
import { chatCompletionsAdapter, clientHeaders } from '@glassloop/core/chat-completions';
import { groqDialect } from './dialect.ts';
import type { GroqSettings } from './index.ts';
import { failedToolUse } from './tool-use-failed.ts';

export function createAdapter(settings: GroqSettings): Adapter {
  const checked = checkSettings('groq', settings, 'GROQ_API_KEY');
  return chatCompletionsAdapter({
    dialect: groqDialect,
    settings: checked,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    path: '/openai/v1/chat/completions',
    answerIn: failedToolUse,
    connect: async (fetch) => {
      const { Groq } = await import('groq-sdk');
      return new Groq({
        apiKey: checked.apiKey,
        // The SDK adds /openai/v1 itself, while Groq's own documents show it as part of the base URL.
        baseURL: (checked.baseURL ?? 'https://api.groq.com').replace(/\/openai\/v1\/?$/, ''),
        defaultHeaders: clientHeaders(checked, 'GROQ_CUSTOM_HEADERS'),
        fetch,
        logLevel: 'off',
        // The loop retries, and the adapter has its own timeout, which covers the body too.
        maxRetries: 0,
        timeout: 2_147_483_647,
      });
    },
  });
}
