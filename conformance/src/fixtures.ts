import type { Message, ToolSpec } from '@glassloop/core/adapter';

/** Requests that cases share. */

const WEATHER: ToolSpec = {
  name: 'weather',
  description: 'Weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
  },
};

export const NOW: ToolSpec = {
  name: 'now',
  description: 'The time',
  parameters: { type: 'object', properties: {} },
};

export const TOOLS: readonly ToolSpec[] = [WEATHER, NOW];

export function user(content: string): Message {
  return { role: 'user', content };
}

export function system(content: string): Message {
  return { role: 'system', content };
}

export function assistant(
  content: string,
  ...calls: readonly (readonly [id: string, name: string, argumentsJson: string])[]
): Message & { role: 'assistant' } {
  return {
    role: 'assistant',
    content,
    toolCalls: calls.map(([id, name, argumentsJson]) => ({ id, name, argumentsJson })),
  };
}

export function result(toolCallId: string, toolName: string, content: string, isError = false): Message {
  return { role: 'tool', toolCallId, toolName, content, isError };
}

/** Nine letters or digits: ids that every provider accepts. */
export const ID_1 = 'call00001';
export const ID_2 = 'call00002';

/** One round done: two calls in parallel, both answered. */
export const CONVERSATION: readonly Message[] = [
  system('Be brief.'),
  user('Weather in Oslo and Rome?'),
  assistant('', [ID_1, 'weather', '{"city":"Oslo"}'], [ID_2, 'weather', '{"city":"Rome"}']),
  result(ID_1, 'weather', 'snow'),
  result(ID_2, 'weather', 'sun'),
];
