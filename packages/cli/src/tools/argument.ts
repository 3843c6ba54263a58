import { ToolError } from '@glassloop/core';

/** A text argument out of what a model sent; throws a sentence for the model. */
export function textArgument(input: unknown, name: string, fallback?: string): string {
  const value = (input as { readonly [name: string]: unknown } | null)?.[name] ?? fallback;
  if (typeof value !== 'string') throw new ToolError(`The argument "${name}" must be a text.`);
  return value;
}
