import type { Message, ModelRequest } from '@glassloop/core/adapter';
import { openrouterChat, type ScriptedTurn, type Simulator, startSimulator } from '@glassloop/simulator';
import { afterEach } from 'vitest';
import { type OpenRouterSettings, openrouter } from '../src/index.ts';

const running: Simulator[] = [];

afterEach(async () => {
  for (const simulator of running.splice(0)) await simulator.close({ force: true });
});

/** An adapter whose provider gives these answers, one per call. */
export async function scripted(turns: readonly ScriptedTurn[], settings: Partial<OpenRouterSettings> = {}) {
  const simulator = await startSimulator({ wire: openrouterChat, turns });
  running.push(simulator);
  const adapter = openrouter({
    model: 'some/model',
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

/** A stream of these events. */
export function events(bodies: readonly unknown[], end = 'data: [DONE]\n\n'): ScriptedTurn {
  const chunks = bodies.map((body) => `data: ${JSON.stringify(body)}\n\n`);
  return { reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [...chunks, end] } };
}
