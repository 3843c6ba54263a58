import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  replayedArguments,
  type ToolMessage,
} from '@glassloop/core/adapter';
import { thinksInSignatures } from './models.ts';
import { isCall, isObject, isPlainText, isRealId, type Part, stateParts } from './parts.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}

/** Google's documented stand-in for the signature of a call that no Gemini 3 made. */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Every system text, in order, wherever it stood: Gemini has no place for one inside a conversation. */
export function systemInstruction(messages: readonly Message[]): Part | undefined {
  const parts = messages.flatMap(({ role, content }) =>
    role === 'system' && !isBlank(content) ? [{ text: content }] : [],
  );
  return parts.length === 0 ? undefined : { role: 'system', parts };
}

/** The conversation without its system texts. All results of one round share one content, as Gemini demands. */
export function contentsOf(
  model: string,
  messages: readonly Message[],
  warnings: string[],
): readonly Content[] {
  const contents: { role: 'user' | 'model'; parts: Part[] }[] = [];
  // By call id, the id Gemini itself gave that call; ids made up here never go out.
  const givenIds = new Map<string, string>();
  let results: Part[] | undefined;
  let turn = 0;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      if (results === undefined) {
        results = [];
        contents.push({ role: 'user', parts: results });
      }
      results.push(resultPart(message, givenIds.get(message.toolCallId)));
      continue;
    }
    results = undefined;
    const parts = message.role === 'user' ? userParts(message.content) : modelParts(message, givenIds);
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (message.role === 'user') {
      turn = contents.push({ role: 'user', parts });
    } else if (last?.role === 'model') {
      // A call may not follow another content of the model.
      last.parts.push(...parts);
    } else {
      contents.push({ role: 'model', parts });
    }
  }
  if (thinksInSignatures(model) && standIn(contents.slice(turn))) {
    warnings.push(
      "The conversation holds tool calls without Gemini's thought signature; they were sent with Google's stand-in for it, which may cost quality.",
    );
  }
  return contents;
}

function userParts(content: string | readonly ContentPart[]): Part[] {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.flatMap((part): Part[] => {
    if (part.type === 'text') return isBlank(part.text) ? [] : [{ text: part.text }];
    const { data, mediaType: mimeType } = part;
    return /^https?:\/\//i.test(data)
      ? [{ fileData: { mimeType, fileUri: data } }]
      : [{ inlineData: { mimeType, data } }];
  });
}

function modelParts(message: AssistantMessage, givenIds: Map<string, string>): Part[] {
  const known = stateParts(message);
  if (known !== undefined) {
    let next = 0;
    return known.flatMap((part): Part[] => {
      if (!isCall(part)) return saysNothing(part) ? [] : [part];
      const { functionCall } = part;
      const call = message.toolCalls[next++]!;
      if (isRealId(functionCall['id'])) givenIds.set(call.id, functionCall['id']);
      // Verbatim, unless the model wrote something that Gemini would not take back.
      return functionCall['args'] === undefined || isObject(functionCall['args'])
        ? [part]
        : [{ ...part, functionCall: { ...functionCall, args: replayedArguments(call.argumentsJson) } }];
    });
  }
  const text = isBlank(message.content) ? [] : [{ text: message.content }];
  const calls = message.toolCalls.map(({ name, argumentsJson }) => ({
    functionCall: { name, args: replayedArguments(argumentsJson) },
  }));
  return [...text, ...calls];
}

/** `response` has to be an object. The text stays text in it: Gemini reads a `$ref` key of an object as its own. */
function resultPart({ toolName, content, isError }: ToolMessage, id: string | undefined): Part {
  const response = isError ? { error: content } : { output: content };
  return { functionResponse: { ...(id === undefined ? {} : { id }), name: toolName, response } };
}

/**
 * Gemini 3 refuses a call of the current turn without a signature; of parallel calls it signs the first. Returns
 * whether one was missing.
 */
function standIn(turn: readonly { parts: Part[] }[]): boolean {
  let missing = false;
  for (const content of turn) {
    const first = content.parts.findIndex(isCall);
    const part = content.parts[first];
    if (part === undefined || part['thoughtSignature'] !== undefined) continue;
    content.parts[first] = { ...part, thoughtSignature: NO_SIGNATURE };
    missing = true;
  }
  return missing;
}

function saysNothing(part: Part): boolean {
  return Object.keys(part).length === 0 || (isPlainText(part) && isBlank(part.text));
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
