import { type Adapter, checkSettings, type Metadata } from '@glassloop/core/adapter';
import { chatCompletionsAdapter, clientHeaders, type Wire } from '@glassloop/core/chat-completions';
import { openrouterDialect } from './dialect.ts';
import type { OpenRouterSettings } from './index.ts';

export function createAdapter(settings: OpenRouterSettings): Adapter {
  const checked = checkSettings('openrouter', settings, 'OPENROUTER_API_KEY');
  return chatCompletionsAdapter({
    dialect: openrouterDialect,
    settings: checked,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: true,
    },
    facts,
    connect: async (fetch) => {
      const { OpenAI } = await import('openai');
      return new OpenAI({
        // What is left undefined, the SDK would take from OpenAI's variables and send to OpenRouter.
        apiKey: checked.apiKey,
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL: checked.baseURL ?? 'https://openrouter.ai/api/v1',
        defaultHeaders: clientHeaders(checked, 'OPENAI_CUSTOM_HEADERS'),
        fetch,
        logLevel: 'off',
        // The loop retries, and the adapter has its own timeout, which covers the body too.
        maxRetries: 0,
        timeout: 2_147_483_647,
      });
    },
  });
}

/** Which host and model a request was routed to. */
function facts({ provider, model }: Wire): Metadata | undefined {
  if (typeof provider !== 'string') return undefined;
  return { provider, ...(typeof model === 'string' ? { model } : {}) };
}
