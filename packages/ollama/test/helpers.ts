import type { AdapterError, Delta, Message, ModelRequest, ToolSpec } from '@glassloop/core/adapter';
import { ollamaChat, type ScriptedTurn, type Simulator, startSimulator } from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type OllamaSettings, ollama } from '../src/index.ts';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close();
});

/** A server that answers by script, and an adapter that talks to it. */
export async function scripted(turns: readonly ScriptedTurn[], settings: Partial<OllamaSettings> = {}) {
  const simulator = await startSimulator({ wire: ollamaChat, turns });
  running.push(simulator);
  const adapter = ollama({ model: 'qwen3:8b', baseURL: simulator.baseURL, ...settings });
  return { simulator, adapter, body: (index = 0) => simulator.exchanges[index]?.request.body as Body };
}

export interface Body {
  readonly messages: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}

/** A turn given as the JSON body of a whole answer, or as the lines of a stream. */
export function json(body: unknown, headers: Record<string, string> = {}): ScriptedTurn {
  return {
    reply: { headers: { 'content-type': 'application/json', ...headers }, chunks: [JSON.stringify(body)] },
  };
}

export function lines(...events: readonly unknown[]): ScriptedTurn {
  return {
    reply: {
      headers: { 'content-type': 'application/x-ndjson' },
      chunks: events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`),
    },
  };
}

/** The body of a whole answer with this message in it. */
export function answer(message: object, more: object = {}) {
  return {
    model: 'qwen3:8b',
    created_at: '2026-05-04T22:48:31.1Z',
    message: { role: 'assistant', content: '', ...message },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 8,
    eval_count: 3,
    ...more,
  };
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

/** The same request once whole and once streamed, for `it.each`. */
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
