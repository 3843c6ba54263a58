/**
 * Opaque state as a provider makes it: the client cannot read it, and a changed one is noticed. Ours holds the scripted token
 * and a checksum over it and the text it belongs to. What another provider made comes through as it is.
 */

const MARK = 'sim1.';

export function sealed(token: string, text = ''): string {
  return `${MARK}${checksum(`${token}\n${text}`)}.${token}`;
}

/** The token; undefined when the seal does not fit the text. */
export function opened(seal: string, text = ''): string | undefined {
  if (!seal.startsWith(MARK)) return seal;
  const token = seal.slice(MARK.length + 9);
  return sealed(token, text) === seal ? token : undefined;
}

/** FNV-1a: enough to notice an accident. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}
