import { asObject } from './json.ts';
import type { OllamaBody } from './to-request.ts';

/** Characters of one token, taken high so that the estimate is low: code and most languages need fewer. */
const CHARACTERS_PER_TOKEN = 5;

/** Below it, a difference says nothing. */
const NOTABLE_TOKENS = 1000;

/**
 * A sentence when the server read far fewer prompt tokens than were sent: it cuts what does not fit into its
 * context window, from the start, and still answers with 200.
 */
export function truncationWarning(body: OllamaBody, promptTokens: number | undefined): string | undefined {
  if (promptTokens === undefined) return undefined;
  let characters = body['tools'] === undefined ? 0 : JSON.stringify(body['tools']).length;
  for (const message of body.messages) {
    characters += message.content.length;
    if (message.role === 'assistant' && message.tool_calls !== undefined) {
      characters += JSON.stringify(message.tool_calls).length;
    }
  }
  const estimate = Math.floor(characters / CHARACTERS_PER_TOKEN);
  if (estimate - promptTokens < NOTABLE_TOKENS || promptTokens > estimate / 2) return undefined;
  const window = asObject(body['options'])?.['num_ctx'];
  const remedy =
    typeof window === 'number'
      ? `options.num_ctx is ${window}; raise it if the model allows`
      : 'set providerOptions.ollama.options.num_ctx';
  return `The server read ${promptTokens} prompt tokens of an estimated ${estimate} or more: the start of the conversation was probably cut off by the context window; ${remedy}.`;
}
