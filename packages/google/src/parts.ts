import { type AssistantMessage, argumentsText, splitInlineThinking } from '@glassloop/core/adapter';

/** One part of a Gemini content, whatever fields it has: fields newer than the SDK pass through. */
export type Part = { readonly [field: string]: unknown };

/** What the parts of an answer say. An id is there only where Gemini gave one. */
export interface ReadParts {
  readonly content: string;
  readonly thinking: string | undefined;
  readonly inlineThinking: string | undefined;
  readonly calls: readonly { readonly id?: string; readonly name: string; readonly argumentsJson: string }[];
}

/** Parts of other kinds (executableCode, inlineData, …) say nothing here; they live on in `stateOf`. */
export function readParts(parts: readonly Part[]): ReadParts {
  let text = '';
  let thinking: string | undefined;
  const calls: { id?: string; name: string; argumentsJson: string }[] = [];
  for (const part of parts) {
    if (isCall(part)) {
      const { id, name, args } = part.functionCall;
      calls.push({
        ...(isRealId(id) ? { id } : {}),
        name: typeof name === 'string' ? name : '',
        argumentsJson: argumentsText(args),
      });
    } else if (typeof part['text'] === 'string') {
      if (part['thought'] === true) thinking = (thinking ?? '') + part['text'];
      else text += part['text'];
    }
  }
  const { content, thinking: inlineThinking } = splitInlineThinking(text);
  return { content, thinking, inlineThinking, calls };
}

/**
 * The parts as they have to go back: verbatim, but for thoughts without a signature. undefined when the answer was
 * plain text, which needs no state.
 */
export function stateOf(
  parts: readonly Part[],
  read: ReadParts,
): { readonly parts: readonly Part[] } | undefined {
  const kept = parts.filter((part) => !(part['thought'] === true && part['thoughtSignature'] === undefined));
  if (kept.every(isPlainText)) return undefined;
  if (read.inlineThinking === undefined) return { parts: kept };
  // Thinking that the model wrote into its text must not go back as text.
  return { parts: [{ text: read.content }, ...kept.filter((part) => !isPlainText(part))] };
}

/**
 * The parts to replay a message of ours with. undefined for a message of another adapter, and for one that was
 * edited since: what its text and calls say now must win over what its state remembers.
 */
export function stateParts(message: AssistantMessage): readonly Part[] | undefined {
  const state = message.providerState?.['google'];
  const parts = isObject(state) ? state['parts'] : undefined;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const { content, calls } = readParts(parts);
  const ids = calls.map((call) => call.id);
  const fits =
    content === message.content &&
    calls.length === message.toolCalls.length &&
    calls.every(({ id, name, argumentsJson }, index) => {
      const call = message.toolCalls[index]!;
      // An id that came before, in this answer or an earlier one, had to be replaced.
      const sameId =
        id === undefined || id === call.id || id === call.id.replace(/_\d+$/, '') || ids.indexOf(id) < index;
      return sameId && name === call.name && argumentsJson === call.argumentsJson;
    });
  return fits ? parts : undefined;
}

export function isCall(part: Part): part is Part & { readonly functionCall: Part } {
  return isObject(part['functionCall']);
}

/** Text and nothing else: no signature, no thought. */
export function isPlainText(part: Part): part is { readonly text: string } {
  return typeof part['text'] === 'string' && Object.keys(part).length === 1;
}

export function isRealId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id !== 'null';
}

/** The fields that say something: null and undefined count as not given. */
export function present(fields: Part): Part {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

export function isObject(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
