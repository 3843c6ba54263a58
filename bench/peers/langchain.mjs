import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

export const packages = ['langchain@1', '@langchain/core@1', '@langchain/openai@1', 'zod@4'];

export function loop({ work, question, description, pageText }) {
  const model = new ChatOpenAI({
    model: 'bench-model',
    apiKey: 'bench',
    maxRetries: 0,
    configuration: { baseURL: work.baseURL },
  });
  const fetchPage = tool(async ({ page }) => pageText(page, work.resultBytes), {
    name: 'fetch_page',
    description,
    schema: z.object({ page: z.number().int() }),
  });
  const agent = createAgent({ model, tools: [fetchPage] });
  const config = { recursionLimit: 2 * work.rounds + 10 };
  const messages = () => ({ messages: [{ role: 'user', content: question }] });
  return async () => {
    if (!work.stream) return (await agent.invoke(messages(), config)).messages.at(-1).content;
    let text = '';
    for await (const [chunk] of await agent.stream(messages(), { ...config, streamMode: 'messages' }))
      if (chunk.getType() === 'ai') text += chunk.content;
    return text;
  };
}
