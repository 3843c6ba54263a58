/** By signal. One listener stands for them all: Node takes more than ten for a leak, and prints that. */
const callbacks = new WeakMap<EventTarget, Set<() => void>>();

const tell = ({ target }: Event): void => {
  for (const callback of callbacks.get(target!)!) callback();
};

/** Calls back when the signal aborts. Returns what takes that back; the last one leaves nothing on the signal. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const all = callbacks.get(signal) ?? new Set();
  callbacks.set(signal, all.add(callback));
  // The same function again is no second listener.
  signal.addEventListener('abort', tell);
  return () => {
    all.delete(callback);
    if (all.size === 0) signal.removeEventListener('abort', tell);
  };
}
