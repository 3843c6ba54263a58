import { REDACTED, REDACTION_FAILED, type TextRedactor } from './redact-text.ts';
import { SECRET_FIELD } from './secret-shapes.ts';

const DEEPEST = 200;

/** A JSON value with every secret in it blacked out: in texts, in keys, and in fields named like one. */
export function withoutSecrets(value: unknown, redactor: TextRedactor, depth = 0, isRaw = false): unknown {
  try {
    if (typeof value === 'string') return redactor.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return REDACTION_FAILED;
    if (Array.isArray(value)) {
      return isRaw && isStream(value)
        ? streamWithoutSecrets(value, redactor, depth)
        : value.map((item) => withoutSecrets(item, redactor, depth + 1, isRaw));
    }
    const kept: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) {
      kept.push([
        redactor.key(key),
        SECRET_FIELD.test(key) && typeof inner === 'string' && inner !== ''
          ? REDACTED
          : withoutSecrets(inner, redactor, depth + 1, isRaw || key === 'raw'),
      ]);
    }
    return asObject(kept);
  } catch {
    return REDACTION_FAILED;
  }
}

/** An object of entries; a key may be named `__proto__`, and two may have become the same. */
export function asObject(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    let name = key;
    for (let count = 2; Object.hasOwn(result, name); count++) name = `${key} (${count})`;
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

/** A list of objects may be the events of a stream, whose texts belong together. */
function isStream(list: readonly unknown[]): boolean {
  return (
    list.length > 1 && list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  );
}

interface Place {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string | number;
}

/** Each event by itself, and then, by their place in the event, the texts of all events as one. */
function streamWithoutSecrets(events: readonly unknown[], redactor: TextRedactor, depth: number): unknown[] {
  const clean = events.map((event) => withoutSecrets(event, redactor, depth + 1, true));
  const byPath = new Map<string, Place[]>();
  for (const event of clean) collectTexts(event, '', byPath, 0);
  for (const places of byPath.values()) {
    if (places.length < 2) continue;
    const texts = places.map(
      ({ holder, key }) => (holder as Record<string | number, unknown>)[key] as string,
    );
    const joined = redactor.pieces(texts);
    for (const [index, { holder, key }] of places.entries()) {
      if (joined[index] === texts[index]) continue;
      Object.defineProperty(holder, key, {
        value: joined[index],
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return clean;
}

function collectTexts(value: unknown, path: string, byPath: Map<string, Place[]>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = `${path}/${key}`;
    if (typeof inner !== 'string') collectTexts(inner, at, byPath, depth + 1);
    else {
      const places = byPath.get(at) ?? [];
      places.push({ holder: value as Record<string, unknown>, key });
      byPath.set(at, places);
    }
  }
}
