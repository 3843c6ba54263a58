/** Colours by meaning. The plain style adds nothing; renderers take either. */

export interface Style {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly name: (text: string) => string;
}

const same = (text: string): string => text;

export const plainStyle: Style = {
  strong: same,
  faint: same,
  good: same,
  bad: same,
  warn: same,
  name: same,
};

const code =
  (open: number, close: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`;

export const colourStyle: Style = {
  strong: code(1, 22),
  faint: code(2, 22),
  good: code(32, 39),
  bad: code(31, 39),
  warn: code(33, 39),
  name: code(36, 39),
};

/** Colours only on a terminal that has them, and never with NO_COLOR (https://no-color.org). */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: { readonly [name: string]: string | undefined },
): Style {
  const wanted = stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return wanted ? colourStyle : plainStyle;
}
