/** Interleaved measuring: every variant takes its turn in each block, so that a slow machine is slow for all. */

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

export const median = (values) => quantile(values, 0.5);

/** Median and the middle half. */
export function spread(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/**
 * Process CPU and wall time per call in microseconds, and the ratio of each variant to `base`, block by block; each
 * with its spread.
 *
 * @param {Record<string, () => Promise<unknown>>} variants
 * @param {{ seconds: number, base: string, perBlockMs?: number }} plan `seconds` for all variants together
 */
export async function interleaved(variants, { seconds, base, perBlockMs = 60 }) {
  const names = Object.keys(variants);
  const samples = Object.fromEntries(names.map((name) => [name, { cpu: [], wall: [] }]));
  // As many calls per block as take about `perBlockMs`, found with a warm variant.
  for (const name of names) for (let call = 0; call < 3; call++) await variants[name]();
  const started = performance.now();
  await variants[base]();
  const once = performance.now() - started;
  const calls = Math.max(1, Math.round(perBlockMs / once));
  const until = performance.now() + seconds * 1000;
  for (let block = -1; block < 5 || performance.now() < until; block++) {
    // Each block starts with another variant, so that none always pays for the collection of the one before.
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + block + 1) % names.length];
      globalThis.gc?.();
      const wallStart = process.hrtime.bigint();
      const cpuStart = process.cpuUsage();
      for (let call = 0; call < calls; call++) await variants[name]();
      const { user, system } = process.cpuUsage(cpuStart);
      const wall = Number(process.hrtime.bigint() - wallStart) / 1000;
      if (block < 0) continue;
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
