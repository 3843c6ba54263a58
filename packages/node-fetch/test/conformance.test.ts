/** The whole suite over this fetch, for every adapter. */

import { anthropic } from '@glassloop/anthropic';
import { describeAdapter, type SubjectSettings } from '@glassloop/conformance';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import { wireFormats } from '@glassloop/simulator';
import { afterAll } from 'vitest';
import { nodeFetch } from '../src/index.ts';

const fetch = nodeFetch();
afterAll(() => fetch.close());

const over = (settings: SubjectSettings) => ({ ...settings, fetch: settings.fetch ?? fetch });

describeAdapter('openai over node-fetch', {
  wire: wireFormats.openai,
  create: (settings) => openai({ model: 'gpt-4o-mini', ...over(settings) }),
});

describeAdapter('anthropic over node-fetch', {
  wire: wireFormats.anthropic,
  create: (settings) => anthropic({ model: 'claude-sonnet-4-5', ...over(settings) }),
});

// Of the deviations that google has over Node's fetch, three are gone: this fetch hands headers on and keeps the key.
describeAdapter('google over node-fetch', {
  wire: wireFormats.google,
  create: (settings) => google({ model: 'gemini-2.5-flash', ...over(settings) }),
  deviations: {
    'errors.inside-200.streamed':
      'The SDK drops a body that is no event; the failure is bad_response without its text.',
    'streaming.framing': 'The SDK reads only the framing that Google itself writes.',
  },
});

describeAdapter('mistral over node-fetch', {
  wire: wireFormats.mistral,
  create: (settings) => mistral({ model: 'mistral-small-latest', ...over(settings) }),
});

describeAdapter('ollama over node-fetch', {
  wire: wireFormats.ollama,
  create: (settings) => ollama({ model: 'qwen3:8b', ...over(settings) }),
});

describeAdapter('groq over node-fetch', {
  wire: wireFormats.groq,
  create: (settings) => groq({ model: 'openai/gpt-oss-20b', ...over(settings) }),
});

describeAdapter('openrouter over node-fetch', {
  wire: wireFormats.openrouter,
  create: (settings) => openrouter({ model: 'some/model', ...over(settings) }),
});
