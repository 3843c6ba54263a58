/** What the formats with a body of their own share. */

import type { ScriptedAnswer, ScriptedUsage } from '../turn.ts';

/** undefined: the reply has no usage. */
export function scriptedUsage(answer: ScriptedAnswer): ScriptedUsage | undefined {
  return answer.usage === null ? undefined : (answer.usage ?? { prompt: 10, completion: 5 });
}

/** Arguments for a format that carries values: an object where the script's text holds one, else the text itself. */
export function argumentsValue(scripted: { readonly [name: string]: unknown } | string | undefined): unknown {
  if (typeof scripted !== 'string') return scripted ?? {};
  if (scripted.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(scripted);
    return isObject(value) ? value : scripted;
  } catch {
    return scripted;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function headerOf(
  rawHeaders: readonly (readonly [string, string])[],
  name: string,
): string | undefined {
  return rawHeaders.find(([header]) => header.toLowerCase() === name)?.[1];
}

/** A request body that is a JSON object, without fields that are private to the sender. */
export function bodyObject(body: unknown): Record<string, unknown> {
  if (!isObject(body)) throw new Error('The request body must be a JSON object.');
  const stray = Object.keys(body).find((name) => name.startsWith('_'));
  if (stray !== undefined) throw new Error(`${stray}: Extra inputs are not permitted`);
  return body;
}
