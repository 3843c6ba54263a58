/** Small helpers for values that come from outside, or may be absent. */

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an error message shows it: short, on one line, never the whole of something big. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The same facts without those that are undefined: what is not known is absent. */
export function defined<Facts extends object>(
  facts: Facts,
): { [name in keyof Facts]?: Exclude<Facts[name], undefined> } {
  const known: Partial<Facts> = {};
  for (const name in facts) if (facts[name] !== undefined) known[name] = facts[name];
  return known as never;
}

/** What a thrown value says. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
