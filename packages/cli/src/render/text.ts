/** Foreign text made safe to print, and numbers made readable. */

/**
 * Everything that could steer a terminal or hide from a reader: C0 and C1 controls but for tab and line feed,
 * line separators, direction overrides, invisible characters, tag characters. Joiners that emoji need are not in it.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text with every unseen character written as an escape, lone surrogates as U+FFFD, line ends as `\n`. */
export function visible(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\u{${code.toString(16)}}`;
}

/** The text on one line of at most `width` characters, cut with an ellipsis. */
export function oneLine(text: string, width = 80): string {
  const line = visible(text.length > width * 4 ? text.slice(0, width * 4) : text)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : line;
}

/** A document that parses to exactly `value` and is safe on a terminal. */
export function printedJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  // All of these can stand only inside strings of the document, where an escape means the same.
  return text.replace(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 call`, `2 calls`. */
export function counted(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'unknown';
  if (ms < 1) return ms <= 0 ? '0 ms' : '<1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** US dollars, small amounts to three digits; 0 is `$0`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars < 1e-9) return '<$0.000000001';
  if (dollars >= 1) return `$${dollars.toFixed(2)}`;
  const digits = Math.min(12, Math.max(2, 2 - Math.floor(Math.log10(dollars))));
  return `$${dollars.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
