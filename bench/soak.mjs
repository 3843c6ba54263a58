/**
 * Two hundred runs at once, over all seven adapters, against providers that fail in every way they can.
 *
 *   node --expose-gc bench/soak.mjs [--seconds 120] [--runs 200] [--seed N] [--megabytes 50] [--fetch node|lean] [--adapters openai,…]
 */

import { fork } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { anthropic } from '@glassloop/anthropic';
import { defineTool, RunError, RunTrace, runLoop } from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { nodeFetch } from '@glassloop/node-fetch';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import { median } from './src/measure.js';
import { random } from './src/random.js';

if (globalThis.gc === undefined) {
  console.error('Run it with: node --expose-gc bench/soak.mjs');
  process.exit(2);
}
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    megabytes: { type: 'string', default: '50' },
    /** 'node' or 'lean'; default: both. */
    fetch: { type: 'string' },
    /** Names, with commas; default: all seven. */
    adapters: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
console.log(`soak: ${values.runs} runs at once for ${seconds} s, seed ${seed}`);

const faults = new Map();
/** What must not happen, counted; the first of each kind is shown. */
function fault(what, detail) {
  const count = (faults.get(what) ?? 0) + 1;
  faults.set(what, count);
  if (count === 1) console.log(`FAULT ${what}:`, detail);
}
process.on('unhandledRejection', (reason) => fault('unhandled rejection', reason));
process.on('uncaughtException', (error) => fault('uncaught exception', error));
process.on('warning', (warning) => fault('warning', warning));

const server = fork(fileURLToPath(new URL('src/soak-server.js', import.meta.url)), [
  String(seed),
  values.megabytes,
]);
const [baseURLs] = await once(server, 'message');
const lean = nodeFetch();
const ADAPTERS = { openai, anthropic, google, mistral, ollama, groq, openrouter };
const chosen = (values.adapters ?? Object.keys(ADAPTERS).join(',')).split(',');
const adapters = chosen.flatMap((name) => {
  const make = ADAPTERS[name];
  const settings = { model: 'soak', apiKey: 'soak-key-canary', baseURL: baseURLs[name], timeoutMs: 4000 };
  const both = { node: make(settings), lean: make({ ...settings, fetch: lean }) };
  return values.fetch === undefined ? Object.values(both) : [both[values.fetch]];
});

const { chance, pick, between } = random(seed + 1);
const tools = [
  defineTool({ name: 'quick', description: 'q', execute: ({ n }) => `n is ${n}` }),
  defineTool({
    name: 'slow',
    description: 's',
    execute: (_, { signal }) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve('late'), between(1, 100));
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      }),
  }),
  defineTool({
    name: 'broken',
    description: 'b',
    execute: () => {
      throw new Error('broken on purpose');
    },
  }),
  defineTool({ name: 'long', description: 'l', execute: () => 'lorem ipsum '.repeat(between(1, 5000)) }),
];

const folder = mkdtempSync(join(tmpdir(), 'glassloop-soak-'));
const ends = {};
let finished = 0;
let files = 0;
/** One signal that all may share: what listens to it must be gone in the end. */
const shared = new AbortController();
const STOP_REASONS = /^(completed|length|round_limit|limit|repeat|content_filter|incomplete)$/;

async function oneRun() {
  const own = chance(0.15) ? new AbortController() : undefined;
  const timer = own && setTimeout(() => own.abort(new Error('enough')), between(0, 500));
  const path = join(folder, `${files++}.ndjson`);
  const file = openSync(path, 'w');
  const captureRaw = chance(0.2);
  let seq = 0;
  writeSync(
    file,
    encodeTraceHeader({ id: path, startedAt: new Date().toISOString(), capturesRaw: captureRaw }),
  );
  const trace = new RunTrace({ captureRaw, onRecord: (step) => writeSync(file, encodeStep(step, ++seq)) });
  const run = {
    adapter: pick(adapters),
    messages: [{ role: 'user', content: 'Go on.' }],
    tools: chance(0.9) ? tools : [],
    maxRounds: between(1, 6),
    signal: own?.signal ?? (chance(0.5) ? shared.signal : undefined),
    retry: { baseDelayMs: 5 },
    ...(chance(0.5) ? { onDelta: () => {} } : {}),
    ...(chance(0.1) ? { limits: { durationMs: between(1, 500) } } : {}),
    ...(chance(0.1) ? { toolTimeoutMs: 20 } : {}),
  };
  try {
    const withTrace = chance(0.9) || captureRaw;
    const outcome = await runLoop(run, withTrace ? trace : undefined).catch((error) => error);
    judge(outcome, run);
    if (withTrace) judgeTrace(trace, path, outcome);
  } finally {
    clearTimeout(timer);
    closeSync(file);
    rmSync(path, { force: true });
    finished++;
  }
}

