import { defineTool, messagesSent, RunTrace, runLoop, ToolOptions } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { echo, hi, user } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('wrong arguments', () => {
  const adapter = scripted([{ text: 'ok' }]);
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['no adapter', { messages: hi }, /adapter must be an adapter.*got undefined/],
    ['messages no list', { adapter, messages: 'hi' }, /messages must be a list; got "hi"/],
    ['no messages', { adapter, messages: [] }, /at least one message/],
    ['unknown role', { adapter, messages: [{ role: 'bot', content: 'x' }] }, /messages\[0\]\.role/],
    [
      'content no text',
      { adapter, messages: [{ role: 'user', content: 3 }] },
      /messages\[0\]\.content must be a text; got 3/,
    ],
    [
      'unknown part',
      { adapter, messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      /messages\[0\]\.content\[0\]/,
    ],
    [
      'call without result',
      {
        adapter,
        messages: [
          user('a'),
          { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'e', argumentsJson: '{}' }] },
          user('b'),
        ],
      },
      /call "x" of messages\[1\] has no result/,
    ],
    [
      'result without call',
      {
        adapter,
        messages: [user('a'), { role: 'tool', toolCallId: 'y', toolName: 'e', content: '', isError: false }],
      },
      /answers call "y"/,
    ],
    ['unknown argument', { adapter, messages: hi, maxTurns: 3 }, /unknown argument "maxTurns"/],
    ['two tools of one name', { adapter, messages: hi, tools: [echo, echo] }, /two tools are called "echo"/],
    [
      'plain options',
      { adapter, messages: hi, options: { temperature: 1 } },
      /options must be a ToolOptions/,
    ],
    [
      'a tool choice of no tool',
      { adapter, messages: hi, tools: [echo], options: new ToolOptions({ toolChoice: { tool: 'nope' } }) },
      /toolChoice must be one of the tools \(echo\)/,
    ],
    [
      'negative limit',
      { adapter, messages: hi, limits: { cost: -1 } },
      /limits\.cost must be a number > 0; got -1/,
    ],
  ];
  it.each(cases)('%s', async (_, run, message) => {
    await expect(runLoop(run as never)).rejects.toThrow(message);
    expect(adapter.requests).toHaveLength(0);
  });

  it.each([
    [{ temperature: 3 }, /temperature must be a number from 0 to 2; got 3/],
    [{ maxTokens: 0 }, /maxTokens must be a whole number ≥ 1; got 0/],
    [{ stop: [''] }, /stop must be a list of texts/],
    [{ toolChoice: 'maybe' }, /toolChoice must be/],
    [{ maxToken: 3 }, /unknown option "maxToken"/],
    [{ thinking: 'yes' }, /thinking must be true or false/],
  ])('ToolOptions %j', (values, message) => {
    expect(() => new ToolOptions(values as never)).toThrow(message);
  });

  it.each(['fs.read', 'weather today', 'größe', '', '9lives', 'a'.repeat(65)])(
    'C119 the tool name %j is refused with the allowed form',
    (name) => {
      expect(() => defineTool({ name, description: '', execute: () => '' })).toThrow(
        /Use 1 to 64 of a-z A-Z 0-9 _ -/,
      );
    },
  );

  it('messagesSent gives the list of each round', async () => {
    const trace = new RunTrace();
    const chat = scripted([{ calls: [{ name: 'echo' }] }, { text: 'ok' }]);
    await runLoop({ adapter: chat, messages: hi, tools: [echo] }, trace);
    expect(messagesSent(trace.steps, 1)).toEqual(chat.requests[0]!.messages);
    expect(messagesSent(trace.steps, 2)).toEqual(chat.requests[1]!.messages);
    expect(messagesSent(trace.steps, 3)).toEqual([]);
  });
});
