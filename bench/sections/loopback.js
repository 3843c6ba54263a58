import { nodeFetch } from '@glassloop/node-fetch';
import { bareLoop, sdkLoop } from '../src/by-hand.js';
import { startLoopback } from '../src/loopback.js';
import { glassloop, newCapturingTrace, newTrace } from '../src/loops.js';
import { interleaved } from '../src/measure.js';
import { heading, report } from '../src/report.js';
import { size } from './own-cost.js';

/** Whole calls to a server in another process on this machine: client CPU and wall time against the raw SDK loop. */
export async function loopback({ seconds, rounds }) {
  const server = await startLoopback();
  const lean = nodeFetch();
  try {
    for (const count of rounds) {
      for (const [wire, stream, calls, resultBytes] of plansFor(count)) {
        const plan = { rounds: count, calls, stream, resultBytes, wire };
        const work = { ...plan, baseURL: server.baseURL(plan) };
        const overLean = { ...work, fetch: lean };
        const result = await interleaved(
          {
            sdk: sdkLoop(work),
            ...(wire === 'openai' ? { 'bare fetch': bareLoop(work) } : {}),
            plain: glassloop(work),
            traced: glassloop(work, newTrace),
            captured: glassloop(work, newCapturingTrace),
            lean: glassloop(overLean),
            'lean, traced': glassloop(overLean, newTrace),
          },
          { seconds: seconds(count >= 200 ? 14 : 8), base: 'sdk', perBlockMs: 120 },
        );
        heading(
          `Loopback, ${wire}, ${count} rounds, ${stream ? 'streamed' : 'whole'}, ${calls} call${calls > 1 ? 's' : ''}, ${size(resultBytes)}: against the raw SDK loop (${(result.sdk.cpu.median / (count + 1)).toFixed(0)} µs CPU, ${(result.sdk.wall.median / (count + 1)).toFixed(0)} µs wall a round)`,
        );
        const targets = { plain: 1.05, traced: 1.1, lean: 0.75 };
        const names = {
          'bare fetch': 'bare fetch loop',
          plain: 'Glassloop',
          traced: 'Glassloop, trace',
          captured: 'Glassloop, raw capture',
          lean: 'Glassloop, node-fetch',
          'lean, traced': 'Glassloop, node-fetch, trace',
        };
        for (const [variant, name] of Object.entries(names)) {
          if (result[variant] === undefined) continue;
          const { cpuRatio, wallRatio, cpu } = result[variant];
          const note = `CPU ${cpuRatio.median.toFixed(2)} (${cpuRatio.low.toFixed(2)}–${cpuRatio.high.toFixed(2)}), ${(cpu.median / (count + 1)).toFixed(0)} µs a round`;
          // The lean fetch is about CPU; the others may not take longer.
          if (variant.startsWith('lean'))
            report(`${name}: client CPU`, cpuRatio, {
              target: targets[variant],
              note: `wall ${wallRatio.median.toFixed(2)}`,
            });
          else report(`${name}: wall`, wallRatio, { target: targets[variant], note });
        }
      }
    }
  } finally {
    lean.close();
    server.stop();
  }
}

/** Everything at 10 rounds, where it costs little; at more rounds what grows. */
function plansFor(rounds) {
  if (rounds > 50) return [['openai', false, 1, 100]];
  if (rounds > 10)
    return [
      ['openai', false, 1, 20_000],
      ['openai', true, 1, 100],
    ];
  return [
    ['openai', false, 1, 100],
    ['openai', false, 3, 20_000],
    ['openai', true, 1, 100],
    ['anthropic', false, 1, 100],
    ['anthropic', true, 1, 100],
  ];
}
