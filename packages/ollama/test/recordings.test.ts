import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseArguments } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { asking, failureOf, scripted } from './helpers.ts';

const folder = new URL('../../../../shared/recordings/ollama/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];

describe.skipIf(files.length === 0)('recorded exchanges', () => {
  let splits = 0;
  for (const file of files) {
    const recorded = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    if (recorded.request.path !== '/api/chat') continue;
    const { bodyText, status, contentType, framing, body } = recorded.response;
    const headers = { 'content-type': contentType ?? 'application/json' };
    const streamed = framing === 'ndjson' || recorded.request.body?.stream === true;
    const sizes = framing === 'ndjson' && splits++ < 3 ? [undefined, 1, 7] : [undefined];
    for (const splitBytes of sizes) {
      it(`${file}${splitBytes === undefined ? '' : ` in pieces of ${splitBytes}`}`, async () => {
        const { adapter } = await scripted([
          {
            reply: { status, headers, chunks: [bodyText] },
            ...(splitBytes === undefined ? {} : { splitBytes }),
          },
        ]);
        const { expected } = recorded;
        const request = asking({
          options: { _capture_raw: true },
          ...(streamed ? { onDelta: () => {} } : {}),
        });
        if (expected.error !== null) {
          const error = await failureOf(adapter.chat(request));
          expect(error).toMatchObject({ name: 'AdapterError', status });
          expect(error.message).toContain(expected.error.message);
          expect(error.metadata?.['_raw']).toEqual(body);
          return;
        }
        const response = await adapter.chat(request);
        expect(response.message.content).toBe(expected.content ?? '');
        expect(response.thinking ?? null).toBe(expected.thinking);
        expect(response.rawFinishReason ?? null).toBe(expected.finishReason);
        expect(response.usage.promptTokens ?? null).toBe(expected.usage.prompt);
        expect(response.usage.completionTokens ?? null).toBe(expected.usage.completion);
        expect(response.model).toBe(expected.model);
        expect(
          response.message.toolCalls.map(({ name, argumentsJson }) => ({
            name,
            arguments: parseArguments(argumentsJson),
          })),
        ).toEqual(
          expected.toolCalls.map(({ name, arguments: value }: { name: string; arguments: unknown }) => ({
            name,
            arguments: value,
          })),
        );
        for (const [index, { id }] of expected.toolCalls.entries()) {
          if (id !== null) expect(response.message.toolCalls[index]?.id).toBe(id);
        }
        const raw =
          body ??
          bodyText
            .split('\n')
            .filter((line: string) => line.trim() !== '')
            .map((line: string) => JSON.parse(line));
        expect(response.metadata?.['_raw']).toEqual(raw);
      });
    }
  }
});
