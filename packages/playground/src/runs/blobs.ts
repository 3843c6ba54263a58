import type { BlobRef } from '../protocol.ts';

/** Longer texts, and longer JSON values of raw bodies, are left out of a step and fetched when they are opened. */
export const BLOB_BYTES = 64 * 1024;
const HEAD_CHARACTERS = 2000;
/** Fields whose JSON is cut off as a whole. */
const BODIES = new Set(['raw', '_wire', '_raw', 'parameters']);

/** A trace line with its long values as references. Lines without any come back as they are. */
export function withBlobRefs(line: string): string {
  if (line.length <= BLOB_BYTES) return line;
  const value = JSON.parse(line) as { type: string; seq: number; step?: unknown };
  if (value.type !== 'step') return line;
  return `${JSON.stringify({ ...value, step: stepWithRefs(value.step, value.seq) })}\n`;
}

export function stepWithRefs(step: unknown, seq: number): unknown {
  return replaced(step, seq, []);
}

function replaced(value: unknown, seq: number, path: readonly (string | number)[]): unknown {
  if (typeof value === 'string') {
    return value.length * 3 <= BLOB_BYTES || Buffer.byteLength(value) <= BLOB_BYTES
      ? value
      : reference(value, seq, path, 'text');
  }
  if (typeof value !== 'object' || value === null) return value;
  const field = path.at(-1);
  if (typeof field === 'string' && BODIES.has(field)) {
    const json = JSON.stringify(value);
    if (Buffer.byteLength(json) > BLOB_BYTES) return reference(json, seq, path, 'json');
    return value;
  }
  if (Array.isArray(value)) return value.map((entry, index) => replaced(entry, seq, [...path, index]));
  const entries = Object.entries(value).map(([name, entry]) => [name, replaced(entry, seq, [...path, name])]);
  return Object.fromEntries(entries);
}

function reference(
  text: string,
  seq: number,
  path: readonly (string | number)[],
  is: BlobRef['is'],
): BlobRef {
  return {
    $blob: Buffer.from(JSON.stringify([seq, ...path])).toString('base64url'),
    bytes: Buffer.byteLength(text),
    is,
    head: text.slice(0, HEAD_CHARACTERS),
  };
}

/** Where a reference points to; undefined for a text that is none. */
export function blobPlace(
  id: string,
): { readonly seq: number; readonly path: readonly (string | number)[] } | undefined {
  try {
    const [seq, ...path] = JSON.parse(Buffer.from(id, 'base64url').toString()) as (string | number)[];
    const isPath = path.every((part) => typeof part === 'string' || typeof part === 'number');
    return Number.isSafeInteger(seq) && (seq as number) > 0 && isPath
      ? { seq: seq as number, path }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The value at that place of a step: a text as it is, anything else as JSON. */
export function blobText(step: unknown, path: readonly (string | number)[]): string | undefined {
  let value = step;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as { readonly [part: string]: unknown })[part];
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
