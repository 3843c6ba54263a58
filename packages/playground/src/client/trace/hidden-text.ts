/** Characters that a reader cannot see but a model reads: they are shown as labelled marks and counted. */

// Controls but tab, line feed and carriage return; soft hyphen; zero-width and bidi controls; invisible operators;
// variation selectors beyond emoji style; interlinear marks; byte order mark; Unicode tags.
const SOURCE =
  '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]|[\\u{E0000}-\\u{E01EF}]|[\\uD800-\\uDFFF]';
const HIDDEN = new RegExp(SOURCE, 'u');

/** Zero-width joiners inside an emoji are part of a visible character. */
const EMOJI_JOINER =
  /(\p{Extended_Pictographic}[\u{FE0F}\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic})/gu;

export type TextPiece = { readonly text: string } | { readonly mark: string; readonly text: string };

export function countHidden(value: unknown): number {
  if (typeof value !== 'string' || !HIDDEN.test(value)) return 0;
  let count = 0;
  for (const _ of withoutEmojiJoiners(value).matchAll(new RegExp(SOURCE, 'gu'))) count++;
  return count;
}

/** The text in stretches; those with a `mark` are one invisible character each. */
export function visiblePieces(value: string): readonly TextPiece[] {
  if (!HIDDEN.test(value)) return value === '' ? [] : [{ text: value }];
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of withoutEmojiJoiners(value).matchAll(new RegExp(SOURCE, 'gu'))) {
    if (match.index > from) pieces.push({ text: value.slice(from, match.index) });
    const end = match.index + match[0].length;
    pieces.push({ mark: nameOf(match[0]), text: value.slice(match.index, end) });
    from = end;
  }
  if (from < value.length) pieces.push({ text: value.slice(from) });
  return pieces;
}

/** Same length, so that positions stay. */
function withoutEmojiJoiners(value: string): string {
  return value.includes('\u200D') ? value.replace(EMOJI_JOINER, '$1_') : value;
}

const NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  27: 'ESC',
  127: 'DEL',
  173: 'SHY',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};

function nameOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code >= 0xe0020 && code <= 0xe007e) return `TAG ${String.fromCharCode(code - 0xe0000)}`;
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
