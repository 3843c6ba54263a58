import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { callWithin } from '../src/adapter/call-within.ts';
import { defineTool, runLoop } from '../src/index.ts';
import { onAbort } from '../src/on-abort.ts';
import { scripted } from './scripted-adapter.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('onAbort', () => {
  it('has one listener for all, none in the end, and works again after that', () => {
    const controller = new AbortController();
    const called: number[] = [];
    const takeBack = [1, 2, 3].map((n) => onAbort(controller.signal, () => called.push(n)));
    expect(listeners(controller.signal)).toBe(1);
    for (const back of takeBack) back();
    takeBack[0]!();
    expect(listeners(controller.signal)).toBe(0);
    onAbort(controller.signal, () => called.push(4));
    const fifth = onAbort(controller.signal, () => called.push(5));
    fifth();
    controller.abort();
    expect(called).toEqual([4]);
  });
});

describe('one signal', () => {
  /** What is printed on standard error for every program that has many runs under one signal. */
  async function warningsOf(work: (signal: AbortSignal) => Promise<unknown>): Promise<Error[]> {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    await work(signal);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(listeners(signal)).toBe(0);
    return warnings;
  }

  it('may be shared by many runs, and by many tools of one', async () => {
    const tool = defineTool({
      name: 'wait',
      description: 'w',
      execute: async (_, { signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return String(signal.aborted);
      },
    });
    const calls = Array.from({ length: 15 }, () => ({ name: 'wait' }));
    const run = (signal: AbortSignal) =>
      runLoop({
        adapter: scripted([{ calls }, { text: 'done' }]),
        messages: [{ role: 'user', content: 'x' }],
        tools: [tool],
        signal,
      });
    expect(await warningsOf((signal) => Promise.all(Array.from({ length: 30 }, () => run(signal))))).toEqual(
      [],
    );
  });

  it('may be shared by many calls of adapters', async () => {
    const call = (signal: AbortSignal) =>
      callWithin(
        { provider: 'x', signal, timeoutMs: 1000 },
        () => new Promise((resolve) => setTimeout(resolve, 5)),
      );
    expect(await warningsOf((signal) => Promise.all(Array.from({ length: 30 }, () => call(signal))))).toEqual(
      [],
    );
  });
});
