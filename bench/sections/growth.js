import { defineTool, runLoop } from '@glassloop/core';
import { newTrace } from '../src/loops.js';
import { interleaved } from '../src/measure.js';
import { heading, report } from '../src/report.js';

/** An adapter that sends nothing: what is left is the loop's own work, which must not grow with the conversation. */
export async function growth({ seconds }) {
  heading("The loop's own CPU per round (an adapter that sends nothing)");
  for (const [name, trace] of [
    ['without trace', undefined],
    ['with trace', newTrace],
  ]) {
    const result = await interleaved(
      { at50: times(16, loopOnly(50, trace)), at800: loopOnly(800, trace) },
      { seconds: seconds(8), base: 'at50', perBlockMs: 100 },
    );
    report(`800 / 50 rounds, ${name}`, result.at800.cpuRatio, {
      target: 1.15,
      note: `${(result.at800.cpu.median / 800).toFixed(1)} µs a round`,
    });
  }
}

const times = (count, loop) => async () => {
  for (let run = 0; run < count; run++) await loop();
};

function loopOnly(rounds, trace) {
  const tool = defineTool({ name: 't', description: '', execute: (input) => `result ${input.n}` });
  return () => {
    let n = 0;
    const adapter = {
      name: 'none',
      model: 'none',
      capabilities: {},
      chat: async () => {
        n++;
        const asks = n <= rounds;
        return {
          message: {
            role: 'assistant',
            content: '',
            toolCalls: asks ? [{ id: `c${n}`, name: 't', argumentsJson: `{"n":${n}}` }] : [],
          },
          finishReason: asks ? 'tool_calls' : 'stop',
          usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
        };
      },
    };
    return runLoop(
      { adapter, messages: [{ role: 'user', content: 'x' }], tools: [tool], maxRounds: rounds + 1 },
      trace?.(),
    );
  };
}
