import { describe, expect, it } from 'vitest';
import { historyQuery, tagsOf } from './history-query.ts';

describe('what the history asks for', () => {
  it('days are those of the reader, whole', () => {
    const asked = historyQuery(new URLSearchParams('from=2026-03-01&to=2026-03-01&q=x&status=&other=y'));
    expect(Object.fromEntries(asked)).toEqual({
      q: 'x',
      from: new Date(2026, 2, 1).toISOString(),
      to: new Date(2026, 2, 1, 23, 59, 59, 999).toISOString(),
    });
  });
  it('what is no day is left to the server, which says so', () => {
    expect(historyQuery(new URLSearchParams('from=yesterday')).get('from')).toBe('yesterday');
  });
});

it.each([
  ['', []],
  [' , ,', []],
  ['slow', ['slow']],
  ['to look at,  slow , slow', ['to look at', 'slow']],
])('tags of "%s"', (text, tags) => {
  expect(tagsOf(text)).toEqual(tags);
});
