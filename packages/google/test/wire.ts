import type { WireFormat } from '@glassloop/simulator';

/** Takes whatever comes: for turns given byte for byte. */
export const anyGemini: WireFormat = {
  name: 'any-gemini',
  basePath: '',
  can: {
    callIds: true,
    thinking: true,
    opaque: true,
    cacheRead: true,
    cacheWrite: false,
    reasoningTokens: true,
    cost: false,
    toolChoice: true,
    parallelToolCalls: false,
    errorResults: true,
    argumentsText: false,
  },
  accepts: (request) => /:(streamGenerateContent|generateContent)$/.test(request.path),
  read: (request) => ({
    model: undefined,
    system: [],
    messages: [],
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    stream: request.path.includes(':stream'),
    temperature: undefined,
    topP: undefined,
    maxTokens: undefined,
    stop: undefined,
    thinking: undefined,
    apiKey: undefined,
  }),
  write: () => {
    throw new Error('give a reply');
  },
  fail: ({ status, message = 'failed' }) => {
    const body = { error: { code: status, message } };
    return {
      status,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify(body)],
      body,
    };
  },
};
