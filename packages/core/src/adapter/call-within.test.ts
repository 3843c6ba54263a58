import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { callWithin } from './call-within.ts';

const never = () => new Promise<never>(() => {});

describe('callWithin', () => {
  it('hands on what the call gives, and leaves no listener and no timer', async () => {
    const { signal } = new AbortController();
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    expect(await callWithin({ provider: 'p', signal, timeoutMs: 1000 }, async () => 7)).toBe(7);
    await expect(
      callWithin({ provider: 'p', signal, timeoutMs: 1000 }, async () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(clear).toHaveBeenCalledTimes(2);
    clear.mockRestore();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('aborts the call’s own signal when the call fails: an answer that nobody reads on must not keep its connection', async () => {
    let inner: AbortSignal | undefined;
    await expect(
      callWithin({ provider: 'p', timeoutMs: 1000 }, async (signal) => {
        inner = signal;
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(inner!.aborted).toBe(true);
    await callWithin({ provider: 'p', timeoutMs: 1000 }, async (signal) => {
      inner = signal;
    });
    expect(inner!.aborted).toBe(false);
  });

  it('makes no call when the signal is aborted already, and keeps its reason', async () => {
    const call = vi.fn(never);
    await expect(
      callWithin({ provider: 'p', signal: AbortSignal.abort('why'), timeoutMs: 1000 }, call),
    ).rejects.toBe('why');
    expect(call).not.toHaveBeenCalled();
  });

  it('settles at once on abort, whatever the call makes of it, and aborts the call’s own signal', async () => {
    const controller = new AbortController();
    let inner: AbortSignal | undefined;
    const settled = callWithin({ provider: 'p', signal: controller.signal, timeoutMs: 1000 }, (signal) => {
      inner = signal;
      return never();
    });
    controller.abort('why');
    await expect(settled).rejects.toBe('why');
    expect(inner!.aborted).toBe(true);
    // An SDK that turns the abort into an error of its own must not win.
    const other = new AbortController();
    const quick = callWithin(
      { provider: 'p', signal: other.signal, timeoutMs: 1000 },
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('SDK word')))),
    );
    other.abort('why');
    await expect(quick).rejects.toBe('why');
  });

  it('C103 a time-out is not an abort, and names the limit', async () => {
    const error = await callWithin({ provider: 'p', timeoutMs: 10 }, never).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'timeout',
      message: 'p: no complete answer within 10 ms',
      retryable: false,
    });
  });

  it('leaves no unhandled rejection when the call fails after the time-out', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    await callWithin(
      { provider: 'p', timeoutMs: 5 },
      () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 15)),
    ).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 25));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
