/** Whole runs, the same for every adapter: the loop, the adapter, the SDK and a provider that answers by script. */

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { defineTool, runLoop, ToolOptions } from '../../packages/core/src/index.ts';
import type { SeenMessage } from '../../packages/simulator/src/index.ts';
import { failureOf, mode, modes, type Scripted, user } from './provider.ts';

type Result = Extract<SeenMessage, { role: 'tool' }>;

/** Tools `add` (needs x), `echo` and `now`, and the list of what ran. */
export function tools(result: unknown = 'ran') {
  const ran: [string, unknown][] = [];
  const make = (name: string, required: string[] = []) =>
    defineTool({
      name,
      description: name,
      input: { type: 'object', properties: {}, required },
      execute: (input) => {
        ran.push([name, input]);
        return result;
      },
    });
  return { ran, tools: [make('add', ['x']), make('echo'), make('now')] };
}

const echo = { callTools: [{ name: 'echo', arguments: { t: 'hi' } }] };

/** The loop over an adapter, from the arguments of a call to the last request. */
export function describeRuns(scripted: Scripted): void {
  describe.each(modes)('whole runs (%s)', (_, onDelta) => {
    const streaming = mode(onDelta);

    it('C001 broken arguments in one of two calls', async () => {
      const { adapter, simulator } = await scripted([
        { callTools: [{ name: 'add', arguments: '{"x": 1, "y": ' }, ...echo.callTools] },
        { say: 'done' },
      ]);
      const box = tools();
      const result = await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
      expect(box.ran).toEqual([['echo', { t: 'hi' }]]);
      const sent = simulator.exchanges[1]?.seen?.messages ?? [];
      const [first, second] = sent.filter((message): message is Result => message.role === 'tool');
      expect(first?.text).toContain('not valid JSON');
      expect(second).toMatchObject({ name: 'echo', text: 'ran' });
      expect(result).toMatchObject({ content: 'done', stopReason: 'completed' });
    });

    it.each(['', '  ', 'null', undefined])(
      'C002, C003 arguments that are %j run the tool with {}',
      async (text) => {
        const { adapter } = await scripted([
          { callTools: [{ name: 'now', ...(text === undefined ? {} : { arguments: text }) }] },
          { say: 'done' },
        ]);
        const box = tools();
        await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
        expect(box.ran).toEqual([['now', {}]]);
      },
    );

    it('C005 a call that the token limit cut is not run', async () => {
      const { adapter } = await scripted([
        { callTools: [{ name: 'add', arguments: { x: 1 } }], finish: 'length' },
      ]);
      const box = tools();
      const result = await runLoop({ adapter, messages: [user], tools: box.tools, ...streaming });
      expect(box.ran).toEqual([]);
      expect(result.stopReason).not.toBe('completed');
    });

    it('C010 an abort between two rounds asks no more', async () => {
      const { adapter, simulator } = await scripted([echo]);
      const controller = new AbortController();
      const reason = new Error('enough');
      const tool = defineTool({
        name: 'echo',
        description: 'echo',
        execute: () => {
          controller.abort(reason);
          return 'ok';
        },
      });
      const run = runLoop({
        adapter,
        messages: [user],
        tools: [tool],
        signal: controller.signal,
        ...streaming,
      });
      expect((await failureOf(run)).cause).toBe(reason);
      expect(simulator.exchanges).toHaveLength(1);
    });

    it('C011 a forced tool is forced once', async () => {
      const { adapter, simulator } = await scripted([echo, { say: 'Two tables.' }]);
      const options = new ToolOptions({ toolChoice: 'required' });
      const result = await runLoop({
        adapter,
        messages: [user],
        tools: tools().tools,
        options,
        ...streaming,
      });
      expect(result.content).toBe('Two tables.');
      expect(simulator.exchanges).toHaveLength(2);
      expect(simulator.exchanges[1]?.seen?.toolChoice ?? 'auto').toBe('auto');
    });

    it('C016, C017 the prompt is in every request, once', async () => {
      const { adapter, simulator } = await scripted([echo, echo, { say: 'ok' }]);
      await runLoop({
        adapter,
        messages: [user],
        systemPrompt: 'Answer in French.',
        tools: tools().tools,
        maxRounds: 2,
        ...streaming,
      });
      for (const { seen } of simulator.exchanges) expect(seen?.system).toEqual(['Answer in French.']);
      expect(simulator.exchanges[2]?.seen?.tools).toEqual([]);
    });

    it('C109, C112 usage is summed over rounds, those without one left out', async () => {
      const { adapter } = await scripted([
        { ...echo, usage: { prompt: 10, completion: 2 } },
        { ...echo, usage: null },
        { say: 'done', usage: { prompt: 20, completion: 3 } },
      ]);
      const { usage, uncountedRounds } = await runLoop({
        adapter,
        messages: [user],
        tools: tools().tools,
        ...streaming,
      });
      expect(usage).toEqual({ promptTokens: 30, completionTokens: 5, totalTokens: 35 });
      expect(uncountedRounds).toBe(1);
    });

    it.each([
      ['C121 half of a surrogate pair', 'ok \ud83d end', 'ok \ufffd end'],
      ['C123 control characters', 'x\u0000y\u001b[31m', 'x\u0000y\u001b[31m'],
      ['C124 bytes', new Uint8Array([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ])('%s in a result', async (_name, result, text) => {
      const { adapter, simulator } = await scripted([echo, { say: 'done' }]);
      await runLoop({ adapter, messages: [user], tools: tools(result).tools, ...streaming });
      const sent = simulator.exchanges[1]?.seen?.messages.find(({ role }) => role === 'tool');
      expect(sent?.text).toBe(text);
      expect(simulator.exchanges[1]?.request.bodyText).not.toContain('\\ud83d');
    });

    it('C122 a long result is not cut inside a character', async () => {
      const { adapter, simulator } = await scripted([echo, { say: 'done' }]);
      await runLoop({
        adapter,
        messages: [user],
        tools: tools(`a${'🟡'.repeat(20_000)}`).tools,
        ...streaming,
      });
      const sent = simulator.exchanges[1]?.seen?.messages.find(({ role }) => role === 'tool');
      expect(sent?.text).not.toContain('\ufffd');
      expect(sent?.text.length).toBeLessThan(50_000);
    });

    it('C125 no abort listener stays behind after a run', async () => {
      const { signal } = new AbortController();
      const { adapter } = await scripted([echo, { say: 'a' }, echo, { say: 'b' }]);
      for (let run = 0; run < 2; run++) {
        await runLoop({ adapter, messages: [user], tools: tools().tools, signal, ...streaming });
      }
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    });
  });

  it('C020 a dry run asks nobody', async () => {
    const { adapter, simulator } = await scripted([]);
    const result = await runLoop({
      adapter,
      messages: [user],
      systemPrompt: 'S',
      tools: tools().tools,
      augmentation: { dryRun: true },
    });
    expect(simulator.exchanges).toHaveLength(0);
    expect(result).toMatchObject({ stopReason: 'dry_run', usage: {} });
  });

  it('C108 an adapter never retries by itself', async () => {
    const { adapter, simulator } = await scripted([{ fail: { status: 503 } }, { fail: { status: 503 } }]);
    const run = (maxRetries: number) =>
      failureOf(runLoop({ adapter, messages: [user], retry: { maxRetries, baseDelayMs: 1 } }));
    await run(0);
    expect(simulator.exchanges).toHaveLength(1);
    simulator.script({ fail: { status: 503 } });
    await run(1);
    expect(simulator.exchanges).toHaveLength(3);
  });
}
