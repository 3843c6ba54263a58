import { beforeEach, describe, expect, it } from 'vitest';
import * as format from '../format.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { applyLanguage, type Plural, t } from './index.ts';

const placeholders = (text: string | Plural) =>
  [...new Set((typeof text === 'string' ? text : text.one + text.other).match(/\{\w+\}/g))].sort();

describe('the catalogues', () => {
  it('say the same things with the same values', () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(en)) {
      const other = de[key as keyof typeof de];
      expect([key, typeof other, placeholders(other)]).toEqual([
        key,
        typeof text,
        placeholders(text as string | Plural),
      ]);
    }
  });
  it('write numbers and plurals as the language does', async () => {
    await applyLanguage('en');
    expect([t('tokens.long', { n: 1 }), t('tokens.long', { n: 1234 })]).toEqual(['1 token', '1,234 tokens']);
    await applyLanguage('de');
    expect([t('tokens.long', { n: 1 }), t('tokens.long', { n: 1234 })]).toEqual(['1 Token', '1.234 Tokens']);
    expect(format.duration(1860)).toBe('1,86 s');
    await applyLanguage('pseudo');
    expect(t('form.run')).not.toBe('Run');
    expect(t('tokens.long', { n: 5 })).toContain('5');
  });
});

describe('numbers', () => {
  beforeEach(() => applyLanguage('en'));
  it.each([
    [0, '0 ms'],
    [2, '2 ms'],
    [412, '412 ms'],
    [1860, '1.86 s'],
    [11_780, '11.8 s'],
    [252_000, '4 min 12 s'],
    [undefined, '—'],
  ])('%s ms', (ms, text) => {
    expect(format.duration(ms)).toBe(text);
  });
  it.each([
    [2000, 4000, '2–4 s'],
    [1960, 2040, '2 s'],
    [1240, 12_345, '1.2–12.3 s'],
    [350, 900, '350–900 ms'],
    [800, 1500, '800 ms – 1.50 s'],
    [800, 65_000, '800 ms – 1 min 5 s'],
  ])('from %s to %s ms', (from, to, text) => {
    expect(format.durationRange(from, to)).toBe(text);
  });
  it.each([
    [412, '412 milliseconds'],
    [1000, '1 second'],
    [2120, '2.12 seconds'],
    [61_500, '61.5 seconds'],
  ])('%s ms, read aloud', (ms, text) => {
    expect(format.spokenDuration(ms)).toBe(text);
  });
  it('0 is 0, unknown is a dash', () => {
    expect([format.count(0), format.count(undefined)]).toEqual(['0', '—']);
    expect([format.cost(0), format.cost(0.0345), format.cost(0.000012), format.cost(undefined)]).toEqual([
      '$0.00',
      '$0.0345',
      '$0.000012',
      '—',
    ]);
    expect(format.utf8Length('aé🦉')).toBe(7);
  });
});
