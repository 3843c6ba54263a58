/** All measurements, one after another; see README.md for what each means. Run with: pnpm bench */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { encodeStep } from '@glassloop/core/trace-file';
import { build } from 'esbuild';
import { glassloop, newTrace, rawLoop } from './src/loops.js';
import { interleaved, median } from './src/measure.js';
import { inProcessFetch } from './src/provider.js';

const here = dirname(fileURLToPath(import.meta.url));
const rows = [];
/** A measurement against its target; `value` is what is compared. */
function report(what, value, target, note = '') {
  const verdict = target === undefined ? '' : value <= target ? 'ok' : 'MISSED';
  rows.push({ what, value: Number(value.toFixed(3)), target: target ?? '', verdict, note });
  console.log(
    `${verdict.padEnd(7)} ${what.padEnd(66)} ${value.toFixed(3).padStart(9)} ${target === undefined ? '' : `≤ ${target}`}  ${note}`,
  );
}

async function ownCost() {
  const plan = { rounds: 10, resultBytes: 1000 };
  const work = { ...plan, fetch: inProcessFetch(plan) };
  const result = await interleaved(
    { raw: rawLoop(work), plain: glassloop(work), traced: glassloop(work, newTrace) },
    { blocks: 21, callsPerBlock: 40 },
  );
  const perRound = (name) =>
    `${(result[name].cpu / (work.rounds + 1)).toFixed(0)} µs a round, raw ${(result.raw.cpu / (work.rounds + 1)).toFixed(0)}`;
  report(
    'own cost, 10 rounds of 1 KB, CPU: without trace / raw SDK loop',
    result.plain.cpuRatio,
    1.25,
    perRound('plain'),
  );
  report(
    'own cost, 10 rounds of 1 KB, CPU: with trace / raw SDK loop',
    result.traced.cpuRatio,
    1.5,
    perRound('traced'),
  );
}

async function loopback() {
  const work = { rounds: 50, resultBytes: 20_000 };
  const server = spawn(process.execPath, [join(here, 'src/loopback-server.js'), String(work.rounds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout.setEncoding('utf8'), 'data');
  const at = { ...work, baseURL: `http://127.0.0.1:${port.trim()}/v1` };
  const result = await interleaved(
    { raw: rawLoop(at), plain: glassloop(at), traced: glassloop(at, newTrace) },
    { blocks: 15, callsPerBlock: 2 },
  );
  server.stdin.end();
  report('loopback, 50 rounds of 20 KB, wall: without trace / raw SDK loop', result.plain.wallRatio, 1.05);
  report('loopback, 50 rounds of 20 KB, wall: with trace / raw SDK loop', result.traced.wallRatio, 1.1);
  report('loopback, 50 rounds of 20 KB, client CPU: without trace / raw', result.plain.cpuRatio);
}

/** Bytes that stay alive for each finished run whose result is kept. */
async function retained(make) {
  await make();
  const kept = [];
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < 40; run++) kept.push(await make());
  globalThis.gc();
  globalThis.gc();
  const bytes = (process.memoryUsage().heapUsed - before) / kept.length;
  return bytes;
}

async function memory() {
  const plan = { rounds: 50, resultBytes: 20_000 };
  const work = { ...plan, fetch: inProcessFetch(plan) };
  const raw = await retained(rawLoop(work));
  const plain = await retained(glassloop(work));
  report(
    'heap kept after a finished run of 50 rounds of 20 KB: ours / raw',
    plain / raw,
    1.1,
    `${(plain / 1e6).toFixed(2)} MB, raw ${(raw / 1e6).toFixed(2)} MB`,
  );
}

async function growth() {
  const sizes = {};
  const heap = {};
  for (const rounds of [100, 200, 400, 800]) {
    const work = { rounds, resultBytes: 1000 };
    let trace = newTrace();
    const loop = glassloop({ ...work, fetch: inProcessFetch(work) }, () => trace);
    await loop();
    trace = newTrace();
    globalThis.gc();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    const result = await loop();
    globalThis.gc();
    globalThis.gc();
    heap[rounds] = process.memoryUsage().heapUsed - before;
    sizes[rounds] = trace.steps.reduce((sum, step, index) => sum + encodeStep(step, index + 1).length, 0);
    if (result.stopReason !== 'completed') throw new Error(`unexpected end: ${result.stopReason}`);
  }
  for (const rounds of [200, 400, 800]) {
    report(
      `trace file bytes, ${rounds} / ${rounds / 2} rounds`,
      sizes[rounds] / sizes[rounds / 2],
      2.1,
      `${sizes[rounds]} bytes`,
    );
  }
  report('trace heap, 800 / 400 rounds', heap[800] / heap[400], 2.1);
  // An adapter that sends nothing: what is left is the loop's own work, which must not grow with the conversation.
  const { runLoop, defineTool } = await import('@glassloop/core');
  const tool = defineTool({ name: 't', description: '', execute: (input) => `result ${input.n}` });
  const loopOnly = (rounds, trace) => () => {
    let n = 0;
    const adapter = {
      name: 'none',
      model: 'none',
      capabilities: {},
      chat: async () => ({
        message: {
          role: 'assistant',
          content: '',
          toolCalls: n++ < rounds ? [{ id: `c${n}`, name: 't', argumentsJson: `{"n":${n}}` }] : [],
        },
        finishReason: n <= rounds ? 'tool_calls' : 'stop',
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      }),
    };
    return runLoop(
      {
        adapter,
        messages: [{ role: 'user', content: 'x' }],
        tools: [tool],
        maxRounds: Math.min(1000, rounds + 1),
      },
      trace?.(),
    );
  };
  for (const [name, trace] of [
    ['without trace', undefined],
    ['with trace', newTrace],
  ]) {
    const result = await interleaved(
      { at100: loopOnly(100, trace), at800: loopOnly(800, trace) },
      { blocks: 15, callsPerBlock: 6 },
    );
    report(
      `the loop's own CPU per round, 800 / 100 rounds, ${name}`,
      result.at800.cpuRatio / 8,
      1.3,
      `${(result.at800.cpu / 800).toFixed(1)} µs a round`,
    );
  }
}

function importTime() {
  const time = (code) => {
    const times = [];
    for (let run = 0; run < 15; run++) {
      const out = execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `const t = performance.now(); ${code}; console.log(performance.now() - t)`,
        ],
        { cwd: here, encoding: 'utf8' },
      );
      times.push(Number(out));
    }
    return median(times);
  };
  const empty = time("await import('data:text/javascript,')");
  report(
    'import of @glassloop/core, ms over an empty module',
    time("await import('@glassloop/core')") - empty,
    10,
  );
  report(
    'import of @glassloop/openai (SDK not loaded), ms over an empty module',
    time("await import('@glassloop/openai')") - empty,
    25,
  );
}

async function size() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve('@glassloop/core'))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  report(
    '@glassloop/core, KB minified and gzipped',
    gzipSync(outputFiles[0].contents, { level: 9 }).length / 1024,
    12,
  );
}

if (globalThis.gc === undefined) {
  execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url)], { stdio: 'inherit' });
} else {
  const { version } = JSON.parse(readFileSync(join(here, '../packages/core/package.json'), 'utf8'));
  console.log(
    `Glassloop ${version}, Node ${process.version}, medians of interleaved blocks; ratios are block by block.\n`,
  );
  await size();
  importTime();
  await ownCost();
  await memory();
  await growth();
  await loopback();
  const missed = rows.filter(({ verdict }) => verdict === 'MISSED').length;
  console.log(`\n${rows.length - missed} within target or without one, ${missed} missed`);
}
