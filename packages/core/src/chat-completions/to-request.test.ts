import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../message.ts';
import type { Dialect } from './dialect.ts';
import { toRequest } from './to-request.ts';

const plain: Dialect = { name: 'acme', maxTokensField: () => 'max_tokens' };
const user: Message = { role: 'user', content: 'hi' };
const tool = { name: 'f', description: '', parameters: { type: 'object', properties: {} } };

describe('toRequest', () => {
  it('sends nothing that was not asked for', () => {
    const { body, warnings } = toRequest(plain, 'm', { messages: [user], tools: [], options: {} });
    expect(body).toEqual({ model: 'm', messages: [user] });
    expect(warnings).toEqual([]);
  });

  it('asks for the usage of a stream unless the dialect says that it comes anyway', () => {
    const request = { messages: [user], tools: [], options: {}, onDelta: () => {} };
    expect(toRequest(plain, 'm', request).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(toRequest({ ...plain, streamOptions: false }, 'm', request).body).toEqual({
      model: 'm',
      messages: [user],
      stream: true,
    });
  });

  it('takes the words of the dialect', () => {
    const dialect: Dialect = {
      ...plain,
      requiredWord: 'any',
      refuses: (option) => option === 'topP',
      thinking: (on) => ({ fields: { think: on }, warning: 'thinking is slow.' }),
      callId: (id) => id.toUpperCase(),
    };
    const messages: Message[] = [
      user,
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'f', argumentsJson: '{}' }] },
      { role: 'tool', toolCallId: 'a', toolName: 'f', content: '', isError: false },
    ];
    const options = { toolChoice: 'required', topP: 1, thinking: true, maxTokens: 9 } as const;
    const { body, warnings } = toRequest(dialect, 'm', { messages, tools: [tool], options });
    expect(body).toMatchObject({
      tool_choice: 'any',
      think: true,
      max_tokens: 9,
      messages: [user, { tool_calls: [{ id: 'A' }] }, { tool_call_id: 'A' }],
    });
    expect(body).not.toHaveProperty('top_p');
    expect(warnings).toEqual([
      'acme: topP is not sent, because m does not take it.',
      'acme: thinking is slow.',
    ]);
  });

  it('a dialect without thinking says so', () => {
    const { warnings } = toRequest(plain, 'm', { messages: [user], tools: [], options: { thinking: false } });
    expect(warnings).toEqual(['acme: thinking is not sent, because this API has no field for it.']);
  });

  it('null options count as unset', () => {
    const options = { temperature: null, topP: null, stop: null, toolChoice: null, thinking: null } as never;
    expect(Object.keys(toRequest(plain, 'm', { messages: [user], tools: [tool], options }).body)).toEqual([
      'model',
      'messages',
      'tools',
    ]);
  });

  it('replays only the fields that the dialect names', () => {
    const message: AssistantMessage = {
      role: 'assistant',
      content: 'x',
      toolCalls: [],
      providerState: { acme: { fields: { reasoning_content: 'r', role: 'system' }, callIds: [] } },
    };
    const request = { messages: [message], tools: [], options: {} };
    expect(toRequest({ ...plain, replayedFields: ['reasoning_content'] }, 'm', request).body).toMatchObject({
      messages: [{ role: 'assistant', content: 'x', reasoning_content: 'r' }],
    });
    expect(toRequest(plain, 'm', request).body['messages']).toEqual([{ role: 'assistant', content: 'x' }]);
  });

  it.each([null, 'text', {}, { fields: {} }, { fields: null, callIds: [] }])(
    'ignores broken state: %j',
    (acme) => {
      const message = { role: 'assistant', content: 'x', toolCalls: [], providerState: { acme } } as const;
      const dialect = { ...plain, replayedFields: ['reasoning_content'] };
      const { body } = toRequest(dialect, 'm', { messages: [message], tools: [], options: {} });
      expect(body['messages']).toEqual([{ role: 'assistant', content: 'x' }]);
    },
  );
});
