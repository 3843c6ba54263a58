import { InvalidArgumentError } from 'commander';

/** Values of flags, checked. What is thrown becomes an error that names the flag and the value. */

export function number(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= low && value <= high) return value;
    throw new InvalidArgumentError(`Expected a number from ${low} to ${high}.`);
  };
}

export function wholeNumber(low: number, high = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= low && value <= high) return value;
    throw new InvalidArgumentError(
      high === Number.MAX_SAFE_INTEGER
        ? `Expected a whole number, ${low} or more.`
        : `Expected a whole number from ${low} to ${high}.`,
    );
  };
}

export function url(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an http(s) URL, such as http://127.0.0.1:8080/v1.');
}

/** For an option that may be repeated. */
export function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

export function filled(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Expected a text that is not blank.');
}
