import type { RunStep } from '@glassloop/core';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Inspection } from '../inspection.ts';
import type { TraceStore } from '../trace/trace-store.ts';

export const InspectionContext = createContext<Inspection | undefined>(undefined);

export function useInspection(): Inspection {
  const inspection = useContext(InspectionContext);
  if (inspection === undefined) throw new Error('No trace is open here.');
  return inspection;
}

/** The store, for what is derived from it: the component renders again when something came. */
export function useStore(): TraceStore {
  const inspection = useInspection();
  inspection.version.value;
  return inspection.store;
}

export type Loaded<Value> = { readonly value?: Value; readonly error?: string };

/** What is in memory is there at once; what must be read comes with a later render. */
export function useLoaded<Value>(
  load: () => Value | Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const now = attempt(load);
  const [later, setLater] = useState<Loaded<Value>>({});
  useEffect(() => {
    if (!(now instanceof Promise)) return;
    let isStale = false;
    setLater({});
    now.then(
      (value) => !isStale && setLater({ value }),
      (error: unknown) => !isStale && setLater({ error: messageOf(error) }),
    );
    return () => {
      isStale = true;
    };
  }, keys);
  return now instanceof Promise ? later : now;

  function attempt(read: () => Value | Promise<Value>): Loaded<Value> | Promise<Value> {
    try {
      const value = read();
      return value instanceof Promise ? value : { value };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }
}

export function useStep(index: number | undefined): RunStep | undefined {
  const { store } = useInspection();
  return useLoaded(() => (index === undefined ? undefined : store.bodies.get(index)), [store, index]).value;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
