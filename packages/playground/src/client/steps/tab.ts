import type { ComponentChildren } from 'preact';

/** One view of a step. */
export interface Tab {
  /** Stable: the reader's choice is kept by it. */
  readonly id: string;
  readonly label: string;
  readonly badge?: string | undefined;
  readonly view: () => ComponentChildren;
}
