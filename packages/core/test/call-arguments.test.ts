import { defineTool, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it, vi } from 'vitest';
import { echo, hi, toolResults } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('arguments of calls', () => {
  it('C001 broken JSON in one of two parallel calls goes back as an error result and never runs', async () => {
    const add = vi.fn(() => 'sum');
    const adapter = scripted([
      {
        calls: [
          { id: 'a1', name: 'add', args: '{"x": 1, "y": ' },
          { id: 'a2', name: 'echo', args: { t: 'hi' } },
        ],
      },
      { text: 'done' },
    ]);
    const trace = new RunTrace();
    const tools = [defineTool({ name: 'add', description: '', execute: add }), echo];
    const result = await runLoop({ adapter, messages: hi, tools }, trace);
    expect(add).not.toHaveBeenCalled();
    const [first, second] = toolResults(adapter.requests[1]!.messages);
    expect(first).toMatchObject({ toolCallId: 'a1', isError: true });
    expect(first!.content).toMatch(/not valid JSON/);
    expect(second).toMatchObject({ toolCallId: 'a2', content: 'hi', isError: false });
    expect(result.content).toBe('done');
    expect(trace.steps.filter((step) => step.kind === 'tool').map((step) => step.isError)).toEqual([
      true,
      false,
    ]);
  });

  it.each(['[1,2]', '"text"', '3', 'true', '{"a":1}{"b":2}', 'undefined'])(
    'C001 sibling: %s is no object, so nothing runs',
    async (args) => {
      const run = vi.fn();
      const adapter = scripted([{ calls: [{ name: 'now', args }] }, { text: 'ok' }]);
      await runLoop({
        adapter,
        messages: hi,
        tools: [defineTool({ name: 'now', description: '', execute: run })],
      });
      expect(run).not.toHaveBeenCalled();
      expect(toolResults(adapter.requests[1]!.messages)[0]).toMatchObject({ isError: true });
    },
  );

  it.each(['', '   ', '\n'])('C002 empty arguments %j mean no arguments', async (args) => {
    const run = vi.fn((_input: unknown) => 'noon');
    const adapter = scripted([{ calls: [{ name: 'now', args }] }, { text: 'ok' }]);
    await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'now', description: '', execute: run })],
    });
    expect(run.mock.calls[0]![0]).toEqual({});
  });

  it('C003 null arguments: run without required fields, an error result with them', async () => {
    const free = vi.fn(() => 'noon');
    const strict = vi.fn(() => 'never');
    const adapter = scripted([
      {
        calls: [
          { name: 'free', args: 'null' },
          { name: 'strict', args: 'null' },
        ],
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [
        defineTool({ name: 'free', description: '', execute: free }),
        defineTool({
          name: 'strict',
          description: '',
          input: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
          execute: strict,
        }),
      ],
    });
    expect(free).toHaveBeenCalledOnce();
    expect(strict).not.toHaveBeenCalled();
    expect(toolResults(adapter.requests[1]!.messages)[1]!.content).toMatch(/"q" is missing/);
    expect(result.content).toBe('ok');
  });

  it('C115 names from Object.prototype are unknown tools, unless registered', async () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
    const adapter = scripted([{ calls: names.map((name) => ({ name })) }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(toolResults(adapter.requests[1]!.messages).map(({ isError }) => isError)).toEqual(
      names.map(() => true),
    );

    const own = scripted([{ calls: [{ name: 'toString' }, { name: '__proto__' }] }, { text: 'ok' }]);
    const tools = ['toString', '__proto__'].map((name) =>
      defineTool({ name, description: '', execute: () => `ran ${name}` }),
    );
    await runLoop({ adapter: own, messages: hi, tools });
    expect(toolResults(own.requests[1]!.messages).map(({ content }) => content)).toEqual([
      'ran toString',
      'ran __proto__',
    ]);
  });

  it('C116 __proto__ inside arguments pollutes nothing, at any depth', async () => {
    let seen: Record<string, unknown> = {};
    const adapter = scripted([
      {
        calls: [
          { name: 'take', args: '{"__proto__":{"isAdmin":true},"a":1,"in":{"__proto__":{"isAdmin":true}}}' },
        ],
      },
      { text: 'ok' },
    ]);
    const take = defineTool({
      name: 'take',
      description: '',
      execute: (input: Record<string, unknown>) => {
        seen = input;
        return 'x';
      },
    });
    await runLoop({ adapter, messages: hi, tools: [take] });
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(seen['isAdmin']).toBeUndefined();
    expect((seen['in'] as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(seen['a']).toBe(1);
  });

  it('C123 NUL and control characters reach the tool and come back', async () => {
    let seen: unknown;
    const adapter = scripted([{ calls: [{ name: 'take', args: '{"s":"a\\u0000b"}' }] }, { text: 'ok' }]);
    const take = defineTool({
      name: 'take',
      description: '',
      execute: (input: { s: string }) => {
        seen = input.s;
        return 'x\u0000y\u001b[31m';
      },
    });
    await runLoop({ adapter, messages: hi, tools: [take] });
    expect(seen).toBe('a\u0000b');
    expect(toolResults(adapter.requests[1]!.messages)[0]!.content).toBe('x\u0000y\u001b[31m');
  });
});
