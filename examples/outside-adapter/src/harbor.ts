import { type Adapter, type AdapterSettings, checkSettings, nineLetterId } from '@glassloop/core/adapter';
import { chatCompletionsAdapter, clientHeaders, type Dialect } from '@glassloop/core/chat-completions';

/** What Harbor does its own way; everything else is as at OpenAI. */
const dialect: Dialect = {
  name: 'harbor',
  maxTokensField: () => 'max_tokens',
  // First quirk: its word for "some tool must be called".
  requiredWord: 'any',
  // Second quirk: it refuses `stream_options`; its streams report their usage anyway.
  streamOptions: false,
  callId: (id) => (id.length <= 40 ? id : `call_${nineLetterId(id)}`),
};

/** Chat completions of Harbor. No `apiKey`: `HARBOR_API_KEY`. */
export function harbor(given: AdapterSettings): Adapter {
  const settings = checkSettings('harbor', given, 'HARBOR_API_KEY');
  return chatCompletionsAdapter({
    dialect,
    settings,
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
        apiKey: settings.apiKey,
        baseURL: settings.baseURL ?? 'https://api.harbor.example/v1',
        defaultHeaders: clientHeaders(settings, 'OPENAI_CUSTOM_HEADERS'),
        fetch,
        // What the SDK would otherwise take from variables that are meant for OpenAI.
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        logLevel: 'off',
        // The loop retries, and the adapter has a timeout of its own.
        maxRetries: 0,
        timeout: 2_147_483_647,
      });
    },
  });
}
