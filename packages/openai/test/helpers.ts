import type { ToolSpec } from '@glassloop/core/adapter';
import { openaiChat, type ScriptedTurn } from '@glassloop/simulator';
import { events, json, scriptedProvider } from '../../../scripts/testing/provider.ts';
import { type OpenAISettings, openai } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const scripted = scriptedProvider<OpenAISettings, ReturnType<typeof openai>>(
  { wire: openaiChat },
  (settings) => openai({ model: 'gpt-4o-mini', apiKey: 'key-of-a-test', ...settings }),
);

export const echo: ToolSpec = {
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object', properties: { t: { type: 'string' } } },
};

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
