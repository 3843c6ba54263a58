import { defineTool, runLoop, ToolOptions } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { tools } from '../../../scripts/testing/runs.ts';
import { answering, call, completion, json, mode, modes, scripted, user } from './helpers.ts';

describe.each(modes)('whole runs (%s)', (_, onDelta) => {
  const streaming = mode(onDelta);

  it('C001 broken JSON in one of two parallel calls', async () => {
    const { adapter, body } = await scripted([
      answering(
        onDelta,
        {
          content: null,
          tool_calls: [call('a1', 'add', '{"x": 1, "y": '), call('a2', 'echo', '{"t":"hi"}')],
        },
        'tool_calls',
      ),
      { say: 'done' },
    ]);
    const box = tools();
    const result = await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
    expect(box.ran).toEqual([['echo', { t: 'hi' }]]);
    const [, assistant, first, second] = body(1).messages;
    expect(assistant).toMatchObject({ content: null, tool_calls: [{ id: 'a1' }, { id: 'a2' }] });
    expect(first).toEqual({
      role: 'tool',
      tool_call_id: 'a1',
      content: expect.stringContaining('not valid JSON'),
    });
    expect(second).toEqual({ role: 'tool', tool_call_id: 'a2', content: 'ran' });
    expect(result).toMatchObject({ content: 'done', stopReason: 'completed' });
  });

  it.each([
    ['C002', '""', ''],
    ['C002', 'blanks', '   '],
    ['C002', 'missing', undefined],
    ['C003', 'the text null', 'null'],
  ])('%s arguments that are %s run the tool with {}, and go back as {}', async (_id, _name, args) => {
    const { adapter, body } = await scripted([
      answering(onDelta, { content: null, tool_calls: [call('n1', 'now', args)] }, 'tool_calls'),
      { say: 'done' },
    ]);
    const box = tools();
    await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
    expect(box.ran).toEqual([['now', {}]]);
    expect(body(1).messages[1]).toMatchObject({
      tool_calls: [{ function: { name: 'now', arguments: '{}' } }],
    });
  });

  it('C095 calls of a stream that was cut are not run', async () => {
    const cut = { callTools: [{ name: 'echo', arguments: {} }], rawFinish: null };
    // A whole answer without a finish reason is whole all the same.
    const isCut = onDelta !== undefined;
    const { adapter } = await scripted(isCut ? [cut] : [cut, { say: 'done' }]);
    const box = tools();
    const { stopReason } = await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
    expect(stopReason).toBe(isCut ? 'incomplete' : 'completed');
    expect(box.ran).toEqual(isCut ? [] : [['echo', {}]]);
  });

  it('C017 the system text is in every request, the closing one too', async () => {
    const { adapter, body } = await scripted([{ callTools: [{ name: 'echo' }] }, { say: 'oui' }]);
    await runLoop({
      adapter,
      messages: [user],
      systemPrompt: 'Answer in French.',
      tools: tools().tools,
      maxRounds: 1,
      ...streaming,
    });
    for (const at of [0, 1]) {
      expect(body(at).messages[0]).toEqual({ role: 'system', content: 'Answer in French.' });
    }
    expect(body(1)).not.toHaveProperty('tools');
  });

  it('C112 usage is summed over rounds, and starts from zero with every run', async () => {
    const round = { callTools: [{ name: 'echo' }], usage: { prompt: 10, completion: 2 } };
    const last = { say: 'done', usage: { prompt: 20, completion: 3 } };
    const { adapter } = await scripted([round, last, round, last]);
    for (let run = 0; run < 2; run++) {
      const { usage } = await runLoop({ adapter, messages: [user], tools: tools().tools, ...streaming });
      expect(usage).toMatchObject({ promptTokens: 30, completionTokens: 5, totalTokens: 35 });
    }
  });

  it('C109 rounds without usage leave the totals finite', async () => {
    const { adapter } = await scripted([
      { callTools: [{ name: 'echo' }], usage: { prompt: 10, completion: 2 } },
      { say: 'done', usage: null },
    ]);
    const { usage, uncountedRounds } = await runLoop({
      adapter,
      messages: [user],
      tools: tools().tools,
      ...streaming,
    });
    expect(usage).toMatchObject({ promptTokens: 10, completionTokens: 2, totalTokens: 12 });
    expect(uncountedRounds).toBe(1);
  });
});

it('C020 a dry run asks nobody', async () => {
  const { adapter, simulator } = await scripted([]);
  const { stopReason } = await runLoop({ adapter, messages: [user], augmentation: { dryRun: true } });
  expect(stopReason).toBe('dry_run');
  expect(simulator.exchanges).toHaveLength(0);
});

it('C119 a tool name that a provider would refuse is refused when it is defined', () => {
  for (const name of ['fs.read', 'weather today', 'größe']) {
    expect(() => defineTool({ name, description: '', execute: () => '' })).toThrow(TypeError);
  }
});

it('C108 core retries, and nobody below it', async () => {
  const { adapter, simulator } = await scripted([
    { fail: { status: 503 } },
    json(completion({ content: 'ok' })),
  ]);
  const { content } = await runLoop({ adapter, messages: [user], retry: { maxRetries: 1, baseDelayMs: 1 } });
  expect(content).toBe('ok');
  expect(simulator.exchanges).toHaveLength(2);
});

it('C035 what was left out is named in the result of the run', async () => {
  const { adapter } = await scripted([{ say: 'ok' }], { model: 'o4-mini' });
  const options = new ToolOptions({ temperature: 0.2 });
  const { warnings } = await runLoop({ adapter, messages: [user], options });
  expect(warnings).toEqual(['openai: temperature is not sent, because o4-mini does not take it.']);
});
