/** The rows of a JSON tree: only containers that are open have any, long lists come in pages, long texts are cut. */

export interface JsonRow {
  /** From the root, unique: `$.messages[0].content`. */
  readonly path: string;
  readonly depth: number;
  readonly name?: string;
  readonly value: unknown;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal' | 'more';
  readonly isOpen?: boolean;
  /** Entries of a container. */
  readonly size?: number;
  /** Of its parent, from 1. */
  readonly position: number;
  readonly siblings: number;
}

export const PAGE = 200;

/** `pages`: how many pages of a list are shown, by path; absent: one. */
export function jsonRows(
  value: unknown,
  open: ReadonlySet<string>,
  pages: ReadonlyMap<string, number>,
): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (
    item: unknown,
    path: string,
    depth: number,
    position: number,
    siblings: number,
    name?: string,
  ) => {
    const kind = kindOf(item);
    const entries = kind === 'object' || kind === 'array' ? entriesOf(item as object) : undefined;
    const isOpen = entries === undefined ? undefined : open.has(path);
    rows.push({
      path,
      depth,
      ...(name === undefined ? {} : { name }),
      value: item,
      kind,
      ...(entries === undefined ? {} : { isOpen: isOpen as boolean, size: entries.size }),
      position,
      siblings,
    });
    if (entries === undefined || !isOpen) return;
    const shown = Math.min(entries.size, PAGE * (pages.get(path) ?? 1));
    const rest = entries.size - shown;
    const count = shown + (rest > 0 ? 1 : 0);
    for (let index = 0; index < shown; index++) {
      const key = entries.key(index);
      visit(entries.value(index), childPath(path, key), depth + 1, index + 1, count, String(key));
    }
    if (rest > 0) {
      rows.push({
        path: `${path}…`,
        depth: depth + 1,
        value: rest,
        kind: 'more',
        position: count,
        siblings: count,
      });
    }
  };
  visit(value, '$', 0, 1, 1);
  return rows;
}

/** Paths that are open at first: two levels, as long as they are small. */
export function openAtFirst(value: unknown, levels = 3): ReadonlySet<string> {
  const open = new Set<string>();
  const visit = (item: unknown, path: string, level: number) => {
    const kind = kindOf(item);
    if (kind !== 'object' && kind !== 'array') return;
    const entries = entriesOf(item as object);
    if (level > 0 && (level >= levels || entries.size > 30)) return;
    open.add(path);
    for (let index = 0; index < Math.min(entries.size, 30); index++) {
      visit(entries.value(index), childPath(path, entries.key(index)), level + 1);
    }
  };
  visit(value, '$', 0);
  return open;
}

/** A picture or other bytes written as text: shown as what it is, not as 200 KB of letters. */
export function base64Chip(value: string): { readonly type: string; readonly bytes: number } | undefined {
  const data = /^data:([\w.+-]+\/[\w.+-]+);base64,/.exec(value.slice(0, 200));
  const body = data === null ? value : value.slice(data[0].length);
  if (body.length < 400 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(body.length > 4000 ? body.slice(0, 4000) : body))
    return undefined;
  if (data === null && !/[0-9]/.test(body.slice(0, 400))) return undefined;
  return { type: data?.[1] ?? sniffed(body), bytes: Math.floor((body.replace(/=+$/, '').length * 3) / 4) };
}

/** Raster pictures by their first bytes. */
function sniffed(base64: string): string {
  if (base64.startsWith('iVBORw0KGgo')) return 'image/png';
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  if (base64.startsWith('R0lGOD')) return 'image/gif';
  if (base64.startsWith('UklGR')) return 'image/webp';
  return 'base64';
}

/** A number whose text says more than a double can hold keeps its text. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.parse`, but numbers that would lose digits become an ExactNumber. Throws as JSON.parse does. */
export function parseExact(text: string): unknown {
  // Only a text with a long row of digits can hold such a number.
  if (!/\d{16}|\d\.\d{16}|[eE]\+?\d{3}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key, value, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return isExact(value, source) ? value : new ExactNumber(source);
  }) as (key: string, value: unknown) => unknown);
}

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) || BigInt(value).toString() === source;
  return source.replace(/[^0-9]/g, '').replace(/^0+/, '').length <= 17;
}

function kindOf(value: unknown): JsonRow['kind'] {
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  if (typeof value === 'object' && value !== null) return 'object';
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'literal';
}

interface Entries {
  readonly size: number;
  key(index: number): string | number;
  value(index: number): unknown;
}

function entriesOf(container: object): Entries {
  if (Array.isArray(container)) {
    return { size: container.length, key: (index) => index, value: (index) => container[index] };
  }
  const keys = Object.keys(container);
  return {
    size: keys.length,
    key: (index) => keys[index] as string,
    value: (index) => (container as Record<string, unknown>)[keys[index] as string],
  };
}

function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
