import { defineTool, type Message, RunTrace, runLoop, type Tool, ToolOptions } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { answer, type Body, json, modes, scripted, user } from './helpers.ts';
import { anyAnthropic } from './wire.ts';

const echo = defineTool({ name: 'echo', description: 'Echoes.', execute: (input) => JSON.stringify(input) });
const returning = (value: unknown): Tool =>
  defineTool({ name: 'echo', description: 'Echoes.', execute: () => value });

/** The tool results in a request body, in order. */
function resultsIn(body: Body): Body[] {
  return body.messages.flatMap(({ content }: Body) =>
    typeof content === 'string' ? [] : content.filter(({ type }: Body) => type === 'tool_result'),
  );
}

describe.each(modes)('in the loop, %s', (_, onDelta) => {
  const watched = onDelta === undefined ? {} : { onDelta };

  it('C001 C051 broken arguments are answered with an error, and replayed as an object', async () => {
    const calls = [
      { type: 'tool_use', id: 'a1', name: 'echo', input: '{"x": 1, "y": ' },
      { type: 'tool_use', id: 'a2', name: 'echo', input: { t: 'hi' } },
    ];
    const { adapter, body } = await scripted(
      [json(answer(calls, { stop_reason: 'tool_use' })), json(answer([{ type: 'text', text: 'done' }]))],
      {},
      { wire: anyAnthropic },
    );
    const result = await runLoop({ adapter, messages: [user], tools: [echo], ...watched });
    expect(result.content).toBe('done');
    expect(body(1).messages[1].content.map(({ input }: Body) => input)).toEqual([{}, { t: 'hi' }]);
    expect(resultsIn(body(1))).toEqual([
      { type: 'tool_result', tool_use_id: 'a1', content: expect.stringContaining('JSON'), is_error: true },
      { type: 'tool_result', tool_use_id: 'a2', content: '{"t":"hi"}' },
    ]);
  });

  it('C002 a call without arguments runs with an empty object and goes back as one', async () => {
    const { adapter, body } = await scripted([{ callTools: [{ name: 'echo' }] }, { say: 'done' }]);
    await runLoop({ adapter, messages: [user], tools: [echo], ...watched });
    expect(body(1).messages[1].content[0].input).toEqual({});
    expect(resultsIn(body(1))[0].content).toBe('{}');
  });

  it('C005 calls of a cut answer are not run', async () => {
    const { adapter } = await scripted([{ callTools: [{ name: 'echo' }], finish: 'length' }]);
    let ran = 0;
    const tool = defineTool({ name: 'echo', description: 'Counts.', execute: () => ++ran });
    const result = await runLoop({ adapter, messages: [user], tools: [tool], ...watched });
    expect([ran, result.stopReason]).toEqual([0, 'length']);
  });

  it('C010 an abort between rounds makes no further call', async () => {
    const { adapter, simulator } = await scripted([{ callTools: [{ name: 'echo' }] }]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const tool = defineTool({
      name: 'echo',
      description: 'Aborts.',
      execute: () => controller.abort(reason),
    });
    const run = runLoop({ adapter, messages: [user], tools: [tool], signal: controller.signal, ...watched });
    await expect(run).rejects.toMatchObject({ code: 'aborted', cause: reason });
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('C011 a forced tool choice holds for the first round, and the closing one has none', async () => {
    const call = { callTools: [{ name: 'echo' }] };
    const { adapter, body } = await scripted([call, call, { say: 'Two tables.' }]);
    const options = new ToolOptions({ toolChoice: 'required' });
    const result = await runLoop({
      adapter,
      messages: [user],
      tools: [echo],
      options,
      maxRounds: 2,
      ...watched,
    });
    expect(result.content).toBe('Two tables.');
    expect(body(0).tool_choice).toEqual({ type: 'any' });
    expect(body(1).tool_choice?.type ?? 'auto').toBe('auto');
    expect(body(2)).not.toHaveProperty('tool_choice');
    expect(body(2)).not.toHaveProperty('tools');
  });

  it('C016 C017 the prompt is in every request, once, and history only grows', async () => {
    const call = { callTools: [{ name: 'echo' }] };
    const { adapter, body } = await scripted([call, call, { say: 'ok' }]);
    const messages: Message[] = [{ role: 'system', content: 'S2' }, user];
    await runLoop({ adapter, messages, systemPrompt: 'S1', tools: [echo], ...watched });
    for (const round of [0, 1, 2]) {
      expect(JSON.stringify(body(round).system).match(/S1|S2/g)).toEqual(['S1', 'S2']);
      if (round > 0)
        expect(body(round).messages.slice(0, body(round - 1).messages.length)).toEqual(
          body(round - 1).messages,
        );
    }
  });

  it('C046 thinking travels with its tool calls', async () => {
    const first = { think: 'Hm.', opaque: 'token', say: 'Looking.', callTools: [{ name: 'echo' }] };
    const { adapter, simulator } = await scripted([first, { say: 'done' }]);
    const options = new ToolOptions({ thinking: true });
    const result = await runLoop({ adapter, messages: [user], tools: [echo], options, ...watched });
    expect(result.content).toBe('done');
    expect(simulator.exchanges[1]?.seen?.messages[1]).toMatchObject({ thinking: 'Hm.', opaque: ['token'] });
  });

  it('a first round that was forced to call stays without thinking to the end of its turn', async () => {
    const { adapter, body } = await scripted([{ callTools: [{ name: 'echo' }] }, { say: 'done' }]);
    const options = new ToolOptions({ thinking: true, toolChoice: 'required' });
    const result = await runLoop({ adapter, messages: [user], tools: [echo], options, ...watched });
    expect([body(0), body(1)].map((sent) => 'thinking' in sent)).toEqual([false, false]);
    expect(result.warnings).toHaveLength(2);
  });

  it('C049 a paused turn is incomplete', async () => {
    const { adapter } = await scripted([{ say: 'x', rawFinish: 'pause_turn' }]);
    expect((await runLoop({ adapter, messages: [user], ...watched })).stopReason).toBe('incomplete');
  });

  it('C112 usage is the sum over all rounds, the closing one included', async () => {
    const usage = (prompt: number, completion: number) => ({ usage: { prompt, completion } });
    const call = { callTools: [{ name: 'echo' }] };
    const turns = [
      { ...call, ...usage(10, 2) },
      { ...call, ...usage(20, 3) },
      { say: 'x', ...usage(30, 4) },
    ];
    const { adapter } = await scripted([...turns, ...turns]);
    for (let run = 0; run < 2; run++) {
      const result = await runLoop({ adapter, messages: [user], tools: [echo], maxRounds: 2, ...watched });
      expect(result.usage).toMatchObject({ promptTokens: 60, completionTokens: 9, totalTokens: 69 });
    }
  });

  it.each([
    ['C121 a lone surrogate', 'ok \uD83D end', 'ok \uFFFD end'],
    ['C123 control characters', 'x\u0000y\u001b[31m', 'x\u0000y\u001b[31m'],
    ['C124 bytes', new Uint8Array([0x61, 0xff, 0x62]), 'a\uFFFDb'],
  ])('%s in a result is sent well-formed', async (_name, value, sent) => {
    const { adapter, body, simulator } = await scripted([{ callTools: [{ name: 'echo' }] }, { say: 'done' }]);
    await runLoop({ adapter, messages: [user], tools: [returning(value)], ...watched });
    expect(resultsIn(body(1))[0].content).toBe(sent);
    expect(simulator.exchanges[1]?.request.bodyText).not.toMatch(/\\ud83d/i);
  });

  it('C122 a result cut to its limit is well-formed', async () => {
    const { adapter, body } = await scripted([{ callTools: [{ name: 'echo' }] }, { say: 'done' }]);
    await runLoop({
      adapter,
      messages: [user],
      tools: [returning(`${'a'.repeat(49_999)}${'🟡'.repeat(300_000)}`)],
      ...watched,
    });
    expect(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.test(resultsIn(body(1))[0].content)).toBe(false);
  });

  it('C020 a dry run sends nothing and shows the first round', async () => {
    const { adapter, simulator } = await scripted([]);
    const run = {
      adapter,
      messages: [user],
      systemPrompt: 'S',
      tools: [echo],
      augmentation: { dryRun: true },
      ...watched,
    };
    const result = await runLoop(run);
    expect(result.stopReason).toBe('dry_run');
    expect(simulator.exchanges).toHaveLength(0);
  });

  it('C117 a trace with raw capture holds no key, and shows what was sent', async () => {
    const { adapter, simulator } = await scripted([{ say: 'ok' }]);
    const trace = new RunTrace({ captureRaw: true });
    await runLoop({ adapter, messages: [user], ...watched }, trace);
    const text = JSON.stringify(trace.steps);
    expect(text).not.toContain('KEY-SENTINEL');
    expect(text).toContain('_wire');
    expect(text).toContain(JSON.stringify(simulator.exchanges[0]?.request.bodyText).slice(1, 40));
  });
});

it('C125 sixty rounds go through, each with the whole history', async () => {
  const call = { callTools: [{ name: 'echo' }] };
  const { adapter, body } = await scripted([...Array.from({ length: 60 }, () => call), { say: 'x' }]);
  const limits = { repeats: Number.POSITIVE_INFINITY };
  await runLoop({ adapter, messages: [user], tools: [echo], maxRounds: 60, limits });
  expect(body(60).messages).toHaveLength(121);
});
