import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ScriptedConnection, ScriptedTurn } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { asking, type Body, scripted, watching } from './helpers.ts';

const folder = fileURLToPath(new URL('../../../../shared/recordings/google/', import.meta.url));

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
  const { expected, request } = recording;
  const isStream = request.path.includes(':stream');
  const { adapter } = await scripted([{ ...turnOf(recording), ...connection }]);
  const asked = isStream ? watching().request : asking();
  const call = adapter.chat({ ...asked, options: { _capture_raw: true } });
  if (expected.error !== null) {
    const error: Body = await call.then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error.name).toBe('AdapterError');
    expect(error.message).toContain(expected.error.message);
    expect(error.status).toBe(expected.error.code);
    expect(error.metadata._raw).toEqual(JSON.parse(recording.response.bodyText));
    return;
  }
  const answer = await call;
  expect(answer.message.content).toBe(expected.content ?? '');
  expect(answer.thinking ?? null).toBe(expected.thinking);
  expect(answer.rawFinishReason ?? null).toBe(expected.finishReason);
  expect(answer.model ?? null).toBe(expected.model);
  expect(
    answer.message.toolCalls.map(({ name, argumentsJson }) => ({
      name,
      arguments: JSON.parse(argumentsJson),
    })),
  ).toEqual(expected.toolCalls.map(({ name, arguments: args }: Body) => ({ name, arguments: args })));
  answer.message.toolCalls.forEach(({ id }, index) => {
    if (expected.toolCalls[index].id !== null) expect(id).toBe(expected.toolCalls[index].id);
  });
  const { prompt, completion, total, cached, reasoning } = expected.usage;
  const { usage } = answer;
  if (completion !== null) expect(usage.completionTokens).toBe(completion + (reasoning ?? 0));
  if (total !== null) {
    expect(usage.totalTokens).toBe(total);
    expect((usage.promptTokens ?? 0) + (usage.completionTokens ?? 0)).toBe(total);
  }
  if (prompt === null) expect(usage.promptTokens).toBeUndefined();
  else expect(usage.promptTokens).toBeGreaterThanOrEqual(prompt);
  expect(usage.cacheReadTokens ?? null).toBe(cached);
  expect(usage.reasoningTokens ?? null).toBe(reasoning);
  expect(answer.metadata?.['_raw']).toEqual(
    isStream ? eventsOf(recording) : JSON.parse(recording.response.bodyText),
  );
}

/** The recorded bytes. Streams that were recorded as one JSON array become events, which the SDK always asks for. */
function turnOf(recording: Body): ScriptedTurn {
  const { status, contentType, bodyText, framing } = recording.response;
  const chunk =
    framing === 'json-array'
      ? eventsOf(recording)
          .map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
          .join('')
      : bodyText;
  const headers: Record<string, string> =
    framing === 'json-array'
      ? { 'content-type': 'text/event-stream' }
      : contentType === null
        ? {}
        : { 'content-type': contentType };
  return { reply: { status, headers, chunks: [chunk] } };
}

function eventsOf({ response }: Body): unknown[] {
  return response.framing === 'json-array'
    ? JSON.parse(response.bodyText)
    : response.bodyText
        .split(/\r\n\r\n|\n\n/)
        .filter((block: string) => block.startsWith('data:'))
        .map((block: string) => JSON.parse(block.slice(5)));
}
