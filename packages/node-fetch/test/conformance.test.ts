/** The whole suite over this fetch, for every adapter. */

import { describeAdapter } from '@glassloop/conformance';
import { afterAll } from 'vitest';
import { anthropic, fetch, google, groq, mistral, ollama, openai, openrouter } from './subjects.ts';

afterAll(() => fetch.close());

for (const [name, subject] of Object.entries({
  openai,
  anthropic,
  google,
  mistral,
  ollama,
  groq,
  openrouter,
}))
  describeAdapter(`${name} over node-fetch`, subject);
