import { type Adapter, checkSettings } from '@glassloop/core/adapter';
import { chatCompletionsAdapter, clientHeaders } from '@glassloop/core/chat-completions';
import { openaiDialect } from './dialect.ts';
import type { OpenAISettings } from './index.ts';

const OWN_URL = 'https://api.openai.com/v1';

export function createAdapter(settings: OpenAISettings): Adapter {
  const ownHost = isOwnHost(settings?.baseURL);
  const checked = checkSettings('openai', settings, ownHost ? 'OPENAI_API_KEY' : undefined);
  const { organization = null, project = null, maxTokensField } = settings;
  if (maxTokensField !== undefined && !/^max_(completion_)?tokens$/.test(maxTokensField)) {
    throw new TypeError("openai(): maxTokensField must be 'max_tokens' or 'max_completion_tokens'.");
  }
  const dialect = openaiDialect(ownHost, maxTokensField);
  return chatCompletionsAdapter({
    dialect,
    settings: checked,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    connect: async (fetch) => {
      const { OpenAI } = await import('openai');
      return new OpenAI({
        // What is left undefined, the SDK would take from the environment, whatever host it talks to.
        apiKey: checked.apiKey === '' ? 'none' : checked.apiKey,
        adminAPIKey: null,
        organization,
        project,
        webhookSecret: null,
        baseURL: checked.baseURL ?? OWN_URL,
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

function isOwnHost(baseURL: unknown): boolean {
  if (baseURL === undefined) return true;
  try {
    return /(^|\.)openai\.com$/.test(new URL(String(baseURL)).hostname);
  } catch {
    // checkSettings says what is wrong with it.
    return false;
  }
}
