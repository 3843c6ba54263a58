/** The seven providers of the soak, in a process of their own, with every fault a network has. Talks over IPC. */

import { startSimulator, wireFormats } from '@glassloop/simulator';
import { random } from './random.js';

const { chance, pick, between } = random(Number(process.argv[2]));
const MEGABYTES = Number(process.argv[3]);
const BIG = 'x'.repeat(MEGABYTES * 1_000_000);
/** Big bodies in flight: one at a time, else the memory of the machine would be what is tested. */
let bigUntil = 0;

const answers = [
  () => ({ say: 'Done.' }),
  () => ({ say: 'Erledigt – 完了 🙂 '.repeat(between(1, 60)), pieceLength: between(20, 200) }),
  () => ({ think: 'Let me see. '.repeat(between(1, 20)), say: 'Done.' }),
];
const calls = () => ({
  callTools: Array.from({ length: between(1, 4) }, () => ({
    name: pick(['quick', 'slow', 'broken', 'long', 'unknown']),
    arguments: pick([{ n: between(0, 99) }, {}, { n: 'no number' }]),
  })),
});
const failures = [
  () => ({ fail: { status: 429, headers: { 'retry-after': '0' } } }),
  () => ({ fail: { status: 429, headers: { 'retry-after-ms': String(between(1, 30)) } } }),
  () => ({ fail: { status: pick([500, 502, 503, 529]) } }),
  () => ({ fail: { status: pick([400, 401, 404, 413]) } }),
  () => ({ reply: { status: 502, chunks: ['<html>Bad gateway</html>'] } }),
  () => ({ reply: { chunks: ['{"broken'] } }),
];
const connections = [
  () => ({ cutOff: 'before' }),
  () => ({ cutOff: between(1, 4) }),
  () => ({ endAfter: between(1, 4) }),
  () => ({ hang: 'before' }),
  () => ({ hang: 'midway' }),
  () => ({ delayMs: between(1, 200) }),
  () => ({ splitBytes: between(30, 500) }),
];

function turn() {
  if (chance(0.002) && Date.now() > bigUntil) {
    bigUntil = Date.now() + 3000;
    return chance(0.5)
      ? { say: BIG, pieceLength: 1_000_000 }
      : { reply: { status: pick([200, 500]), headers: { 'content-type': 'text/html' }, chunks: [BIG] } };
  }
  const said = chance(0.12) ? pick(failures)() : chance(0.6) ? calls() : pick(answers)();
  return chance(0.15) ? { ...said, ...pick(connections)() } : said;
}

const simulators = await Promise.all(
  Object.entries(wireFormats).map(async ([name, wire]) => [
    name,
    await startSimulator({ wire, respond: turn }),
  ]),
);
/** The simulator keeps every exchange for its test; this test would be about that alone. */
const forget = () => {
  for (const [, { exchanges }] of simulators) exchanges.length = 0;
};
setInterval(forget, 200).unref();
process.on('message', async () => {
  // Connections that the client has left open.
  const open = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  process.send({ open });
});
process.on('disconnect', () => process.exit());
process.send(Object.fromEntries(simulators.map(([name, { baseURL }]) => [name, baseURL])));
