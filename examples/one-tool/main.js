// @ts-check
import { defineTool, runLoop } from '@glassloop/core';
import { openai } from '@glassloop/openai';
import { z } from 'zod';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-5-mini' } = process.env;
if (!OPENAI_API_KEY) {
  console.error('Set OPENAI_API_KEY, and OPENAI_BASE_URL for another host than api.openai.com.');
  process.exit(1);
}

const weather = defineTool({
  name: 'get_weather',
  description: 'Returns the current weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 18, sky: 'clear' }),
});

const result = await runLoop({
  adapter: openai({
    model: OPENAI_MODEL,
    apiKey: OPENAI_API_KEY,
    ...(OPENAI_BASE_URL && { baseURL: OPENAI_BASE_URL }),
  }),
  messages: [{ role: 'user', content: 'What is the weather in Lisbon?' }],
  tools: [weather],
});

console.log(result.content);
console.log(
  `${result.stopReason} after ${result.rounds} rounds, ${result.usage.totalTokens ?? 'unknown'} tokens`,
);
