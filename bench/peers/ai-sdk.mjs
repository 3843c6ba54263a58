import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

export const packages = ['ai@6', '@ai-sdk/openai@3'];

export function loop({ work, question, parameters, description, pageText }) {
  const model = createOpenAI({ apiKey: 'bench', baseURL: work.baseURL }).chat('bench-model');
  const run = {
    model,
    prompt: question,
    maxRetries: 0,
    stopWhen: stepCountIs(work.rounds + 1),
    tools: {
      fetch_page: tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: async ({ page }) => pageText(page, work.resultBytes),
      }),
    },
  };
  return async () => {
    if (!work.stream) return (await generateText(run)).text;
    const result = streamText(run);
    for await (const _ of result.textStream);
    return result.text;
  };
}
