/** What a text looks like, so that it can be shown as that: JSON, a table, a diff, colours of a terminal, or just text. */

import { parseExact } from './json-rows.ts';

export type TextShape =
  | { readonly shape: 'json'; readonly value: unknown; readonly table?: Table }
  | { readonly shape: 'ansi' }
  | { readonly shape: 'diff' }
  | { readonly shape: 'text' };

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const LARGEST_PARSED = 50_000_000;

export function shapeOf(text: string, kind: 'prose' | 'data' = 'data'): TextShape {
  const start = text.slice(0, 200).trimStart();
  if ((start.startsWith('{') || start.startsWith('[')) && text.length <= LARGEST_PARSED) {
    try {
      const value = parseExact(text);
      const table = tableOf(value);
      return { shape: 'json', value, ...(table === undefined ? {} : { table }) };
    } catch {
      // Not JSON after all.
    }
  }
  if (kind === 'prose') return { shape: 'text' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one
  if (/\u001b\[[\d;]*m/.test(text.slice(0, 20_000))) return { shape: 'ansi' };
  if (/^(diff --git |--- .*\n\+\+\+ |@@ -\d)/m.test(text.slice(0, 5000)) && /^[+-]/m.test(text))
    return { shape: 'diff' };
  return { shape: 'text' };
}

/** A list of objects with mostly the same few fields. */
function tableOf(value: unknown): Table | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const columns = new Set<string>();
  for (const row of value.slice(0, 50)) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return undefined;
    for (const key of Object.keys(row)) columns.add(key);
    if (columns.size > 8) return undefined;
  }
  if (columns.size === 0) return undefined;
  return { columns: [...columns], rows: value as Record<string, unknown>[] };
}
