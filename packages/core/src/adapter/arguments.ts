import { isPlainObject } from '../check.ts';

/**
 * The arguments of a call as an object, or undefined when the text is not a JSON object. No text, blanks and `null`
 * all mean: no arguments. A `__proto__` key stays out, so that nothing built from the result can be polluted.
 */
export function parseArguments(argumentsJson: string): Record<string, unknown> | undefined {
  const text = argumentsJson.trim();
  if (text === '' || text === 'null') return {};
  try {
    // A reviver makes parsing several times slower, so only a text that can hold the key pays for one.
    const value: unknown = mayPollute(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The key itself, or an escape that may spell it. */
function mayPollute(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u');
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/**
 * What a model's arguments become in `ToolCall.argumentsJson`: text stays as written, an object is printed once,
 * nothing is `{}`.
 */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value.trim() === '' ? '{}' : value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

/**
 * Arguments as they go back to a provider that reads them: always a JSON object. What was not one is sent as `{}`;
 * the error result that follows tells the model what it wrote.
 */
export function replayedArguments(argumentsJson: string): Record<string, unknown> {
  return parseArguments(argumentsJson) ?? {};
}

/** The same as text; the model's own spelling wherever it is a JSON object. */
export function replayedArgumentsText(argumentsJson: string): string {
  const text = argumentsJson.trim();
  return text === '' || text === 'null' || parseArguments(text) === undefined ? '{}' : argumentsJson;
}
