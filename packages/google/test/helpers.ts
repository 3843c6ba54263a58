import type { Delta, Message, ModelRequest, ModelResponse } from '@glassloop/core/adapter';
import { googleGenerateContent } from '@glassloop/simulator';
import { expect } from 'vitest';
import {
  asking,
  type Body,
  failureOf,
  json,
  reply,
  result,
  scriptedProvider,
  user,
} from '../../../scripts/testing/provider.ts';
import { type GoogleSettings, google } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const KEY = 'KEY-SENTINEL-7f3a';

export const scripted = scriptedProvider<GoogleSettings, ReturnType<typeof google>>(
  { wire: googleGenerateContent },
  (settings) => google({ model: 'gemini-2.5-flash', apiKey: KEY, ...settings }),
);

/** A turn given as the events of a stream. */
export function sse(...events: readonly unknown[]) {
  return reply(
    events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\r\n\r\n`),
    'text/event-stream',
  );
}

/** A body with these parts in it. */
export function answer(parts: readonly object[], more: object = {}, candidate: object = {}) {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 3, totalTokenCount: 11 },
    modelVersion: 'gemini-2.5-flash',
    ...more,
  };
}

/** The same parts, one event each, the finish reason in the last. */
export function events(parts: readonly object[], more: object = {}, candidate: object = {}): object[] {
  return parts.map((part, index) =>
    index === parts.length - 1
      ? answer([part], more, candidate)
      : { candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] },
  );
}

/** The request as a stream; `deltas` fills up. */
export function watching(more: Partial<ModelRequest> = {}): { request: ModelRequest; deltas: Delta[] } {
  const deltas: Delta[] = [];
  return { deltas, request: asking({ ...more, onDelta: (delta) => deltas.push(delta) }) };
}

/** The conversation after an answer and the results of its calls. */
export function continued(
  response: ModelResponse,
  results: readonly { content: string; isError?: boolean }[],
  before: readonly Message[] = [user],
): Message[] {
  return [
    ...before,
    response.message,
    ...results.map(({ content, isError = false }, index): Message => {
      const call = response.message.toolCalls[index]!;
      return result(call.id, call.name, content, isError);
    }),
  ];
}

/** What `promise` rejects with, to be looked into. */
export const failure = (promise: Promise<unknown>): Promise<Body> => failureOf(promise);

const done = json(answer([{ text: 'done' }]));

/** The body of a request, the same whole, streamed and as a preview, and what was said about it. */
export async function sent(
  request: Partial<ModelRequest>,
  model = 'gemini-2.5-flash',
): Promise<{ body: Body; warnings: readonly string[] }> {
  const { adapter, body, simulator } = await scripted([done, sse(answer([{ text: 'done' }]))], { model });
  const { warnings = [] } = await adapter.chat(asking(request));
  await adapter.chat(watching(request).request);
  // The streamed request is the same one, and so is the preview.
  expect(simulator.exchanges[1]!.request.bodyText).toBe(simulator.exchanges[0]!.request.bodyText);
  expect(adapter.preview!(asking(request))).toEqual({ body: body(), warnings });
  if (request.options?.providerOptions === undefined)
    expect(JSON.stringify(adapter.preview!(asking(request)).body)).toBe(
      simulator.exchanges[0]!.request.bodyText,
    );
  return { body: body(), warnings };
}
