import { parseArguments } from '@glassloop/core/adapter';
import type { Wire } from '@glassloop/core/chat-completions';

/**
 * Groq checks tool calls itself and turns an answer whose call it cannot read, or that does not fit the schema, into an
 * error with code `tool_use_failed`. It is still the model's answer: it is given to the loop as a call whose
 * arguments are no JSON, so that nothing runs, the model is told, and may try again within the rounds it has.
 *
 * The name is the one that can be read out of the text, else `unknown_tool`, and the text is then also the content.
 * The arguments are the text as the model wrote it; text that is a JSON object follows Groq's reason, because alone
 * it would be taken for arguments.
 */
export function failedToolUse(thrown: unknown, soFar: Wire | undefined): Wire | undefined {
  const error = errorIn(thrown);
  const generation = error?.['failed_generation'];
  if (error?.['code'] !== 'tool_use_failed' || typeof generation !== 'string') return undefined;
  const name = calledName(generation);
  const choice = (soFar?.['choices'] as readonly Wire[] | undefined)?.[0];
  const message = choice?.['message'] as Wire | undefined;
  const content = message?.['content'] || (name === undefined ? generation : null);
  const text =
    parseArguments(generation) === undefined ? generation : `${reason(error['message'])}\n${generation}`;
  const call = { type: 'function', function: { name: name ?? 'unknown_tool', arguments: text } };
  return {
    ...soFar,
    choices: [
      { ...choice, finish_reason: 'tool_use_failed', message: { ...message, content, tool_calls: [call] } },
    ],
  };
}

/** The error object of an SDK error: the SDK keeps the whole body of an HTTP error, and only its `error` of an event. */
function errorIn(thrown: unknown): Wire | undefined {
  const outer = (thrown as { error?: unknown } | null | undefined)?.error as Wire | null | undefined;
  const inner = outer?.['error'] ?? outer;
  return typeof inner === 'object' && inner !== null ? (inner as Wire) : undefined;
}

/** Without the words that Groq puts before it twice: of the arguments, the model is shown the beginning only. */
function reason(message: unknown): string {
  return `Refused: ${String(message).replace(/^(tool call validation failed:\s*)+/i, '')}`;
}

/** From `{"name": "x", …}`, `<function=x …`, `<function>x` or `x({…`. */
function calledName(generation: string): string | undefined {
  return /(?:"name"\s*:\s*"|<function[=>]\s*|^\s*(?=[\w-]+\s*\())([a-zA-Z_][\w-]{0,63})/.exec(
    generation,
  )?.[1];
}
