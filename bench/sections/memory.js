import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { encodeStep } from '@glassloop/core/trace-file';
import { sdkLoop } from '../src/by-hand.js';
import { glassloop, newCapturingTrace, newTrace } from '../src/loops.js';
import { median } from '../src/measure.js';
import { inProcessFetch } from '../src/provider.js';
import { heading, report } from '../src/report.js';

const plan = { rounds: 50, calls: 1, resultBytes: 20_000 };

export async function memory({ quick }) {
  heading('Memory: 50 rounds of 20 KB');
  const work = { ...plan, fetch: inProcessFetch(plan) };
  const raw = await retained(sdkLoop(work));
  report('heap kept by a finished run: ours / raw SDK loop', (await retained(glassloop(work))) / raw, {
    target: 1.1,
    note: `raw ${(raw / 1e6).toFixed(2)} MB`,
  });
  const traced = await retained(keepingTrace(work, newTrace));
  report('heap kept with its trace / raw SDK loop', traced / raw, { target: 1.25 });
  const captured = await retained(keepingTrace(work, newCapturingTrace), 5);
  report('heap kept with a capturing trace / raw SDK loop', captured / raw, {
    note: `${(captured / 1e6).toFixed(1)} MB: every request as it was sent`,
  });
  const peak = peaks(quick ? 1 : 3);
  for (const [variant, name] of Object.entries({
    plain: 'without trace',
    traced: 'with trace',
    captured: 'with raw capture',
    lean: 'with node-fetch',
  }))
    report(`peak RSS over loopback, ${name} / raw SDK loop`, peak[variant] / peak.sdk, {
      note: `${(peak[variant] / 1024).toFixed(0)} MB, raw ${(peak.sdk / 1024).toFixed(0)}`,
    });
}

/** A program that keeps result and trace. */
function keepingTrace(work, make) {
  let trace;
  const loop = glassloop(work, () => {
    trace = make();
    return trace;
  });
  return async () => ({ result: await loop(), trace });
}

/** Bytes that stay alive for each finished run whose result is kept. */
async function retained(make, runs = 30) {
  await make();
  const kept = [];
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < runs; run++) kept.push(await make());
  globalThis.gc();
  globalThis.gc();
  return (process.memoryUsage().heapUsed - before) / kept.length;
}

/** Peak resident memory in KB of a process that does ten runs, for each variant, in turns. */
function peaks(turns) {
  const script = fileURLToPath(new URL('../src/peak-rss.js', import.meta.url));
  const samples = {};
  for (let turn = 0; turn < turns; turn++)
    for (const variant of ['sdk', 'plain', 'traced', 'captured', 'lean']) {
      const out = execFileSync(process.execPath, [script, variant, JSON.stringify(plan)], {
        encoding: 'utf8',
      });
      samples[variant] = [...(samples[variant] ?? []), Number(out)];
    }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

/** What a trace holds grows with what happened, not with its square; the loop's own work does not grow at all. */
export async function traceSize() {
  heading('Trace: results of 1 KB');
  const sizes = {};
  for (const rounds of [100, 200, 400, 800]) {
    const growing = { rounds, calls: 1, resultBytes: 1000 };
    const trace = newTrace();
    await glassloop({ ...growing, fetch: inProcessFetch(growing) }, () => trace)();
    sizes[rounds] = trace.steps.reduce((sum, step, index) => sum + encodeStep(step, index + 1).length, 0);
  }
  for (const rounds of [200, 400, 800])
    report(`trace file bytes, ${rounds} / ${rounds / 2} rounds`, sizes[rounds] / sizes[rounds / 2], {
      target: 2.1,
      note: `${sizes[rounds]} bytes, ${(sizes[rounds] / rounds).toFixed(0)} a round`,
    });
}
