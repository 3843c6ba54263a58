import { entriesIn, extreme } from './entries.ts';
import { superlativeIn } from './words.ts';

/** One call that was made, and what came of it. */
export interface Finding {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
  /** The result as it was sent; undefined when none came. */
  readonly text: string | undefined;
  readonly failed: boolean;
}

const MOST_NAMES = 10;

/** A sentence or two about one finding, for someone who asked `prompt`. */
export function tell(finding: Finding, prompt: string): string {
  const { name, text } = finding;
  if (text === undefined) return `${name} gave no result.`;
  if (finding.failed)
    return `${name} did not work: ${sentence(shortened(text.replace(/^error:\s*/i, ''), 300))}`;
  const value = decoded(text);
  const about = subject(finding);
  const looksLikeFile = typeof about === 'string' && /\.[a-z]\w*$/i.test(about);
  if (looksLikeFile) return summary(about, text, value);
  const list = listing(value, prompt);
  if (list !== undefined) return list;
  if (typeof value === 'number' && about !== undefined) return `${about} = ${text.trim()}.`;
  if (typeof value === 'object' && value !== null) return `${name}: ${sentence(fieldsAsWords(value))}`;
  if (text.trim() === '') return `${name} answered with nothing.`;
  if (text.includes('\n') || text.length > 200) return summary(name, text, value);
  return /time|clock|date/i.test(name)
    ? `It is ${sentence(text.trim())}`
    : `${name}: ${sentence(text.trim())}`;
}

/** The result as data where it is JSON. */
export function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function listing(value: unknown, prompt: string): string | undefined {
  const all = entriesIn(value);
  if (all.length === 0) {
    const empty =
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((field) => Array.isArray(field));
    return empty || (Array.isArray(value) && value.length === 0) ? 'There is nothing in it.' : undefined;
  }
  const entries = all.filter((entry) => entry.amount !== undefined);
  const direction = superlativeIn(prompt);
  if (direction !== 0) {
    const found = extreme(entries, direction);
    if (found === undefined) return undefined;
    const word = direction === 1 ? 'largest' : 'smallest';
    return `The ${word} of ${entries.length} is ${found.name}, with ${amount(found.amount ?? 0)} ${found.unit}.`;
  }
  const counted = all.length === 1 ? 'one entry' : `${all.length} entries`;
  const names = all.slice(0, MOST_NAMES).map((entry) => entry.name);
  const rest = all.length > MOST_NAMES ? `, and ${all.length - MOST_NAMES} more` : '';
  return `There ${all.length === 1 ? 'is' : 'are'} ${counted}: ${names.join(', ')}${rest}.`;
}

/** What a text is about, by its first heading and its first paragraph, or by the fields that say so. */
function summary(title: string, text: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) return `${title}: ${sentence(fieldsAsWords(value))}`;
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim());
  const heading = /^#{1,6}\s+(.+)$/m.exec(text)?.[1]?.trim();
  const paragraph = blocks
    .map((block) => block.replace(/^#{1,6}\s.*\n?/, '').trim())
    .find((block) => block !== '' && !/^(```|<|\[!|!\[|---|\|)/.test(block));
  const begins = paragraph
    ?.replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]/g, '');
  if (heading === undefined && begins === undefined) return `${title} is empty.`;
  if (heading === undefined) return `${title} begins: ${sentence(shortened(begins ?? '', 240))}`;
  if (begins === undefined) return `${title} is titled “${heading}” and says no more than that.`;
  return `${title} is titled “${heading}”. It says: ${sentence(shortened(begins, 240))}`;
}

function fieldsAsWords(value: object): string {
  const plain = Object.entries(value).filter(([, field]) =>
    ['string', 'number', 'boolean'].includes(typeof field),
  );
  if (plain.length === 0) return shortened(JSON.stringify(value), 200);
  return plain
    .slice(0, 6)
    .map(([key, field]) => `${key} ${shortened(String(field), 120)}`)
    .join(', ');
}

/** The first text among the arguments: the file, expression or place that was asked about. */
function subject(finding: Finding): string | undefined {
  return Object.values(finding.arguments).find((value) => typeof value === 'string') as string | undefined;
}

function amount(value: number): string {
  return value.toLocaleString('en-US');
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('').trimEnd()}…`;
}
