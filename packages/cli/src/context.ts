import type { Output } from './output.ts';

/** What a command has of the world around it. */
export interface Context {
  readonly output: Output;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Texts that must be written nowhere; grows when a run names a key of its own. */
  readonly secrets: string[];
  /** All of standard input, as text. */
  readInput(): Promise<string>;
  /** Calls `listener` on the first Ctrl+C, until the function it returns is called. */
  onInterrupt(listener: () => void): () => void;
}
