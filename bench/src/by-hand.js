/** The same work as one writes it by hand: over bare fetch, and over the official SDKs. */

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { pageText, parameters, question, tool } from './work.js';

const openaiTools = [{ type: 'function', function: { ...tool, parameters } }];
const anthropicTools = [{ ...tool, input_schema: parameters }];

/** The bare loop speaks openai only. */
export function bareLoop(work) {
  const send = work.fetch ?? fetch;
  const ask = async (messages) => {
    const response = await send(`${work.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
      body: JSON.stringify({
        model: 'bench-model',
        messages,
        tools: openaiTools,
        ...(work.stream ? streamed : {}),
      }),
    });
    if (!work.stream) return (await response.json()).choices[0].message;
    return foldedOpenAI(serverSentEvents(response.body));
  };
  return () => chatLoop(work, ask);
}

export function sdkLoop(work) {
  return work.wire === 'anthropic' ? anthropicLoop(work) : openaiLoop(work);
}

function openaiLoop(work) {
  const client = new OpenAI({
    apiKey: 'bench',
    baseURL: work.baseURL,
    fetch: work.fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  const ask = async (messages) => {
    const body = { model: 'bench-model', messages, tools: openaiTools };
    if (work.stream) return foldedOpenAI(await client.chat.completions.create({ ...body, ...streamed }));
    return (await client.chat.completions.create(body)).choices[0].message;
  };
  return () => chatLoop(work, ask);
}

const streamed = { stream: true, stream_options: { include_usage: true } };

async function chatLoop(work, ask) {
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const message = await ask(messages);
    messages.push(message);
    if (message.tool_calls === undefined) return { messages, content: message.content };
    for (const call of message.tool_calls) {
      const { page } = JSON.parse(call.function.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: pageText(page, work.resultBytes) });
    }
  }
}

async function foldedOpenAI(events) {
  let content = '';
  const calls = [];
  for await (const { choices } of events) {
    const delta = choices[0]?.delta;
    if (delta === undefined) continue;
    if (delta.content) content += delta.content;
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } };
      calls[index].function.arguments += part.arguments ?? '';
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

async function* serverSentEvents(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop();
    for (const text of events) if (!text.endsWith('[DONE]')) yield JSON.parse(text.slice(6));
  }
}

function anthropicLoop(work) {
  const client = new Anthropic({
    apiKey: 'bench',
    baseURL: work.baseURL?.replace(/\/v1$/, ''),
    fetch: work.fetch,
    maxRetries: 0,
    logLevel: 'off',
  });
  const ask = async (messages) => {
    const body = { model: 'bench-model', max_tokens: 1000, messages, tools: anthropicTools };
    if (!work.stream) return (await client.messages.create(body)).content;
    return foldedAnthropic(await client.messages.create({ ...body, stream: true }));
  };
  return async () => {
    const messages = [{ role: 'user', content: question }];
    for (;;) {
      const content = await ask(messages);
      messages.push({ role: 'assistant', content });
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, input }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: pageText(input.page, work.resultBytes),
        }));
      if (results.length === 0) return { messages, content };
      messages.push({ role: 'user', content: results });
    }
  };
}

async function foldedAnthropic(events) {
  const blocks = [];
  for await (const event of events) {
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block, json: '' };
    else if (event.type === 'content_block_delta') {
      if (event.delta.type === 'text_delta') blocks[event.index].text += event.delta.text;
      else blocks[event.index].json += event.delta.partial_json;
    }
  }
  return blocks.map(({ json, ...block }) => (json === '' ? block : { ...block, input: JSON.parse(json) }));
}
