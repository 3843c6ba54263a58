import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ScriptedConnection, ScriptedTurn } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../src/index.ts';
import { asking, type Body, failureOf, scripted } from './helpers.ts';
import { anyAnthropic } from './wire.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/anthropic/', import.meta.url));

const recordings: Body[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => JSON.parse(readFileSync(folder + file, 'utf8')))
  : [];

describe.skipIf(recordings.length === 0)('recorded exchanges', () => {
  for (const recording of recordings) {
    it(recording.id, () => agrees(recording));
  }

  const streams = recordings.filter(({ response }) => response.framing === 'sse' && response.status === 200);
  for (const recording of streams.slice(0, 6)) {
    it(`${recording.id}, byte by byte`, () => agrees(recording, { splitBytes: 1 }));
  }
});

async function agrees(recording: Body, connection: ScriptedConnection = {}) {
  const { expected, response } = recording;
  const isStream = recording.request.body?.stream === true;
  const { adapter } = await scripted([{ ...turnOf(response), ...connection }], {}, anyAnthropic);
  const texts: Record<string, string> = { text: '', thinking: '' };
  const options = { _capture_raw: true } as const;
  const call = adapter.chat(
    asking({
      options,
      ...(isStream && { onDelta: (delta: Body) => (texts[delta.kind] += delta.text ?? '') }),
    }),
  );
  const sent = response.framing === 'sse' ? dataIn(response.bodyText) : JSON.parse(response.bodyText);
  if (expected.error !== null) {
    const error: Body = await failureOf(call);
    expect(error.name).toBe('AdapterError');
    expect(error.message).toContain(expected.error.message);
    expect(error.status).toBe(response.status);
    expect(error.metadata._raw).toEqual(sent);
    return;
  }
  const answer = await call;
  expect(answer.message.content).toBe(expected.content ?? '');
  expect(answer.thinking ?? '').toBe(expected.thinking ?? '');
  expect(answer.rawFinishReason ?? null).toBe(expected.finishReason);
  expect(answer.model ?? null).toBe(expected.model);
  expect(
    answer.message.toolCalls.map(({ argumentsJson, ...call }) => ({
      ...call,
      arguments: JSON.parse(argumentsJson),
    })),
  ).toEqual(
    expected.toolCalls.map(({ id, name, arguments: input }: Body) => ({ id, name, arguments: input })),
  );
  const { prompt, completion, cached, cacheCreation, reasoning } = expected.usage;
  expect(answer.usage).toEqual({
    promptTokens: prompt + (cached ?? 0) + (cacheCreation ?? 0),
    completionTokens: completion,
    totalTokens: prompt + (cached ?? 0) + (cacheCreation ?? 0) + completion,
    ...(cached !== null && { cacheReadTokens: cached }),
    ...(cacheCreation !== null && { cacheWriteTokens: cacheCreation }),
    ...(reasoning !== null && { reasoningTokens: reasoning }),
  });
  expect(answer.metadata?.['_raw']).toEqual(sent);
  if (isStream)
    expect(texts).toMatchObject({ text: answer.message.content, thinking: answer.thinking ?? '' });
  expectReplayed(recording, answer);
}

/** Where the conversation goes on, the blocks the recording client sent back are those we would send. */
function expectReplayed({ conversation }: Body, answer: Body) {
  if (conversation === null) return;
  const next = recordings.find(
    (other) =>
      other.conversation?.id === conversation.id && other.conversation.index === conversation.index + 1,
  );
  if (next === undefined) return;
  const theirs = next.request.body.messages.findLast(({ role }: Body) => role === 'assistant').content;
  const results = answer.message.toolCalls.map(({ id, name }: Body) => ({
    role: 'tool',
    toolCallId: id,
    toolName: name,
    content: 'r',
    isError: false,
  }));
  const { body } = previewOf([
    { role: 'user', content: 'u' },
    answer.message,
    ...results,
    { role: 'user', content: 'v' },
  ]);
  const ours = body.messages.find(({ role }: Body) => role === 'assistant')?.content;
  if (ours === undefined) expect(answer.message.content.trim()).toBe('');
  else expect(bare(ours)).toEqual(bare(theirs));
}

/** Without the marks that clients add or drop at will. */
function bare(content: Body): Body {
  if (typeof content === 'string') return content;
  const blocks = content
    .filter((block: Body) => block.type !== 'text' || block.text.trim() !== '')
    .map(({ cache_control: _, caller: __, citations: ___, ...block }: Body) => block);
  return blocks.length === 1 && blocks[0].type === 'text' ? blocks[0].text : blocks;
}

function turnOf({ status, contentType, bodyText, framing }: Body): ScriptedTurn {
  const usual = framing === 'sse' ? 'text/event-stream' : 'application/json';
  return { reply: { status, headers: { 'content-type': contentType ?? usual }, chunks: [bodyText] } };
}

function dataIn(text: string): unknown[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)));
}

function previewOf(messages: Body): Body {
  return anthropic({ model: 'claude-sonnet-4-5', apiKey: 'k' }).preview?.(asking({ messages }));
}
