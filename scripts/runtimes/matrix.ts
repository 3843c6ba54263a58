/** What `runtimes` found out, and how it is shown. */

export interface RuntimeRow {
  /** Name and version, such as `Node 22.23.3`. */
  readonly runtime: string;
  /** Adapter → by `import` and by `require()`; a sentence where it fails. */
  readonly adapters: { readonly [adapter: string]: { readonly import: Outcome; readonly require: Outcome } };
}

export interface SdkRow {
  readonly adapter: string;
  readonly sdk: string;
  readonly version: string;
  /** What it ran on: the oldest Node that the SDK says it supports. */
  readonly runtime: string;
  /** The tool loop. */
  readonly loop: Outcome;
  /** The conformance suite, under the deviations that the adapter declares. */
  readonly suite: {
    readonly pass: number;
    readonly skip: number;
    readonly deviation: number;
    readonly fail: number;
  };
}

export type Outcome = true | string;

export interface Matrix {
  readonly runtimes: readonly RuntimeRow[];
  readonly sdks: readonly SdkRow[];
}

/** The two tables in Markdown cells: head and rows. */
export function runtimeTable({ runtimes }: Pick<Matrix, 'runtimes'>): Table {
  const names = Object.keys(runtimes[0]?.adapters ?? {});
  return {
    head: ['', ...names.map((name) => `\`${name}\``)],
    rows: runtimes.map(({ runtime, adapters }) => [
      runtime,
      ...names.map((name) => {
        const { import: imported = 'not run', require: required = 'not run' } = adapters[name] ?? {};
        if (imported !== true) return 'no';
        return required === true ? 'yes' : 'import only';
      }),
    ]),
  };
}

export function sdkTable({ sdks }: Pick<Matrix, 'sdks'>): Table {
  return {
    head: ['adapter', 'SDK', 'version', 'on', 'tool loop', 'pass', 'skipped', 'deviations', 'fail'],
    rows: sdks.map(({ adapter, sdk, version, runtime, loop, suite }) => [
      `\`${adapter}\``,
      `\`${sdk}\``,
      version,
      runtime,
      loop === true ? 'yes' : 'no',
      ...[suite.pass, suite.skip, suite.deviation, suite.fail].map(String),
    ]),
  };
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table in columns, as the formatter of this repository wants it. */
export function tableText({ head, rows: body }: Table): string {
  const rows = [head, ...body].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |`;
  const [first, ...rest] = rows.map((row) => line(row));
  return [
    first,
    line(
      head.map(() => ''),
      '-',
    ),
    ...rest,
  ].join('\n');
}

/** Everything that failed, a sentence each. */
export function failures({ runtimes, sdks }: Matrix): readonly string[] {
  return [
    ...runtimes.flatMap(({ runtime, adapters }) =>
      Object.entries(adapters).flatMap(([adapter, ways]) =>
        Object.entries(ways).flatMap(([way, outcome]) =>
          outcome === true ? [] : [`${adapter} by ${way} on ${runtime}: ${outcome}`],
        ),
      ),
    ),
    ...sdks.flatMap(({ adapter, sdk, version, loop, suite }) => [
      ...(loop === true ? [] : [`${adapter} with ${sdk} ${version}: ${loop}`]),
      ...(suite.fail === 0 ? [] : [`${adapter} with ${sdk} ${version}: ${suite.fail} cases fail`]),
    ]),
  ];
}

/** The alternatives of a range of carets, such as `^6.49.0 || ^7.0.0`, as the version each begins with. */
export function oldestOf(range: string): readonly string[] {
  return range.split('||').map((part) => {
    const [, version] = /^\s*\^(\d+\.\d+\.\d+)\s*$/.exec(part) ?? [];
    if (version === undefined)
      throw new Error(`"${part.trim()}" in "${range}" is no range of the form ^1.2.3`);
    return version;
  });
}
