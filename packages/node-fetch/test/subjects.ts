/** Every adapter over this fetch. */

import { anthropic as anthropicAdapter } from '@glassloop/anthropic';
import type { AdapterUnderTest, SubjectSettings } from '@glassloop/conformance';
import { google as googleAdapter } from '@glassloop/google';
import { groq as groqAdapter } from '@glassloop/groq';
import { mistral as mistralAdapter } from '@glassloop/mistral';
import { ollama as ollamaAdapter } from '@glassloop/ollama';
import { openai as openaiAdapter } from '@glassloop/openai';
import { openrouter as openrouterAdapter } from '@glassloop/openrouter';
import { wireFormats } from '@glassloop/simulator';
import { nodeFetch } from '../src/index.ts';

export const fetch = nodeFetch();

const over = (settings: SubjectSettings) => ({ ...settings, fetch: settings.fetch ?? fetch });

export const openai = {
  module: `${import.meta.url}#openai`,
  wire: wireFormats.openai,
  create: (settings) => openaiAdapter({ model: 'gpt-4o-mini', ...over(settings) }),
} satisfies AdapterUnderTest;

export const anthropic = {
  module: `${import.meta.url}#anthropic`,
  wire: wireFormats.anthropic,
  create: (settings) => anthropicAdapter({ model: 'claude-sonnet-4-5', ...over(settings) }),
} satisfies AdapterUnderTest;

// Of the deviations that google has over Node's fetch, three are gone: this fetch hands headers on and keeps the key.
export const google = {
  module: `${import.meta.url}#google`,
  wire: wireFormats.google,
  create: (settings) => googleAdapter({ model: 'gemini-2.5-flash', ...over(settings) }),
  deviations: {
    'errors.inside-200.streamed':
      'The SDK drops a body that is no event; the failure is bad_response without its text.',
    'streaming.framing': 'The SDK reads only the framing that Google itself writes.',
  },
} satisfies AdapterUnderTest;

export const mistral = {
  module: `${import.meta.url}#mistral`,
  wire: wireFormats.mistral,
  create: (settings) => mistralAdapter({ model: 'mistral-small-latest', ...over(settings) }),
} satisfies AdapterUnderTest;

export const ollama = {
  module: `${import.meta.url}#ollama`,
  wire: wireFormats.ollama,
  create: (settings) => ollamaAdapter({ model: 'qwen3:8b', ...over(settings) }),
} satisfies AdapterUnderTest;

export const groq = {
  module: `${import.meta.url}#groq`,
  wire: wireFormats.groq,
  create: (settings) => groqAdapter({ model: 'openai/gpt-oss-20b', ...over(settings) }),
} satisfies AdapterUnderTest;

export const openrouter = {
  module: `${import.meta.url}#openrouter`,
  wire: wireFormats.openrouter,
  create: (settings) => openrouterAdapter({ model: 'some/model', ...over(settings) }),
} satisfies AdapterUnderTest;
