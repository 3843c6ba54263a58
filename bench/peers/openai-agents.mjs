import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

export const packages = ['@openai/agents@0', 'openai', 'zod@4'];

export function loop({ work, question, description, pageText }) {
  setTracingDisabled(true);
  const client = new OpenAI({ apiKey: 'bench', baseURL: work.baseURL, maxRetries: 0 });
  const agent = new Agent({
    name: 'bench',
    model: new OpenAIChatCompletionsModel(client, 'bench-model'),
    tools: [
      tool({
        name: 'fetch_page',
        description,
        parameters: z.object({ page: z.number().int() }),
        execute: async ({ page }) => pageText(page, work.resultBytes),
      }),
    ],
  });
  return async () => {
    const result = await run(agent, question, { maxTurns: work.rounds + 2, stream: work.stream === true });
    if (work.stream) for await (const _ of result);
    return result.finalOutput;
  };
}
