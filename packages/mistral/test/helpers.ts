import type {
  AdapterError,
  Delta,
  Message,
  ModelRequest,
  ToolMessage,
  ToolSpec,
} from '@glassloop/core/adapter';
import { mistralChat, type ScriptedTurn, type Simulator, startSimulator } from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type MistralSettings, mistral } from '../src/index.ts';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close();
});

/** A server that answers by script, and an adapter that talks to it. */
export async function scripted(turns: readonly ScriptedTurn[], settings: Partial<MistralSettings> = {}) {
  const simulator = await startSimulator({ wire: mistralChat, turns });
  running.push(simulator);
  const adapter = mistral({
    model: 'mistral-small-latest',
    apiKey: 'test-key',
    baseURL: simulator.baseURL,
    ...settings,
  });
  return { simulator, adapter, body: (index = 0) => simulator.exchanges[index]?.request.body as Body };
}

export interface Body {
  readonly messages: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}

/** A turn given as the JSON body of a whole answer, or as the events of a stream. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedTurn {
  return {
    reply: {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      chunks: [typeof body === 'string' ? body : JSON.stringify(body)],
    },
  };
}

export function events(...list: readonly unknown[]): ScriptedTurn {
  return {
    reply: {
      headers: { 'content-type': 'text/event-stream' },
      chunks: list.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`),
    },
  };
}

/** The body of a whole answer with this message in it. */
export function answer(message: object, more: object = {}, choice: object = {}) {
  return {
    id: '4634bd6bf5594730a68519a194e7f13b',
    created: 1765716110,
    model: 'mistral-small-latest',
    usage: { prompt_tokens: 8, total_tokens: 11, completion_tokens: 3 },
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', tool_calls: null, content: '', ...message },
        ...choice,
      },
    ],
    ...more,
  };
}

/** One event of a stream; `facts` go on its top level. */
export function piece(delta: object, finish: string | null = null, facts: object = {}) {
  return {
    id: '7bfa9194c90e44c5a0efa6c6efa474cd',
    object: 'chat.completion.chunk',
    model: 'mistral-small-latest',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...facts,
  };
}

export const ok = json(answer({ content: 'ok' }));

export const user: Message = { role: 'user', content: 'hi' };

export function called(
  calls: readonly (readonly [id: string, name: string, argumentsJson: string])[],
  content = '',
): Message {
  const toolCalls = calls.map(([id, name, argumentsJson]) => ({ id, name, argumentsJson }));
  return { role: 'assistant', content, toolCalls };
}

export function result(toolCallId: string, toolName: string, content: string, isError = false): ToolMessage {
  return { role: 'tool', toolCallId, toolName, content, isError };
}

export function tool(name: string): ToolSpec {
  return { name, description: `The tool ${name}.`, parameters: { type: 'object', properties: {} } };
}

export function asking(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [user], tools: [], options: {}, ...more };
}

/** The same test for a whole and a streamed answer, for `it.each`. */
export const modes = [
  ['whole', undefined],
  ['streamed', () => {}],
] as const satisfies readonly (readonly [string, ((delta: Delta) => void) | undefined])[];

/** What `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<AdapterError> {
  try {
    await promise;
  } catch (error) {
    return error as AdapterError;
  }
  throw new Error('expected a rejection');
}
