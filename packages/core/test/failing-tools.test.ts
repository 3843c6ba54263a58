import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, RunTrace, runLoop, ToolError } from '@glassloop/core';
import { describe, expect, it, vi } from 'vitest';
import { hi, toolResults } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('tools that fail', () => {
  it('C007 throwing in any way is an error result without a stack, and what was thrown stays in the trace', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const adapter = scripted([
      { calls: [{ name: 't1' }, { name: 't2' }, { name: 't3' }, { name: 't4' }] },
      { text: 'ok' },
    ]);
    const tools = [
      defineTool({
        name: 't1',
        description: '',
        execute: () => {
          throw new Error('boom, password=hunter2');
        },
      }),
      defineTool({ name: 't2', description: '', execute: () => Promise.reject(undefined) }),
      defineTool({
        name: 't3',
        description: '',
        execute: () => {
          throw 'plain string';
        },
      }),
      defineTool({
        name: 't4',
        description: '',
        execute: () => {
          throw new ToolError('Say which city.');
        },
      }),
    ];
    const trace = new RunTrace();
    const result = await runLoop({ adapter, messages: hi, tools }, trace);
    await sleep(5);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    const results = toolResults(adapter.requests[1]!.messages);
    expect(results).toHaveLength(4);
    for (const { content, isError } of results) {
      expect(isError).toBe(true);
      expect(content).not.toBe('');
      expect(content).not.toMatch(/hunter2|at .*\.ts/);
    }
    expect(results[3]!.content).toBe('Say which city.');
    expect(trace.steps.find((step) => step.kind === 'tool')).toMatchObject({
      thrown: 'Error: boom, password=hunter2',
    });
    expect(result.content).toBe('ok');
  });

  it('a tool that never settles ends at its own time limit, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const hang = defineTool({
      name: 'hang',
      description: '',
      execute: (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const adapter = scripted([{ calls: [{ name: 'hang' }] }, { text: 'ok' }]);
    const result = await runLoop({ adapter, messages: hi, tools: [hang], toolTimeoutMs: 20 });
    expect(toolResults(result.messages)[0]).toMatchObject({
      isError: true,
      content: expect.stringContaining('20 ms'),
    });
    expect(signal!.aborted).toBe(true);
    expect(result.content).toBe('ok');
  });
});
