import { defineTool, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { asking, events, json, modes, scripted, user } from './helpers.ts';

function failed(onDelta: unknown, failed_generation: string, message = 'Failed to call a function.') {
  const error = { message, type: 'invalid_request_error', code: 'tool_use_failed', failed_generation };
  if (onDelta === undefined) return json({ error }, 400);
  const delta = (piece: object) => ({
    model: 'm',
    choices: [{ index: 0, delta: piece, finish_reason: null }],
  });
  return events(
    [delta({ role: 'assistant', content: '' }), delta({ reasoning: 'plan' }), delta({ content: 'Well. ' })],
    `event: error\ndata: ${JSON.stringify({ error: { ...error, status_code: 400 } })}\n\n`,
  );
}

describe.each(modes)('C083 tool_use_failed (%s)', (_, onDelta) => {
  const ask = asking(onDelta ? { onDelta } : {});

  it.each([
    ['<function=echo{"t":"hi"}</function>', 'echo'],
    ['<function>echo>{"t":"hi"}', 'echo'],
    ['echo({"t": "hi"})', 'echo'],
    ['<tool_call>\n{"name": "echo", "arguments": {"t": ', 'echo'],
    ['maybe', 'unknown_tool'],
  ])('%s is a call of %s with the text as it was written', async (text, name) => {
    const { adapter } = await scripted([failed(onDelta, text)]);
    const response = await adapter.chat(ask);
    expect(response.message.toolCalls).toEqual([{ id: expect.any(String), name, argumentsJson: text }]);
    expect(response).toMatchObject({
      finishReason: 'tool_calls',
      rawFinishReason: 'tool_use_failed',
      usage: {},
    });
    if (onDelta) expect([response.message.content, response.thinking]).toEqual(['Well. ', 'plan']);
    else expect(response.message.content).toBe(name === 'unknown_tool' ? text : '');
  });

  it('a call that is JSON but was refused follows the reason, so that it is not run', async () => {
    const text = '{"name": "echo", "arguments": {"x": 1}}';
    const message = "Tool call validation failed: tool call validation failed: missing properties: 't'";
    const { adapter } = await scripted([failed(onDelta, text, message)]);
    const [call] = (await adapter.chat(ask)).message.toolCalls;
    expect(call).toMatchObject({ name: 'echo', argumentsJson: `Refused: missing properties: 't'\n${text}` });
  });

  it('the loop tells the model, which may repair it; nothing runs meanwhile', async () => {
    const { adapter, body } = await scripted([
      {
        callTools: [{ id: 'c0', name: 'echo', arguments: { t: 'first' } }],
        usage: { prompt: 10, completion: 2 },
      },
      failed(onDelta, '<function=echo{"t":"hi"}</function>'),
      {
        callTools: [{ id: 'c2', name: 'echo', arguments: { t: 'repaired' } }],
        usage: { prompt: 20, completion: 2 },
      },
      { say: 'done', usage: { prompt: 30, completion: 1 } },
    ]);
    const ran: unknown[] = [];
    const echo = defineTool({ name: 'echo', description: '', execute: (input) => void ran.push(input) });
    const result = await runLoop({ adapter, messages: [user], tools: [echo], ...(onDelta && { onDelta }) });
    expect(ran).toEqual([{ t: 'first' }, { t: 'repaired' }]);
    expect(result).toMatchObject({ content: 'done', stopReason: 'completed', usage: { totalTokens: 65 } });
    const [assistant, tool] = body(2).messages.slice(-2);
    expect(assistant).toMatchObject({ tool_calls: [{ function: { name: 'echo', arguments: '{}' } }] });
    expect(tool?.['content']).toContain('<function=echo');
  });

  it('again and again ends at the cap', async () => {
    const again = failed(onDelta, '<function=echo{');
    const { adapter, simulator } = await scripted([again, again, again]);
    const echo = defineTool({ name: 'echo', description: '', execute: () => '' });
    const { stopReason } = await runLoop({
      adapter,
      messages: [user],
      tools: [echo],
      maxRounds: 2,
      ...(onDelta && { onDelta }),
    });
    expect(stopReason).toBe('round_limit');
    expect(simulator.exchanges).toHaveLength(3);
  });

  it('without the failed text it is an error like any other', async () => {
    const error = { message: 'Failed to call a function.', code: 'tool_use_failed' };
    const { adapter } = await scripted([json({ error }, 400)]);
    await expect(adapter.chat(ask)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });
});
