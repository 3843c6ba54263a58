/** The list of cases and mutants in README.md, printed from the code. `pnpm readme` puts it in. */
import { type Area, type CaseId, cases } from '../src/index.ts';
import { mutants } from '../test/mutants.ts';

const BEGIN = '<!-- cases: generated -->';
const END = '<!-- /cases -->';

/** `readme` with the generated part put in anew. */
export function withCases(readme: string): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`README.md must hold ${BEGIN} and ${END}.`);
  return `${readme.slice(0, from)}${BEGIN}\n${generated()}${readme.slice(to)}`;
}

function generated(): string {
  const both = new Set(cases.filter((one) => one.id.endsWith('.streamed')).map((one) => withoutMode(one.id)));
  const listed = cases.filter((one) => !one.id.endsWith('.streamed'));
  const areas = [...new Set(listed.map((one) => one.area))];
  const lines = [
    '',
    `${cases.length} cases of ${listed.length} duties in ${areas.length} areas; ${mutants.length} mutants.`,
  ];
  for (const area of areas) lines.push('', `### ${area}`, '', ...areaLines(area, both));
  return `${lines.join('\n')}\n\n`;
}

function areaLines(area: Area, both: ReadonlySet<string>): string[] {
  const lines: string[] = [];
  for (const one of cases) {
    if (one.area !== area || one.id.endsWith('.streamed')) continue;
    const twin = both.has(one.id) ? `, \`${one.id}.streamed\`` : '';
    const needs = one.needs.length === 0 ? '' : ` Needs: ${one.needs.join(', ')}.`;
    lines.push(`- **\`${one.id}\`**${twin}: ${one.title}.`);
    lines.push(`  *Why:* ${one.why}${needs}`);
    const caught = mutants.filter((mutant) => mutant.caughtBy === one.id).map((mutant) => mutant.fault);
    lines.push(`  *Catches* an adapter that ${caught.join('; or that ')}.`);
  }
  return lines;
}

function withoutMode(id: CaseId): string {
  return id.replace(/\.streamed$/, '');
}
