import { join } from 'node:path';
import { type Adapter, defineTool, type Run, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { LiveRun } from '../../src/runs/live-run.ts';
import { Secrets } from '../../src/runs/secrets.ts';
import { playground, scripted, temporaryFolder } from './helpers.ts';

/** 300 rounds with a call each. */
function longRun(): Run {
  let round = 0;
  const adapter: Adapter = {
    name: 'fast',
    model: 'm',
    capabilities: {
      streaming: false,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: false,
      images: false,
      cost: false,
    },
    chat: async () => {
      const toolCalls =
        ++round > 300 ? [] : [{ id: `c${round}`, name: 'count', argumentsJson: `{"n":${round}}` }];
      return {
        message: { role: 'assistant', content: 'x'.repeat(500), toolCalls },
        finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      };
    },
  };
  const count = defineTool({ name: 'count', description: '', execute: (input) => JSON.stringify(input) });
  return { adapter, messages: [{ role: 'user', content: 'go' }], tools: [count], maxRounds: 1000 };
}

const timed = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Printed against their budgets; the bounds are wide, because a busy machine is no fault of the server. */
describe('budgets', () => {
  it('a step that is recorded, written and shown costs little more than one that is only recorded', async () => {
    const secrets = new Secrets(['sk-0123456789abcdef', 'another-long-secret']);
    const folder = temporaryFolder();
    const costs: number[] = [];
    for (let i = 0; i < 5; i++) {
      const plain = await timed(() => runLoop(longRun(), new RunTrace()));
      let steps = 0;
      const watched = await timed(async () => {
        const run = new LiveRun({
          id: String(i),
          run: longRun(),
          request: { prompt: 'go' },
          path: join(folder, `${i}.ndjson`),
          secrets,
        });
        await run.ended;
        steps = run.lines.count - 1;
      });
      costs.push((watched - plain) / steps);
    }
    const median = costs.sort((a, b) => a - b)[2]!;
    console.log(`server: ${median.toFixed(3)} ms for each step, budget 0.2`);
    expect(median).toBeLessThan(2);
  });

  it('starts at once', async () => {
    const { contents } = await scripted();
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      times.push(await timed(() => playground({ contents, history: { folder: temporaryFolder() } })));
    }
    const median = times.sort((a, b) => a - b)[2]!;
    console.log(`server: starts in ${median.toFixed(0)} ms, budget 300`);
    expect(median).toBeLessThan(3000);
  });
});
