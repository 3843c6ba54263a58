/** What the tests of the loop share. */

import { defineTool, type Message, RunError } from '@glassloop/core';
import { expect } from 'vitest';

export const user = (content: string): Message => ({ role: 'user', content });
export const hi = [user('hi')];

export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: { type: 'object', properties: { t: { type: 'string' } } },
  execute: (input: { t?: string }) => input.t ?? 'nothing',
});

export function toolResults(messages: readonly Message[]) {
  return messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
}

export async function rejected(promise: Promise<unknown>): Promise<RunError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RunError);
  return error as RunError;
}
