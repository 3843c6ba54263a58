import type { CaseId } from './cases/index.ts';
import type { CaseResult } from './run-cases.ts';

/** What the suite found of one adapter, as data. */
export interface Scorecard {
  readonly adapter: string;
  /** The wire format it was tested over. */
  readonly wire: string;
  readonly counts: { readonly [outcome in CaseResult['outcome']]: number };
  /** Milliseconds of all cases. */
  readonly durationMs: number;
  readonly cases: readonly ScoredCase[];
}

export interface ScoredCase {
  readonly id: CaseId;
  readonly title: string;
  readonly outcome: CaseResult['outcome'];
  /** Why it was skipped, or the declared deviation; for a failure, what was wrong. */
  readonly reason?: string;
}

/** Results → scorecard. Nothing in it depends on the machine but `durationMs`. */
export function scorecard(adapter: string, wire: string, results: readonly CaseResult[]): Scorecard {
  const counts = { pass: 0, skip: 0, deviation: 0, fail: 0 };
  let durationMs = 0;
  for (const result of results) {
    counts[result.outcome]++;
    durationMs += result.durationMs;
  }
  return {
    adapter,
    wire,
    counts,
    durationMs: Math.round(durationMs),
    cases: results.map(({ id, title, outcome, reason, error }) => {
      const said = outcome === 'fail' ? messageOf(error) : reason;
      return { id, title, outcome, ...(said === undefined ? {} : { reason: said }) };
    }),
  };
}

/** A table of one line per adapter, and below it everything that is not a plain pass, with its reason. */
export function scorecardMarkdown(cards: readonly Scorecard[]): string {
  const lines = ['| adapter | pass | skipped | deviations | fail |', '|---|---:|---:|---:|---:|'];
  for (const { adapter, counts } of cards) {
    lines.push(
      `| ${cell(adapter)} | ${counts.pass} | ${counts.skip} | ${counts.deviation} | ${counts.fail} |`,
    );
  }
  for (const { adapter, cases } of cards) {
    const notable = cases.filter((one) => one.outcome !== 'pass');
    if (notable.length === 0) continue;
    lines.push('', `### ${adapter}`, '', '| case | | why |', '|---|---|---|');
    for (const { id, outcome, reason = '' } of notable)
      lines.push(`| \`${id}\` | ${outcome} | ${cell(reason)} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** A badge as SVG: passed of all that apply; red when something fails, yellow with deviations. Skipped cases count nowhere. */
export function scorecardBadge({ counts }: Scorecard): string {
  const applying = counts.pass + counts.deviation + counts.fail;
  const value = applying === 0 ? 'not run' : `${counts.pass}/${applying}`;
  const color =
    counts.fail > 0 ? '#c0392b' : applying === 0 ? '#7f8c8d' : counts.deviation > 0 ? '#b7950b' : '#1e8449';
  const [left, right] = [86, 16 + value.length * 7];
  const text = (x: number, content: string) =>
    `<text x="${x}" y="14" text-anchor="middle" fill="#fff" font-family="Verdana,sans-serif" font-size="11">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="conformance: ${value}">`,
    `<title>conformance: ${value}</title>`,
    `<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${color}"/>`,
    text(left / 2, 'conformance'),
    text(left + right / 2, value),
    '</svg>',
  ].join('');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
