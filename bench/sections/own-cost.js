import { sdkLoop } from '../src/by-hand.js';
import { glassloop, newCapturingTrace, newTrace } from '../src/loops.js';
import { interleaved } from '../src/measure.js';
import { inProcessFetch } from '../src/provider.js';
import { heading, report } from '../src/report.js';

/** CPU of our loop against the raw SDK loop with a fetch that needs no network: what is left is the work of both. */
export async function ownCost({ seconds }) {
  heading('Own cost: CPU of Glassloop / raw SDK loop, 10 rounds, in-process fetch');
  for (const [stream, calls, resultBytes] of [
    [false, 1, 100],
    [false, 1, 20_000],
    [false, 3, 100],
    [true, 1, 100],
    [true, 1, 20_000],
    [true, 3, 100],
  ]) {
    const plan = { rounds: 10, calls, stream, resultBytes };
    const work = { ...plan, fetch: inProcessFetch(plan) };
    const result = await interleaved(
      {
        sdk: sdkLoop(work),
        plain: glassloop(work),
        traced: glassloop(work, newTrace),
        captured: glassloop(work, newCapturingTrace),
      },
      { seconds: seconds(7), base: 'sdk' },
    );
    const name = `${stream ? 'streamed' : 'whole'}, ${calls} call${calls > 1 ? 's' : ''}, ${size(resultBytes)}`;
    const each = ({ cpu }) => `${(cpu.median / (plan.rounds + 1)).toFixed(0)} µs a round`;
    report(`${name}: without trace`, result.plain.cpuRatio, {
      target: 1.15,
      note: `${each(result.plain)}, raw ${each(result.sdk)}`,
    });
    report(`${name}: with trace`, result.traced.cpuRatio, { target: 1.35 });
    report(`${name}: with raw capture`, result.captured.cpuRatio);
  }
}

export const size = (bytes) => (bytes < 1000 ? `${bytes} B` : `${bytes / 1000} KB`);
