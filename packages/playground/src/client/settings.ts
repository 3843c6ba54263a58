/** What a person chose for this browser. Nothing of a run is kept here. */

import { effect, signal } from '@preact/signals';
import { applyLanguage, type Language, language, preferredLanguage } from './i18n/index.ts';

export type Theme = 'system' | 'light' | 'dark';

export const theme = signal<Theme>(stored('theme', ['system', 'light', 'dark'], 'system'));
/** Whether single letters are shortcuts (WCAG 2.1.4). */
export const letterKeys = signal(stored('keys', ['on', 'off'], 'on') === 'on');
/** Width of the step list in percent of the inspector. */
export const splitAt = signal(Math.min(75, Math.max(25, Number(read('split') ?? 49) || 49)));

export function startSettings(): Promise<void> {
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === 'system') delete dataset['theme'];
    else dataset['theme'] = theme.value;
    write('theme', theme.value);
  });
  effect(() => write('keys', letterKeys.value ? 'on' : 'off'));
  effect(() => write('split', String(splitAt.value)));
  return chooseLanguage(stored('language', ['en', 'de', 'pseudo'], preferredLanguage()));
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  await applyLanguage(chosen);
  if (chosen !== preferredLanguage() || read('language') !== null) write('language', language.value);
}

function stored<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
  const found = read(name);
  return values.find((value) => value === found) ?? fallback;
}

// A page opened from a file may have no storage at all.
function read(name: string): string | null {
  try {
    return localStorage.getItem(`glassloop.${name}`);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(`glassloop.${name}`, value);
  } catch {
    // Then it is forgotten with the page.
  }
}
