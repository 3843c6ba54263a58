import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Message, RunTrace, runLoop, ToolOptions } from '@glassloop/core';
import { describe, expect, it, vi } from 'vitest';
import { echo, hi, toolResults, user } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('rounds', () => {
  it('C004 the round cap gives one closing round without tools, and says so', async () => {
    const list = vi.fn(() => 'nothing');
    const adapter = scripted([{ calls: [{ name: 'list' }] }], { text: 'Found nothing new.' });
    const trace = new RunTrace();
    const result = await runLoop(
      {
        adapter,
        messages: hi,
        maxRounds: 3,
        tools: [defineTool({ name: 'list', description: '', execute: list })],
      },
      trace,
    );
    expect(adapter.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
    expect(result).toMatchObject({ content: 'Found nothing new.', stopReason: 'round_limit', rounds: 4 });
    expect(result.stopDetail).toMatch(/All 3 rounds were used/);
    expect(list).toHaveBeenCalledTimes(3);
    const ids = result.messages.flatMap((m) =>
      m.role === 'assistant' ? m.toolCalls.map(({ id }) => id) : [],
    );
    expect(toolResults(result.messages).map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(trace.steps.findLast((step) => step.kind === 'request')).toMatchObject({
      round: 4,
      toolsOffered: [],
    });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['other', 'incomplete'],
  ] as const)('C005 calls in an answer that ended with %s are not run', async (finishReason, stopReason) => {
    const write = vi.fn();
    const adapter = scripted([{ finishReason, calls: [{ name: 'write', args: { path: 'a.md' } }] }]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'write', description: '', execute: write })],
    });
    expect(write).not.toHaveBeenCalled();
    expect(result.stopReason).toBe(stopReason);
    expect(result.stopDetail).toBeTruthy();
    // The conversation can be continued: the call has its result.
    expect(toolResults(result.messages)).toMatchObject([{ isError: true }]);
    await expect(
      runLoop({ adapter: scripted([{ text: 'on' }]), messages: result.messages }),
    ).resolves.toMatchObject({ content: 'on' });
  });

  it('C006 an unknown tool is an error result that names it, and the run goes on', async () => {
    const adapter = scripted([
      {
        calls: [
          { id: 'u1', name: 'serach' },
          { id: 'u2', name: 'search', args: { q: 'x' } },
        ],
      },
      { text: 'ok' },
    ]);
    const search = vi.fn(() => 'found');
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'search', description: '', execute: search })],
    });
    expect(search).toHaveBeenCalledOnce();
    expect(toolResults(adapter.requests[1]!.messages)).toMatchObject([
      { toolCallId: 'u1', isError: true, content: expect.stringContaining('serach') },
      { toolCallId: 'u2', isError: false, content: 'found' },
    ]);
    expect(result.rounds).toBe(2);
  });

  it('C118 a registered tool that is not offered is not run', async () => {
    const remove = vi.fn();
    const adapter = scripted([
      { calls: [{ name: 'delete' }] },
      { calls: [{ name: 'delete' }] },
      { text: 'ok' },
    ]);
    const tools = [
      defineTool({ name: 'read', description: '', execute: () => 'r' }),
      defineTool({ name: 'delete', description: '', execute: remove }),
    ];
    await runLoop({ adapter, messages: hi, tools, allowedTools: ['read'] });
    expect(remove).not.toHaveBeenCalled();
    expect(adapter.requests[0]!.tools.map(({ name }) => name)).toEqual(['read']);
    for (const { content, isError } of toolResults(adapter.requests[2]!.messages)) {
      expect(isError).toBe(true);
      expect(content).toMatch(/not available/);
    }
  });

  it('allowedTools: null offers all, an empty list none, unknown names are reported', async () => {
    const all = scripted([{ text: 'ok' }]);
    await runLoop({ adapter: all, messages: hi, tools: [echo], allowedTools: null });
    expect(all.requests[0]!.tools).toHaveLength(1);
    const none = scripted([{ text: 'ok' }]);
    const options = new ToolOptions({ temperature: 0.5, toolChoice: 'auto', parallelToolCalls: false });
    const result = await runLoop({ adapter: none, messages: hi, tools: [echo], allowedTools: [], options });
    expect(none.requests).toHaveLength(1);
    expect(none.requests[0]!).toMatchObject({ tools: [], options: { temperature: 0.5 } });
    expect(none.requests[0]!.options).not.toHaveProperty('toolChoice');
    expect(none.requests[0]!.options).not.toHaveProperty('parallelToolCalls');
    expect(result.stopReason).toBe('completed');
    const unknown = await runLoop({
      adapter: scripted([{ text: 'ok' }]),
      messages: hi,
      tools: [echo],
      allowedTools: ['ech0'],
    });
    expect(unknown.warnings.join()).toMatch(/ech0/);
  });

  it('C008 results keep the order of the calls, whatever finishes first', async () => {
    const adapter = scripted([
      {
        calls: [
          { id: 's', name: 'slow' },
          { id: 'f', name: 'fast' },
        ],
      },
      { text: 'ok' },
    ]);
    const slow = defineTool({ name: 'slow', description: '', execute: () => sleep(30).then(() => 'slow') });
    const fast = defineTool({ name: 'fast', description: '', execute: () => 'fast' });
    const trace = new RunTrace();
    await runLoop({ adapter, messages: hi, tools: [slow, fast] }, trace);
    expect(toolResults(adapter.requests[1]!.messages).map(({ toolCallId }) => toolCallId)).toEqual([
      's',
      'f',
    ]);
    expect(trace.steps.flatMap((step) => (step.kind === 'tool' ? [step.call.id] : []))).toEqual(['f', 's']);
  });

  it('C127 tools of one round run side by side, failures included; toolConcurrency 1 runs them in order', async () => {
    let running = 0;
    let most = 0;
    const finished: string[] = [];
    const tools = ['a', 'b', 'c'].map((name) =>
      defineTool({
        name,
        description: '',
        execute: async () => {
          most = Math.max(most, ++running);
          await sleep(name === 'b' ? 1 : 20);
          running--;
          finished.push(name);
          if (name === 'b') throw new Error('no');
          return name;
        },
      }),
    );
    const calls = tools.map(({ name }) => ({ name }));
    const adapter = scripted([{ calls }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools });
    expect(most).toBe(3);
    expect(running).toBe(0);
    expect(toolResults(adapter.requests[1]!.messages).map(({ isError }) => isError)).toEqual([
      false,
      true,
      false,
    ]);
    most = 0;
    finished.length = 0;
    await runLoop({
      adapter: scripted([{ calls }, { text: 'ok' }]),
      messages: hi,
      tools,
      toolConcurrency: 1,
    });
    expect(most).toBe(1);
    expect(finished).toEqual(['a', 'b', 'c']);
  });

  it.each(['required', { tool: 'echo' }] as const)(
    'C011 a forced tool choice (%j) holds for the first round only',
    async (toolChoice) => {
      const adapter = scripted([{ calls: [{ name: 'echo' }] }, { text: 'Two tables.' }]);
      const options = new ToolOptions({ toolChoice });
      const result = await runLoop({ adapter, messages: hi, tools: [echo], options });
      expect(adapter.requests.map((request) => request.options.toolChoice)).toEqual([toolChoice, 'auto']);
      expect(result).toMatchObject({ content: 'Two tables.', rounds: 2 });
      const capped = scripted([{ calls: [{ name: 'echo' }] }], { text: 'end' });
      await runLoop({ adapter: capped, messages: hi, tools: [echo], options, maxRounds: 1 });
      expect(capped.requests[1]!.options).not.toHaveProperty('toolChoice');
    },
  );

  it('C012 nothing the caller gave is changed, and a second run sends the same', async () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const messages = freeze<Message[]>([{ role: 'system', content: 'S' }, user('hi')]);
    const before = structuredClone(messages);
    const adapter = scripted([
      { calls: [{ name: 'echo', args: { t: 'x' } }] },
      { text: 'ok' },
      { text: 'ok' },
    ]);
    const run = { adapter, messages, tools: freeze([echo]), options: new ToolOptions({ temperature: 0 }) };
    await runLoop(run);
    await runLoop(run);
    expect(messages).toEqual(before);
    const [first, , third] = adapter.requests;
    expect(JSON.stringify(third)).toBe(JSON.stringify(first));
  });

  it('C013 an empty last answer stays empty', async () => {
    const adapter = scripted([
      { text: 'Let me look.', calls: [{ name: 'echo' }] },
      { text: '', thinking: 'hm' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result).toMatchObject({
      content: '',
      thinking: 'hm',
      stopReason: 'completed',
      finishReason: 'stop',
    });
    expect(result.stopDetail).toMatch(/no text/);
  });

  it('C015 every call of a large turn has one result; a limit leaves the rest unrun and says so', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => ({
      id: `k${index}`,
      name: 'echo',
      args: { t: String(index) },
    }));
    const adapter = scripted([{ calls }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools: [echo], maxRounds: 2 });
    expect(toolResults(adapter.requests[1]!.messages).map(({ content }) => content)).toEqual(
      calls.map(({ args }) => args.t),
    );
    const limited = scripted([{ calls }], { text: 'closing' });
    const result = await runLoop({ adapter: limited, messages: hi, tools: [echo], limits: { toolCalls: 5 } });
    expect(toolResults(limited.requests[1]!.messages).filter(({ isError }) => isError)).toHaveLength(35);
    expect(result).toMatchObject({ stopReason: 'limit', content: 'closing' });
  });

  it.each([1_000_000, Number.POSITIVE_INFINITY, Number.NaN, 0, -3, 2.7, '5' as never, 1001])(
    'C120 maxRounds %s is refused before anything is sent',
    async (maxRounds) => {
      const adapter = scripted([{ text: 'ok' }]);
      await expect(runLoop({ adapter, messages: hi, maxRounds })).rejects.toThrow(
        /maxRounds must be a whole number from 1 to 1000/,
      );
      expect(adapter.requests).toHaveLength(0);
    },
  );

  it('the same calls with the same results again and again end the run', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }], { text: 'given up' });
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [echo],
      maxRounds: 50,
      limits: { repeats: 3 },
    });
    expect(result).toMatchObject({ stopReason: 'repeat', content: 'given up', rounds: 4 });
    let count = 0;
    const poll = defineTool({ name: 'poll', description: '', execute: () => `try ${++count}` });
    const changing = scripted([{ calls: [{ name: 'poll' }] }], { text: 'end' });
    expect(await runLoop({ adapter: changing, messages: hi, tools: [poll], maxRounds: 8 })).toMatchObject({
      stopReason: 'round_limit',
    });
  });

  it('limits on tokens and cost end the run before the next call and keep the conversation complete', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo' }] }]);
    const tokens = await runLoop({ adapter, messages: hi, tools: [echo], limits: { totalTokens: 20 } });
    expect(tokens).toMatchObject({ stopReason: 'limit', rounds: 2 });
    expect(tokens.stopDetail).toMatch(/20 tokens/);
    expect(toolResults(tokens.messages)).toHaveLength(2);
    const prices = { fresh: 1e6, output: 1e6 };
    const cost = await runLoop({ adapter, messages: hi, tools: [echo], prices, limits: { cost: 5 } });
    expect(cost).toMatchObject({ stopReason: 'limit', rounds: 1, usage: { estimatedCost: 12 } });
  });

  it('ids that come again in a later round are told apart', async () => {
    const adapter = scripted([
      { calls: [{ id: 'call_0', name: 'echo', args: { t: '1' } }] },
      {
        calls: [
          { id: 'call_0', name: 'echo', args: { t: '2' } },
          { id: 'call_0', name: 'echo', args: { t: '3' } },
        ],
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    const ids = toolResults(result.messages).map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(3);
    expect(toolResults(result.messages).map(({ content }) => content)).toEqual(['1', '2', '3']);
  });
});
