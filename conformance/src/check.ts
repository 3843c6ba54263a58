import { inspect, isDeepStrictEqual } from 'node:util';
import { AdapterError, type AdapterErrorCode } from '@glassloop/core/adapter';

/** What the adapter did wrong, in one sentence. */
class Violation extends Error {
  override readonly name = 'Violation';
}

/** Thrown by a case that finds out on its way that it cannot be asked of this wire format. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export function fail(what: string): never {
  throw new Violation(what);
}

export function holds(claim: unknown, what: string): asserts claim {
  if (!claim) fail(what);
}

/** Deep and strict. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected))
    fail(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

/** Equal as JSON, key order included. */
export function sameJson(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left === right) return;
  if (left === undefined || right === undefined) {
    fail(`${what}: expected ${shown(right)}, got ${shown(left)}`);
  }
  let at = 0;
  while (left[at] === right[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  fail(`${what}: as JSON they differ at character ${at}: expected …${around(right)}…, got …${around(left)}…`);
}

/** Rejects with an AdapterError of one of these codes, and no other way. */
export async function failsWith(
  call: Promise<unknown>,
  ...codes: readonly AdapterErrorCode[]
): Promise<AdapterError> {
  const error = await rejection(call);
  holds(
    error instanceof AdapterError,
    `expected an AdapterError (${codes.join(' or ')}), got ${shown(error)}`,
  );
  holds(
    codes.includes(error.code),
    `expected code ${codes.join(' or ')}, got ${error.code}: ${error.message}`,
  );
  return error;
}

/** What the call rejects with. */
export function rejection(call: Promise<unknown>): Promise<unknown> {
  return handled(rejected(call));
}

/** A case may fail before it comes to await this; that must not end the process. */
export function handled<T>(call: Promise<T>): Promise<T> {
  call.catch(() => {});
  return call;
}

async function rejected(call: Promise<unknown>): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return error;
  }
  return fail(`expected the call to reject, but it answered ${shown(answer)}`);
}

/** Waits for a claim to become true, by asking often; fails after two seconds. */
export async function until(claim: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 2_000;
  while (!claim()) {
    if (performance.now() > end) fail(`${what}: did not happen within two seconds`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The value, unless it takes longer than `ms`. */
export async function within<T>(ms: number, value: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Violation(`${what}: took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function shown(value: unknown): string {
  const text = inspect(value, { depth: 8, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 300 });
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
