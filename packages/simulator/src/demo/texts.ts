import { entriesIn, extreme } from './entries.ts';
import { conceptsIn, superlativeIn } from './words.ts';

/** Values that can be told by their looks, out of a sentence. */

export function pathIn(toolName: string, text: string, results: readonly unknown[]): string | undefined {
  const folder = /list|folder|dir/i.test(toolName);
  if (folder) {
    const named =
      /\b(?:folder|directory)\s+["'`]?([\w.][\w./-]*)["'`]?/i.exec(text)?.[1] ??
      /["'`]?([\w.][\w./-]*)["'`]?\s+(?:folder|directory)\b/i.exec(text)?.[1] ??
      /(?:^|\s)["'`]?((?:[\w.-]+\/)+[\w-]*)(?=$|[\s"'`),:])/.exec(text)?.[1];
    const filler = /^(this|the|that|a|current|my|which|is|are|has|in|\.)$/i;
    return named === undefined || filler.test(named) ? undefined : named.replace(/[./]+$/, '') || undefined;
  }
  const file = /(?:^|[\s"'`(])((?:[\w.-]+\/)*[\w-][\w.-]*\.[a-z][a-z0-9]{0,7})(?=$|[\s"'`),.:])/i.exec(
    text,
  )?.[1];
  if (file !== undefined) return file;
  // Only one that is to be read: which one is the largest, its list says already.
  const direction = conceptsIn(text).has('read') ? superlativeIn(text) : 0;
  const entries = results.map(entriesIn).find((found) => found.length > 0);
  return direction === 0 || entries === undefined ? undefined : extreme(entries, direction)?.name;
}

export function expressionIn(text: string): string | undefined {
  const spoken = text
    .replace(/\s+/g, ' ')
    .replace(/\bplus\b/gi, '+')
    .replace(/\bminus\b/gi, '-')
    .replace(/\btimes\b|\bmultiplied by\b/gi, '*')
    .replace(/\bdivided by\b/gi, '/')
    .replace(/\bto the power of\b/gi, '^')
    .replace(/\b(?:the )?square root of (\d+(?:\.\d+)?)/gi, 'sqrt($1)')
    .replace(/(\d+(?:\.\d+)?)\s*(?:%|percent) of (\d+(?:\.\d+)?)/gi, '$1 / 100 * $2');
  const candidates =
    spoken.match(/(?:(?:sqrt|abs|round|floor|ceil|min|max)(?=\s*\()|[\d.,+\-*/^%()×÷−·\s])+/gi) ?? [];
  const fitting = candidates
    .map((candidate) =>
      candidate
        .trim()
        .replace(/[.,\s]+$/, '')
        .replace(/^[.,*/^%\s]+/, ''),
    )
    .filter((candidate) => /\d\s*\)*\s*[-+*/^%×÷−·]+\s*[(\s]*[-\da-z]|[a-z]+\s*\(.*\d/i.test(candidate));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

let cities: readonly (readonly [city: string, zone: string])[] | undefined;

/** The IANA zone of a city that the text names. */
export function timeZoneIn(text: string): string | undefined {
  const plain = text.toLowerCase();
  const written = /\b[A-Z][a-z]+(?:\/[A-Z][A-Za-z_]+)+\b/.exec(text)?.[0];
  if (written !== undefined) return written;
  const words = ` ${plain.replace(/[^\p{L}\d]+/gu, ' ')} `;
  cities ??= Intl.supportedValuesOf('timeZone').map((zone) => {
    const city = zone.slice(zone.lastIndexOf('/') + 1);
    return [` ${city.replace(/[_-]/g, ' ').toLowerCase()} `, zone] as const;
  });
  const zone = cities.find(([city]) => words.includes(city))?.[1];
  return zone ?? (/\b(utc|gmt)\b/.test(plain) ? 'UTC' : undefined);
}

export function quoted(text: string): string | undefined {
  return /["“”'‘`]([^"“”'’`]+)["“”'’`]/.exec(text)?.[1];
}

/** What is left of a command when its first word is taken off: "Search the web for cats" → "the web for cats". */
export function remainder(text: string): string | undefined {
  const rest = text
    .replace(/^\s*(?:please\s+)?\S+\s*/i, '')
    .replace(/^(?:(?:the web|the internet|me)\s+)?(?:for|about|that|to)?\s*/i, '');
  return rest.trim() === '' ? undefined : rest.trim();
}

export function hasWord(text: string, word: string): boolean {
  if (word === '') return false;
  return new RegExp(`(?<![\\p{L}\\d])${escaped(word)}(?![\\p{L}\\d])`, 'iu').test(text);
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
