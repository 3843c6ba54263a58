/** Text as it may leave the process: well-formed, measured in UTF-8 bytes, cut on a code point. */

/** The text with every lone surrogate replaced by U+FFFD; the very same string when there is none. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const encoder = new TextEncoder();

export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

/** Most UTF-8 bytes of a tool result, its cut marker included. */
const RESULT_BYTES = 50_000;

/** Room for the marker below with the largest numbers there are. */
const MARKER_BYTES = 80;

/** The text, or as much of it as fits into RESULT_BYTES with a visible marker at its end; `fullBytes` only when it was cut. */
export function boundedResult(text: string): { readonly content: string; readonly fullBytes?: number } {
  // A UTF-16 unit is at most three bytes, so most texts need no counting.
  if (text.length * 3 <= RESULT_BYTES) return { content: text };
  const buffer = new Uint8Array(RESULT_BYTES - MARKER_BYTES);
  const { read, written } = encoder.encodeInto(text, buffer);
  if (read === text.length) return { content: text };
  const fullBytes = utf8Bytes(text);
  if (fullBytes <= RESULT_BYTES) return { content: text };
  // Decoded from the bytes, not sliced: a slice would keep the whole long text alive.
  const head = new TextDecoder().decode(buffer.subarray(0, written));
  return { content: `${head}\n[cut here: ${written} of ${fullBytes} bytes shown]`, fullBytes };
}
