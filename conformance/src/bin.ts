#!/usr/bin/env node
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases/index.ts';
import { type AdapterUnderTest, runCases } from './run-cases.ts';
import { scorecard, scorecardBadge, scorecardMarkdown } from './scorecard.ts';
import { withoutSecrets } from './secrets.ts';

const USAGE = `Usage: glassloop-conformance MODULE [--out FOLDER | --only TEXT]

Runs the suite without a test runner. MODULE exports as default { name, wire, create, module?, deviations? },
the same that describeAdapter takes. --out writes scorecard.json, scorecard.md and badge.svg.
--only runs the cases whose id contains TEXT, such as "streaming" or "capture.raw".
Exit code: 0 when nothing fails, 1 when something does, 2 for wrong use.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  const [file, ...rest] = positionals;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (file === undefined || rest.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const { out, only } = values;
  if (out !== undefined && only !== undefined) {
    console.error('A scorecard of some cases would have holes: use --out without --only.');
    return 2;
  }
  if (only !== undefined && !cases.some((one) => one.id.includes(only))) {
    console.error(
      `--only: no case has "${only}" in its id. The ids stand in the README of @glassloop/conformance.`,
    );
    return 2;
  }
  const { default: subject } = (await import(pathToFileURL(resolve(file)).href)) as {
    default?: AdapterUnderTest;
  };
  if (typeof subject?.create !== 'function' || typeof subject.wire?.read !== 'function') {
    console.error(`${file}: the default export must be { name, wire, create }.`);
    return 2;
  }
  const results = await runCases(subject, {
    deviations: subject.deviations ?? {},
    ...(only !== undefined && { only: (one) => one.id.includes(only) }),
  });
  const card = scorecard(subject.name ?? file, subject.wire.name, results);
  console.log(scorecardMarkdown([card]));
  console.log(`${card.cases.length} cases in ${(card.durationMs / 1000).toFixed(1)} s`);
  if (out !== undefined) {
    await mkdir(out, { recursive: true });
    await writeFile(join(out, 'scorecard.json'), `${JSON.stringify(card, null, 2)}\n`);
    await writeFile(join(out, 'scorecard.md'), scorecardMarkdown([card]));
    await writeFile(join(out, 'badge.svg'), scorecardBadge(card));
  }
  return card.counts.fail === 0 ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(withoutSecrets(error instanceof Error ? error.message : String(error)));
    process.exitCode = 2;
  },
);
