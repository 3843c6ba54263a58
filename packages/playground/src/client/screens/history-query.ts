/** What the address of the history asks for, and what is asked of the server. */

const NAMES = ['q', 'status', 'model', 'tool', 'from', 'to'] as const;
export type RunFilter = (typeof NAMES)[number];

/** As the server is asked: days of the reader become stretches of time. */
export function historyQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams();
  for (const name of NAMES) {
    const value = query.get(name) ?? '';
    if (value === '') continue;
    if (name === 'from') asked.set(name, instant(value, '00:00'));
    else if (name === 'to') asked.set(name, instant(value, '23:59:59.999'));
    else asked.set(name, value);
  }
  return asked;
}

/** What is no day goes to the server as it is, which says so. */
function instant(day: string, time: string): string {
  const at = new Date(`${day}T${time}`);
  return Number.isNaN(at.getTime()) ? day : at.toISOString();
}

export function isFiltered(query: URLSearchParams): boolean {
  return NAMES.some((name) => (query.get(name) ?? '') !== '');
}

/** Words between commas, each once. */
export function tagsOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}
