/** All words of the page, in the language that was chosen. Traces, error codes and tool names are never translated. */

import { signal } from '@preact/signals';
import type { en } from './en.ts';

export type Plural = { readonly one: string; readonly other: string };
/** The same keys in another language. */
export type Translated<English> = {
  readonly [key in keyof English]: English[key] extends string ? string : Plural;
};
export type Catalogue = Translated<typeof en>;
export type Key = keyof typeof en & string;
export type Language = 'en' | 'de' | 'pseudo';
export type Values = { readonly [name: string]: string | number };

export const language = signal<Language>('en');
/** Loaded before the first text is drawn; a person loads one language only. */
const catalogue = signal<Catalogue>({} as Catalogue);

/** BCP 47, for Intl and `lang`. */
export function locale(): string {
  return language.value === 'pseudo' ? 'en' : language.value;
}

/** `n` chooses the plural form; numbers are written as the language writes them. */
export function t(key: Key, values: Values = {}): string {
  const found = catalogue.value[key] as string | Plural;
  const text = typeof found === 'string' ? found : found[formOf(values['n'])];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? rules().numbers.format(value) : value;
  });
}

/** Whether the catalogue has a text of this name: for codes and states that come from outside. */
export function isKey(key: string): key is Key {
  return Object.hasOwn(catalogue.value, key);
}

export async function applyLanguage(chosen: Language): Promise<void> {
  catalogue.value = await load(chosen);
  language.value = chosen;
  if (typeof document === 'undefined') return;
  document.documentElement.lang = locale();
  document.documentElement.dir = chosen === 'pseudo' ? 'rtl' : 'ltr';
}

async function load(chosen: Language): Promise<Catalogue> {
  if (chosen === 'de') return (await import('./de.ts')).de;
  const english = (await import('./en.ts')).en as Catalogue;
  return chosen === 'pseudo' ? pseudo(english) : english;
}

export function preferredLanguage(): Language {
  return navigator.languages.some((tag) => tag.toLowerCase().startsWith('de')) &&
    !navigator.languages[0]?.toLowerCase().startsWith('en')
    ? 'de'
    : 'en';
}

/** Every text 40 % longer, with accents: what does not fit, or is not from the catalogue, is seen at once. */
function pseudo(english: Catalogue): Catalogue {
  const stretch = (text: string) => {
    const accented = text.replace(/\{\w+\}|[aeiou]/g, (part) => ACCENTS[part] ?? part);
    return `${accented}${'·'.repeat(Math.ceil(text.length * 0.4))}`;
  };
  return Object.fromEntries(
    Object.entries(english as Record<string, string | Plural>).map(([key, text]) => [
      key,
      typeof text === 'string' ? stretch(text) : { one: stretch(text.one), other: stretch(text.other) },
    ]),
  ) as unknown as Catalogue;
}

const ACCENTS: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' };

/** Made once for each language: they cost more to make than everything else a text does. */
const made = new Map<string, { readonly plurals: Intl.PluralRules; readonly numbers: Intl.NumberFormat }>();

function rules() {
  const tag = locale();
  let found = made.get(tag);
  if (found === undefined) {
    found = { plurals: new Intl.PluralRules(tag), numbers: new Intl.NumberFormat(tag) };
    made.set(tag, found);
  }
  return found;
}

function formOf(n: string | number | undefined): keyof Plural {
  return rules().plurals.select(Number(n ?? 0)) === 'one' ? 'one' : 'other';
}
