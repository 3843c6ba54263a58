/** All measurements, one after another; README.md says what each means. Run with: pnpm bench [sections] [options] */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { growth } from './sections/growth.js';
import { loopback } from './sections/loopback.js';
import { memory, traceSize } from './sections/memory.js';
import { ownCost } from './sections/own-cost.js';
import { peers } from './sections/peers.js';
import { weight } from './sections/weight.js';
import { rows } from './src/report.js';

const SECTIONS = { weight, 'own-cost': ownCost, memory, trace: traceSize, growth, loopback };
const USAGE = `pnpm bench [${Object.keys(SECTIONS).join(' | ')} …] [--rounds 10,50,200] [--quick] [--peers] [--json FILE]

  Without names, all sections. --rounds: of the loopback section; 800 takes minutes.
  --peers: the same work by other libraries, installed in a temporary folder.
  --quick: a fifth of the time, for a first look.`;

if (globalThis.gc === undefined) {
  execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
} else {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '10,50,200' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = values.rounds.split(',').map(Number);
  const unknown = positionals.filter((name) => !Object.hasOwn(SECTIONS, name));
  if (values.help || unknown.length > 0 || !rounds.every((count) => count >= 1 && count <= 999)) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  const plan = {
    rounds,
    quick: values.quick,
    seconds: (count) => (values.quick ? count / 5 : count),
  };
  const names = positionals.length > 0 ? positionals : values.peers ? [] : Object.keys(SECTIONS);
  const load = () => loadavg()[0].toFixed(1);
  const before = load();
  console.log(
    `Node ${process.version}, load ${before}. Medians of interleaved blocks, the middle half in brackets; ratios are taken block by block.`,
  );
  for (const name of names) await SECTIONS[name](plan);
  if (values.peers) await peers(plan);
  const missed = rows.filter(({ verdict }) => verdict === 'MISSED').length;
  const met = rows.filter(({ verdict }) => verdict === 'ok').length;
  console.log(`\n${met} within their target, ${missed} missed; load at the end ${load()}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
}
