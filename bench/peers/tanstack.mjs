import { chat, maxIterations, toolDefinition } from '@tanstack/ai';
import { createOpenaiChatCompletions } from '@tanstack/ai-openai';
import { z } from 'zod';

export const packages = ['@tanstack/ai@0', '@tanstack/ai-openai@0', 'zod@4'];

/** It asks the provider for a stream in any case. */
export function loop({ work, question, description, pageText }) {
  const adapter = createOpenaiChatCompletions('gpt-4o', 'bench', { baseURL: work.baseURL, maxRetries: 0 });
  const fetchPage = toolDefinition({
    name: 'fetch_page',
    description,
    inputSchema: z.object({ page: z.number().int() }),
  }).server(async ({ page }) => pageText(page, work.resultBytes));
  const run = () => ({
    adapter,
    messages: [{ role: 'user', content: question }],
    tools: [fetchPage],
    agentLoopStrategy: maxIterations(work.rounds + 2),
  });
  return async () => {
    if (!work.stream) return chat({ ...run(), stream: false });
    let text = '';
    for await (const chunk of chat(run())) if (chunk.type === 'TEXT_MESSAGE_CONTENT') text += chunk.delta;
    return text;
  };
}
