import type { Message, ModelRequest, ToolSpec } from '@glassloop/core/adapter';
import { openaiChat, type ScriptedTurn, type Simulator, startSimulator } from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type OpenAISettings, openai } from '../src/index.ts';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close({ force: true });
});

/** An adapter whose provider gives these answers, one per call. */
export async function scripted(turns: readonly ScriptedTurn[], settings: Partial<OpenAISettings> = {}) {
  const simulator = await startSimulator({ wire: openaiChat, turns });
  running.push(simulator);
  const adapter = openai({
    model: 'gpt-4o-mini',
    apiKey: 'key-of-a-test',
    baseURL: simulator.baseURL,
    ...settings,
  });
  return { simulator, adapter, sent: (at: number) => simulator.exchanges[at]?.request.body as SentBody };
}

export interface SentBody {
  readonly messages: readonly { readonly [field: string]: unknown }[];
  readonly [field: string]: unknown;
}

export const user: Message = { role: 'user', content: 'hi' };

export const echo: ToolSpec = {
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object', properties: { t: { type: 'string' } } },
};

export function asking(request: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [user], tools: [], options: {}, ...request };
}

/** Whole and streamed. */
export const modes = [
  ['whole', undefined],
  ['streamed', () => {}],
] as const;

/** A reply with this JSON body, byte for byte. */
export function json(body: unknown, status = 200): ScriptedTurn {
  return {
    reply: { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] },
  };
}

/** A stream of these events; without the end mark it ends as if the connection had been lost. */
export function events(bodies: readonly unknown[], end = 'data: [DONE]\n\n'): ScriptedTurn {
  const chunks = bodies.map((body) => `data: ${typeof body === 'string' ? body : JSON.stringify(body)}\n\n`);
  return { reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [...chunks, end] } };
}

/** A body with this message. */
export function completion(message: object, rest: object = {}, finish: string | null = 'stop') {
  return {
    id: 'x',
    object: 'chat.completion',
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    ...rest,
  };
}

/** A stream event with this delta. */
export function chunk(delta: object, finish: string | null = null, rest: object = {}) {
  return { model: 'gpt-4o-mini', choices: [{ index: 0, delta, finish_reason: finish }], ...rest };
}

/** The same answer in the form that the mode asks for: one event with everything, then the finish. */
export function answering(
  onDelta: (() => void) | undefined,
  message: object,
  finish: string | null = 'stop',
  rest: object = {},
): ScriptedTurn {
  return onDelta === undefined
    ? json(completion(message, rest, finish))
    : events([chunk(message), chunk({}, finish, rest)]);
}

export function call(id: string | undefined, name: string, args?: unknown) {
  return { id, type: 'function', function: { name, arguments: args } };
}
