import type { Delta, Message, ModelRequest, ModelResponse, ToolSpec } from '@glassloop/core/adapter';
import {
  googleGenerateContent,
  type ScriptedTurn,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type GoogleSettings, google } from '../src/index.ts';

export const KEY = 'KEY-SENTINEL-7f3a';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close();
});

/** A server that answers by script, and an adapter that talks to it. */
export async function scripted(
  turns: readonly ScriptedTurn[],
  settings: Partial<GoogleSettings> = {},
  respond?: SimulatorOptions['respond'],
) {
  const simulator = await startSimulator({ wire: googleGenerateContent, turns, ...(respond && { respond }) });
  running.push(simulator);
  const adapter = google({
    model: 'gemini-2.5-flash',
    apiKey: KEY,
    baseURL: simulator.baseURL,
    ...settings,
  });
  return {
    simulator,
    adapter,
    body: (index = 0) => simulator.exchanges[index]?.request.body as Body,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into bodies
export type Body = any;

/** A turn given as the JSON body of a whole answer. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedTurn {
  return {
    reply: {
      status,
      headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
      chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
    },
  };
}

/** A turn given as the events of a stream. */
export function sse(...events: readonly unknown[]): ScriptedTurn {
  return {
    reply: {
      headers: { 'content-type': 'text/event-stream' },
      chunks: events.map(
        (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\r\n\r\n`,
      ),
    },
  };
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

export const user: Message = { role: 'user', content: 'hi' };

export function tool(
  name: string,
  parameters: Record<string, unknown> = { type: 'object', properties: {} },
): ToolSpec {
  return { name, description: `The tool ${name}.`, parameters };
}

export function asking(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [user], tools: [], options: {}, ...more };
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
      return { role: 'tool', toolCallId: call.id, toolName: call.name, content, isError };
    }),
  ];
}

export async function failure(promise: Promise<unknown>): Promise<Body> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
