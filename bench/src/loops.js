/** The same work done by hand over the official SDK, and by Glassloop. Each returns what a program would keep. */

import { defineTool, RunTrace, runLoop } from '@glassloop/core';
import { openai } from '@glassloop/openai';
import OpenAI from 'openai';

const parameters = { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] };
const question = 'Read all pages.';

/** A text of `bytes` that differs from page to page, as real results do. */
function pageText(page, bytes) {
  return `page ${page} ${'lorem ipsum '.repeat(Math.ceil(bytes / 12))}`.slice(0, bytes);
}

/** @typedef {{ rounds: number, resultBytes: number, baseURL?: string, fetch?: typeof fetch }} Work */

/** @param {Work} work */
export function rawLoop(work) {
  const client = new OpenAI({
    apiKey: 'bench',
    baseURL: work.baseURL,
    fetch: work.fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  const tools = [
    { type: 'function', function: { name: 'fetch_page', description: 'Reads a page.', parameters } },
  ];
  return async () => {
    const messages = [{ role: 'user', content: question }];
    for (let round = 1; ; round++) {
      const body = await client.chat.completions.create({ model: 'bench-model', messages, tools });
      const { message } = body.choices[0];
      messages.push(message);
      if (message.tool_calls === undefined) return { messages, content: message.content };
      for (const call of message.tool_calls) {
        const { page } = JSON.parse(call.function.arguments);
        messages.push({ role: 'tool', tool_call_id: call.id, content: pageText(page, work.resultBytes) });
      }
    }
  };
}

/**
 * @param {Work} work
 * @param {(() => RunTrace) | undefined} trace
 */
export function glassloop(work, trace) {
  const adapter = openai({ model: 'bench-model', apiKey: 'bench', baseURL: work.baseURL, fetch: work.fetch });
  const tools = [
    defineTool({
      name: 'fetch_page',
      description: 'Reads a page.',
      input: parameters,
      execute: ({ page }) => pageText(page, work.resultBytes),
    }),
  ];
  const run = {
    adapter,
    messages: [{ role: 'user', content: question }],
    tools,
    maxRounds: Math.min(1000, work.rounds + 1),
    limits: { repeats: Number.POSITIVE_INFINITY },
  };
  return () => runLoop(run, trace?.());
}

export const newTrace = () => new RunTrace();
export const newCapturingTrace = () => new RunTrace({ captureRaw: true });
