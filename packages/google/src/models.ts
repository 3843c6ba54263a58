/** What the model id tells of a model. Ids not recognised here count as ordinary thinking models. */

/** A plain id, or one with the prefix that the API itself uses. Anything else could leave its place in the URL. */
export const MODEL_ID = /^(?:(?:models|tunedModels)\/)?[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Gemini 3 and later, also behind the `-latest` names: calls of the current turn need a thought signature. */
export function thinksInSignatures(model: string): boolean {
  return /^(models\/)?gemini-(([3-9]|\d\d)(?!\d)|(pro|flash|flash-lite)-latest$)/.test(model);
}

/** Thinking is always on in these. https://ai.google.dev/gemini-api/docs/thinking */
export function alwaysThinks(model: string): boolean {
  return thinksInSignatures(model) || /gemini-2\.5-pro/.test(model);
}

/** These know no thinkingConfig at all and refuse it. */
export function neverThinks(model: string): boolean {
  return /gemini-(1\.|2\.0-(flash|pro)(?!.*thinking))|gemma|learnlm/.test(model);
}
