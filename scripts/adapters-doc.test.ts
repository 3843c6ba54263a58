/**
 * docs/adapters.md and docs/badges are up to date. With `ADAPTERS_DOC_FROM` set to a folder of scorecards they are
 * written instead; `adapters-doc.mjs` does that after it has run the suites.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import {
  type AdapterUnderTest,
  type CaseResult,
  cases,
  runCase,
  type Scorecard,
  scorecard,
  scorecardBadge,
} from '../conformance/src/index.ts';
import { unmetNeed } from '../conformance/src/subject.ts';
import { type Adapter, AdapterError } from '../packages/core/src/adapter/index.ts';
import { type AdapterFacts, adaptersDocument } from './adapters-doc.ts';
import type { Matrix } from './runtimes/matrix.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { ADAPTERS_DOC_FROM: scorecards = '' } = process.env;
const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'] as const;
type Name = (typeof ADAPTERS)[number];

const declared = vi.hoisted(() => new Map<string, unknown>());
// The subjects stand in the conformance tests and nowhere else: importing those with this stand-in collects them.
vi.mock('../conformance/src/describe-adapter.ts', () => ({
  describeAdapter: (name: string, adapter: unknown) => declared.set(name, adapter),
}));

it('docs/adapters.md and its badges say what the adapters and the suite say', async () => {
  const before = readOr(join(root, 'docs/adapters.md'), '');
  const facts: AdapterFacts[] = [];
  for (const name of ADAPTERS) {
    await import(`../packages/${name}/test/conformance.test.ts`);
    const subject = declared.get(name) as AdapterUnderTest;
    const adapter = subject.create({ baseURL: 'http://127.0.0.1:9', apiKey: 'no-key' });
    const card =
      scorecards === ''
        ? await expectedCard(adapter, subject, before)
        : read<Scorecard>(join(scorecards, `${name}.json`));
    facts.push({ adapter, keyVariable: await keyVariable(name), sdk: sdkOf(name), card });
  }
  const matrix = read<Matrix>(join(root, 'scripts/runtimes.json'));
  const files: Record<string, string> = { 'adapters.md': adaptersDocument(facts, matrix) };
  for (const { adapter, card } of facts) files[`badges/${adapter.name}.svg`] = `${scorecardBadge(card)}\n`;

  if (scorecards !== '') {
    mkdirSync(join(root, 'docs/badges'), { recursive: true });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, 'docs', path), text);
  }
  for (const [path, text] of Object.entries(files)) {
    expect(readOr(join(root, 'docs', path), ''), `docs/${path}: run npx pnpm@10.34.9 adapters-doc`).toBe(
      text,
    );
  }
  expect(readdirSync(join(root, 'docs/badges')).sort()).toEqual(ADAPTERS.map((name) => `${name}.svg`).sort());
}, 60_000);

/**
 * The scorecard of an adapter whose own conformance test is green, without running it a second time: what applies and
 * what deviates is known beforehand. A case may also find out for itself that it does not apply; those that the
 * document has as skipped for this adapter are run.
 */
async function expectedCard(
  adapter: Adapter,
  subject: AdapterUnderTest,
  document: string,
): Promise<Scorecard> {
  const skipped = skippedCases(document, adapter.name);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const { id, title } = one;
    const reason = subject.deviations?.[id];
    const unmet = unmetNeed(one.needs, adapter.capabilities, subject.wire);
    if (reason !== undefined) results.push({ id, title, outcome: 'deviation', reason, durationMs: 0 });
    else if (unmet !== undefined) results.push({ id, title, outcome: 'skip', reason: unmet, durationMs: 0 });
    else if (skipped.includes(`\`${id.replace(/\.streamed$/, '')}\``))
      results.push(await runCase(subject, one));
    else results.push({ id, title, outcome: 'pass', durationMs: 0 });
  }
  return scorecard(adapter.name, subject.wire.name, results);
}

/** The list of an adapter's skipped cases in the document. */
function skippedCases(document: string, adapter: string): string {
  const lists = document.slice(document.indexOf('## What does not apply')).split('\n### ');
  return lists.find((list) => list.startsWith(`${adapter}\n`)) ?? '';
}

/** The variable that an adapter asks for when there is no key at all. */
async function keyVariable(name: Name): Promise<string | undefined> {
  const { [name]: factory } = await import(`../packages/${name}/src/index.ts`);
  for (const variable of Object.keys(process.env))
    if (/_API_KEY$/.test(variable)) vi.stubEnv(variable, undefined);
  try {
    factory({ model: 'any' });
    return undefined;
  } catch (error) {
    if (!(error instanceof AdapterError) || error.code !== 'auth') throw error;
    return /\b[A-Z][A-Z_]*_(API_)?KEY\b/.exec(error.hint)?.[0];
  } finally {
    vi.unstubAllEnvs();
  }
}

function sdkOf(adapter: Name): AdapterFacts['sdk'] {
  const folder = join(root, 'packages', adapter);
  const { dependencies } = read<{ dependencies: Record<string, string> }>(join(folder, 'package.json'));
  const [[name, range] = ['', '']] = Object.entries(dependencies).filter(
    ([one]) => !one.startsWith('@glassloop/'),
  );
  const { version } = read<{ version: string }>(join(folder, 'node_modules', name, 'package.json'));
  return { name, range, version };
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
