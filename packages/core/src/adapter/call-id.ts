/** Call ids for providers that give none, and for those that are strict about their form. */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * An id for a call that came without one: unique over all conversations for practical purposes (62^9 of them), and
 * already in the form of the strictest provider (Mistral: nine letters or digits).
 */
export function newCallId(): string {
  return letters(crypto.getRandomValues(new Uint8Array(9)));
}

/** Nine letters or digits made from any id; the same id always gives the same ones. */
export function nineLetterId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  // Two FNV-1a hashes with different seeds: stable across processes, and far more than any one conversation needs.
  const bytes = new Uint8Array(9);
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let index = 0; index < id.length; index++) {
    low = Math.imul(low ^ id.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(index), 0x85ebca6b) ^ (high >>> 13);
  }
  for (let index = 0; index < 9; index++) {
    const word = index < 5 ? low : high;
    bytes[index] = (word >>> ((index % 5) * 6)) & 0xff;
  }
  return letters(bytes);
}

function letters(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += ALPHABET[byte % ALPHABET.length];
  return text;
}
