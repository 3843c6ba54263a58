import { type Adapter, type AdapterSettings, checkSettings } from '@glassloop/core/adapter';
import { chatCompletionsAdapter, clientHeaders } from '@glassloop/core/chat-completions';
import { __camel__Dialect } from './dialect.ts';

export function createAdapter(settings: AdapterSettings): Adapter {
  const checked = checkSettings('__name__', settings, '__VARIABLE__');
  return chatCompletionsAdapter({
    dialect: __camel__Dialect,
    settings: checked,
    // The suite tests every answer, a "no" too.
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: false,
      images: true,
      cost: false,
    },
    connect: async (fetch) => {
      const { OpenAI } = await import('openai');
      return new OpenAI({
        apiKey: checked.apiKey,
        baseURL: checked.baseURL ?? 'https://api.__name__.example/v1',
        defaultHeaders: clientHeaders(checked, 'OPENAI_CUSTOM_HEADERS'),
        fetch,
        // What the SDK would otherwise take from variables that are meant for OpenAI.
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        logLevel: 'off',
        // The loop retries, and the adapter has its own timeout, which covers the body too.
        maxRetries: 0,
        timeout: 2_147_483_647,
      });
    },
  });
}
