/** Numbers, durations, amounts and dates as the chosen language writes them. Unknown is a dash, 0 is 0. */

import { locale } from './i18n/index.ts';

export const UNKNOWN = '—';

const formats = new Map<string, Intl.NumberFormat>();

function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  const key = `${locale()} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale(), options);
    formats.set(key, format);
  }
  return format.format(value);
}

export function count(value: number | undefined): string {
  return value === undefined ? UNKNOWN : number(value);
}

/** `2 ms`, `412 ms`, `1.86 s`, `11.8 s`, `4 min 12 s`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  if (ms < 0.5) return unit(0, 'millisecond');
  if (ms < 999.5) return unit(Math.round(ms), 'millisecond');
  if (ms < 59_950) return unit(ms / 1000, 'second', ms < 9_995 ? 2 : 1);
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms - minutes * 60_000) / 1000);
  return seconds === 0 ? unit(minutes, 'minute') : `${unit(minutes, 'minute')} ${unit(seconds, 'second')}`;
}

/** `2–4 s`, `350–900 ms`, `800 ms – 1 min 5 s`: to a tenth of a second. */
export function durationRange(from: number, to: number): string {
  if (to < 999.5) return `${number(Math.round(from))}–${duration(to)}`;
  if (from < 999.5 || to >= 59_950) return `${duration(from)} – ${duration(to)}`;
  const [least, most] = [from, to].map((ms) => Math.round(ms / 100) / 10) as [number, number];
  const end = unit(most, 'second', 'as needed');
  return least === most ? end : `${number(least)}–${end}`;
}

/** The same in full words, for names that are read aloud. */
export function spokenDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  return ms < 999.5
    ? unit(Math.round(ms), 'millisecond', 0, 'long')
    : unit(Math.round(ms / 10) / 100, 'second', 'as needed', 'long');
}

function unit(
  value: number,
  name: 'millisecond' | 'second' | 'minute',
  digits: number | 'as needed' = 0,
  display: 'short' | 'long' = 'short',
): string {
  return number(value, {
    style: 'unit',
    unit: name,
    unitDisplay: display,
    ...(digits === 'as needed'
      ? { maximumFractionDigits: 2 }
      : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }).replace(/\b(sec\b|Sek\.)/, 's');
}

/** A point on the axis, without its unit: as fine as the distance between two ticks. */
export function axisTick(ms: number, stepMs: number, inSeconds: boolean): string {
  const [value, step] = inSeconds ? [ms / 1000, stepMs / 1000] : [ms, stepMs];
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return number(value, { minimumFractionDigits: value === 0 ? 0 : digits, maximumFractionDigits: digits });
}

/** US dollars, with as many digits as it takes to see something. */
export function cost(dollars: number | undefined): string {
  if (dollars === undefined) return UNKNOWN;
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.001 ? 4 : 6;
  return number(dollars, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function percent(share: number): string {
  if (share > 0 && share < 0.01) return `<${number(0.01, { style: 'percent' })}`;
  return number(share, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });
}

export function bytes(size: number | undefined): string {
  if (size === undefined) return UNKNOWN;
  const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  let [value, at] = [size, 0];
  while (value >= 1000 && at < steps.length - 1) [value, at] = [value / 1000, at + 1];
  return number(value, {
    style: 'unit',
    unit: steps[at]!,
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: at === 0 || value >= 100 ? 0 : 1,
  });
}

export function date(iso: string | number | undefined): string {
  const at = iso === undefined ? Number.NaN : new Date(iso).getTime();
  if (Number.isNaN(at)) return UNKNOWN;
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

export function day(iso: string): string {
  const at = new Date(iso).getTime();
  return Number.isNaN(at) ? iso : new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(at);
}

export function list(parts: readonly string[]): string {
  return new Intl.ListFormat(locale(), { type: 'conjunction', style: 'narrow' }).format(parts);
}

/** UTF-8 bytes of a text. */
export function utf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // A surrogate is half of four bytes.
    length += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return length;
}
