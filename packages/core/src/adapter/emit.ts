import type { Delta } from './adapter.ts';

/** `onDelta` as an adapter calls it: what the listener throws stays with the listener. */
export function quietly(onDelta: (delta: Delta) => void): (delta: Delta) => void {
  return (delta) => {
    try {
      onDelta(delta);
    } catch {
      // A watcher must never change the call it watches.
    }
  };
}
