/** One field that differs. `old` or `new` is missing where the field is. */
export interface Difference {
  /** Where, from the step (or the value) compared: `message.toolCalls[0].name`. */
  readonly path: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

/** Deeper than any trace; a value that goes on beyond it has a cycle. */
const DEEPEST = 200;

/**
 * All fields in which two JSON values differ, in the order of the old one. A field that is `undefined` is not there;
 * 0, '', false and null are values; the order of keys does not matter, that of lists does.
 */
export function differencesBetween(before: unknown, after: unknown, path = ''): Difference[] {
  const found: Difference[] = [];
  compare(before, after, path, found, 0);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: Difference[], depth: number): void {
  if (Object.is(asWritten(before), asWritten(after)) || depth > DEEPEST) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index++)
      compare(before[index], after[index], `${path}[${index}]`, found, depth + 1);
    return;
  }
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(own(before, key), own(after, key), pathTo(path, key), found, depth + 1);
    }
    return;
  }
  const texts = embeddedJson(before, after, path);
  if (texts !== undefined) {
    const inside = differencesBetween(texts[0], texts[1], path);
    // Texts that differ only in how they are written still differ.
    if (inside.length > 0) {
      found.push(...inside);
      return;
    }
  }
  found.push({
    path,
    ...(before === undefined ? {} : { old: before }),
    ...(after === undefined ? {} : { new: after }),
  });
}

/** Numbers as JSON has them: one zero, and null for what is no finite number. */
function asWritten(value: unknown): unknown {
  return typeof value !== 'number' ? value : Number.isFinite(value) ? value + 0 : null;
}

/** The names of fields that hold JSON as text, so that a difference in them can be named inside. */
const JSON_TEXT = /(^|\.)(argumentsJson|_wire\.body)$/;

function embeddedJson(before: unknown, after: unknown, path: string): [unknown, unknown] | undefined {
  if (typeof before !== 'string' || typeof after !== 'string' || !JSON_TEXT.test(path)) return undefined;
  try {
    const values: [unknown, unknown] = [JSON.parse(before), JSON.parse(after)];
    return values.every((value) => typeof value === 'object' && value !== null) ? values : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** `path` and one key more; a key that is no plain word is quoted. */
function pathTo(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
