/** Interleaved measuring: every variant takes its turn in each block, so that a slow machine is slow for all. */

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Medians of process CPU and wall time per call, in microseconds, and the ratio of each variant to the first,
 * block by block.
 *
 * @param {Record<string, () => Promise<unknown>>} variants
 * @param {{ blocks: number, callsPerBlock: number }} plan
 */
export async function interleaved(variants, { blocks, callsPerBlock }) {
  const names = Object.keys(variants);
  const samples = Object.fromEntries(names.map((name) => [name, { cpu: [], wall: [] }]));
  for (let block = -2; block < blocks; block++) {
    // Each block starts with another variant, so that none always pays for the collection of the one before.
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + block + 2) % names.length];
      globalThis.gc?.();
      const wallStart = process.hrtime.bigint();
      const cpuStart = process.cpuUsage();
      for (let call = 0; call < callsPerBlock; call++) await variants[name]();
      const { user, system } = process.cpuUsage(cpuStart);
      const wall = Number(process.hrtime.bigint() - wallStart) / 1000;
      if (block < 0) continue;
      samples[name].cpu.push((user + system) / callsPerBlock);
      samples[name].wall.push(wall / callsPerBlock);
    }
  }
  const [base] = names;
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        cpu: median(samples[name].cpu),
        wall: median(samples[name].wall),
        cpuRatio: median(samples[name].cpu.map((cpu, index) => cpu / samples[base].cpu[index])),
        wallRatio: median(samples[name].wall.map((wall, index) => wall / samples[base].wall[index])),
      },
    ]),
  );
}