function judge(outcome, { adapter }) {
  const isError = outcome instanceof Error;
  if (isError && !(outcome instanceof RunError)) fault('an error that is no RunError', outcome);
  const reason = isError ? `RunError ${outcome.code}` : outcome.stopReason;
  if (!isError && !STOP_REASONS.test(reason)) fault('a result without a known stop reason', outcome);
  ends[reason] = (ends[reason] ?? 0) + 1;
  if (isError && (outcome.message ?? '').includes('canary')) fault('a key in an error', adapter.name);
  const messages = (isError ? outcome.result : outcome)?.messages ?? [];
  const asked = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  const answered = messages.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId);
  if (JSON.stringify(asked) !== JSON.stringify(answered)) fault('calls without results', { asked, answered });
}

function judgeTrace(trace, path, outcome) {
  const { steps } = trace;
  const last = steps.at(-1);
  if (last?.kind !== 'end' || steps.filter(({ kind }) => kind === 'end').length !== 1)
    fault(
      'a trace without exactly one end',
      steps.map(({ kind }) => kind),
    );
  const said = outcome instanceof Error ? /^(failed|aborted)$/ : STOP_REASONS;
  if (!said.test(last?.stopReason)) fault('a trace that ends otherwise than its run', last);
  if (trace.warnings.length > 0) fault('a warning of the trace', trace.warnings);
  const text = readFileSync(path, 'utf8');
  if (text.includes('canary')) fault('a key in a trace', path);
  const decoded = decodeTrace(text);
  if (decoded.problems.length > 0 || decoded.steps.length !== steps.length)
    fault('a trace file that cannot be read whole', decoded.problems);
}

const heap = [];
const until = performance.now() + seconds * 1000;
const sampling = setInterval(() => {
  globalThis.gc();
  heap.push(process.memoryUsage().heapUsed / 1e6);
}, 1000);
async function worker() {
  while (performance.now() < until)
    await oneRun().catch((error) => fault('a fault of the soak itself', error));
}
await Promise.all(Array.from({ length: Number(values.runs) }, worker));
clearInterval(sampling);

// What must be gone when all is done. Node's own fetch keeps idle connections for four seconds.
lean.close();
const left = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /^(TCPSocketWrap|TLSWrap|Timeout|GetAddrInfo)/.test(name));
for (let waited = 0; waited < 8000 && left().length > 0; waited += 200)
  await new Promise((resolve) => setTimeout(resolve, 200).unref());
globalThis.gc();
if (left().length > 0) fault('left over', left());
let open = 1;
for (let asked = 0; asked < 10 && open > 0; asked++) {
  if (asked > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  server.send('open');
  [{ open }] = await once(server, 'message');
}
if (open > 0) fault('connections open at the providers', open);
const listeners = getEventListeners(shared.signal, 'abort').length;
if (listeners > 0) fault('listeners on a signal', listeners);
const third = Math.floor(heap.length / 3);
const early = median(heap.slice(Math.min(third, 3), third + 3));
const late = median(heap.slice(-third));
if (heap.length >= 15 && late > early * 1.3 + 10)
  fault('a heap that grows (MB)', heap.map(Math.round).join(' '));
server.disconnect();
rmSync(folder, { recursive: true, force: true });

console.log(
  `${finished} runs; heap ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late, peak RSS ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
);
for (const [reason, count] of Object.entries(ends).sort(([, a], [, b]) => b - a))
  console.log(`${String(count).padStart(8)}  ${reason}`);
for (const [what, count] of faults) console.log(`FAULT ${what}: ${count}`);
console.log(faults.size === 0 ? 'no faults' : `${faults.size} kinds of faults; repeat with --seed ${seed}`);
process.exitCode = faults.size === 0 ? 0 : 1;
