import type { AssistantMessage } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { type Part, readParts, stateOf, stateParts } from './parts.ts';

const call = { functionCall: { name: 'a', args: { n: 1 }, id: 'g-1' }, thoughtSignature: 'Uw==' };

function message(parts: readonly Part[], more: Partial<AssistantMessage> = {}): AssistantMessage {
  const { content, calls } = readParts(parts);
  return {
    role: 'assistant',
    content,
    toolCalls: calls.map(({ id = 'invented', name, argumentsJson }) => ({ id, name, argumentsJson })),
    providerState: { google: { parts } },
    ...more,
  };
}

describe('stateOf', () => {
  it('is not there for plain text, thought or not', () => {
    const parts = [{ text: 'a' }, { text: 'plan', thought: true }, { text: 'b' }];
    expect(stateOf(parts, readParts(parts))).toBeUndefined();
  });

  it('keeps everything else as it is, and a thought only for its signature', () => {
    const signed = { text: 'x', thought: true, thoughtSignature: 'VA==' };
    const parts = [{ text: 'plan', thought: true }, signed, { text: 'a' }, call];
    expect(stateOf(parts, readParts(parts))).toEqual({ parts: [signed, { text: 'a' }, call] });
  });
});

describe('stateParts', () => {
  it('fits the message it came with', () => {
    expect(stateParts(message([{ text: 'a' }, call]))).toEqual([{ text: 'a' }, call]);
  });

  it('fits ids that were replaced because they came before', () => {
    const toolCalls = [{ id: 'g-1_2', name: 'a', argumentsJson: '{"n":1}' }];
    expect(stateParts(message([call], { toolCalls }))).toEqual([call]);
  });

  it('does not fit a message that was edited', () => {
    for (const edit of [
      { content: 'b' },
      { toolCalls: [] },
      { toolCalls: [{ id: 'other', name: 'a', argumentsJson: '{"n":1}' }] },
      { toolCalls: [{ id: 'g-1', name: 'b', argumentsJson: '{"n":1}' }] },
      { toolCalls: [{ id: 'g-1', name: 'a', argumentsJson: '{"n":2}' }] },
    ]) {
      expect(stateParts(message([call], edit))).toBeUndefined();
    }
  });

  it('is not fooled by a state that is none', () => {
    for (const google of [null, 'x', [], {}, { parts: null }, { parts: [null] }, { parts: ['x'] }]) {
      expect(stateParts(message([call], { providerState: { google } }))).toBeUndefined();
    }
  });
});
