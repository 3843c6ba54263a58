import { describe, expect, it, vi } from 'vitest';
import { ListenerOnlyController } from './listener-only-controller.ts';

describe('ListenerOnlyController', () => {
  it('tells each listener once, with the reason there to be read', () => {
    const controller = new ListenerOnlyController();
    const { signal } = controller;
    const heard = vi.fn(() => signal.reason);
    signal.addEventListener('abort', heard, { once: true });
    signal.addEventListener('abort', heard, { once: true });
    expect(() => signal.throwIfAborted()).not.toThrow();
    controller.abort('why');
    controller.abort('again');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(heard).toHaveReturnedWith('why');
    expect(signal.aborted).toBe(true);
    expect(() => signal.throwIfAborted()).toThrow('why');
  });

  it('forgets a listener that was taken away', () => {
    const controller = new ListenerOnlyController();
    const heard = vi.fn();
    controller.signal.addEventListener('abort', heard);
    controller.signal.removeEventListener('abort', heard);
    controller.abort('why');
    expect(heard).not.toHaveBeenCalled();
  });
});
