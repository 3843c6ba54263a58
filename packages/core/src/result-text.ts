import { messageOf } from './check.ts';

/**
 * What a tool returned, as text for the model: texts as they are, bytes as UTF-8, dates as ISO, errors as their message,
 * everything else as JSON, in which a Map is an object, a Set a list, a big integer its digits, a cycle "[circular]",
 * and what JSON has no form for its name in brackets. `undefined` and `null` are `null`. Never throws.
 */
export function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  const leaf = leafText(value);
  if (leaf !== undefined) return leaf;
  try {
    return JSON.stringify(readable(value, [])) ?? 'null';
  } catch (error) {
    return `[unreadable result: ${messageOf(error)}]`;
  }
}

/** Text of a value that is no container; undefined for one that is, and for what JSON prints itself. */
function leafText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'bigint':
      return value.toString();
    case 'function':
      return `[function ${value.name || 'without a name'}]`;
    case 'symbol':
      return `[${String(value)}]`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return new TextDecoder().decode(value as ArrayBuffer | Uint8Array);
  }
  return undefined;
}

/** A copy that JSON.stringify prints without loss of notice. `path`: the containers around the value. */
function readable(value: unknown, path: readonly unknown[]): unknown {
  // Inside JSON a missing value is null in a list and left out of an object, as always.
  if (value === undefined) return undefined;
  const leaf = leafText(value);
  if (leaf !== undefined) return leaf;
  if (typeof value !== 'object' || value === null) return value;
  if (path.includes(value)) return '[circular]';
  if (path.length >= MAX_DEPTH) return '[too deep]';
  const inner = [...path, value];
  if (Array.isArray(value)) return value.map((entry) => readable(entry, inner) ?? null);
  if (value instanceof Set) return [...value].map((entry) => readable(entry, inner) ?? null);
  if (value instanceof Map)
    return object([...value].map(([key, entry]) => [String(key), readable(entry, inner)]));
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return readable((value as { toJSON(): unknown }).toJSON(), inner);
  }
  return object(Object.entries(value).map(([key, entry]) => [key, readable(entry, inner)]));
}

const MAX_DEPTH = 100;

/** Without a prototype, so that a key called `__proto__` is a key like any other. */
function object(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) result[key] = value;
  return result;
}
