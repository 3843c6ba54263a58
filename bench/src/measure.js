/** Interleaved measuring: every variant takes its turn in each block, so that a slow machine is slow for all. */

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

export const median = (values) => quantile(values, 0.5);

/** Median and the middle half. */
function spread(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

const WARM_MS = 500;

/**
 * Process CPU and wall time per call in microseconds, and the ratio of each variant to `base`, block by block; each
 * with its spread.
 *
 * @param {Record<string, () => Promise<unknown>>} variants
 * @param {{ seconds: number, base: string, perBlockMs?: number }} plan `seconds` for all variants together
 */
export async function interleaved(variants, { seconds, base, perBlockMs = 100 }) {
  const names = Object.keys(variants);
  const samples = Object.fromEntries(names.map((name) => [name, { cpu: [], wall: [] }]));
  // Until the compiler has done its work; code that is still interpreted says nothing.
  for (const name of names)
    for (const end = performance.now() + WARM_MS; performance.now() < end; ) await variants[name]();
  // As many calls per block as take about `perBlockMs`.
  const started = performance.now();
  await variants[base]();
  const once = performance.now() - started;
  const calls = Math.max(2, Math.round(perBlockMs / once));
  const until = performance.now() + seconds * 1000;
  for (let block = 0; block < 7 || performance.now() < until; block++) {
    // Each block starts with another variant, every other one goes backwards: none always follows the same one.
    const order = names.map((_, turn) => names[(turn + block) % names.length]);
    for (const name of block % 2 === 0 ? order : order.reverse()) {
      // The garbage of the variant before is not this one's. A full collection would also throw compiled code away.
      globalThis.gc?.({ type: 'minor' });
      await variants[name]();
      const wallStart = process.hrtime.bigint();
      const cpuStart = process.cpuUsage();
      for (let call = 0; call < calls; call++) await variants[name]();
      const { user, system } = process.cpuUsage(cpuStart);
      const wall = Number(process.hrtime.bigint() - wallStart) / 1000;
      samples[name].cpu.push((user + system) / calls);
      samples[name].wall.push(wall / calls);
    }
  }
  const ratios = (name, what) =>
    spread(samples[name][what].map((value, block) => value / samples[base][what][block]));
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        cpu: spread(samples[name].cpu),
        wall: spread(samples[name].wall),
        cpuRatio: ratios(name, 'cpu'),
        wallRatio: ratios(name, 'wall'),
        blocks: samples[name].cpu.length,
      },
    ]),
  );
}
