import type { Usage } from '@glassloop/core/adapter';
import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';

export const usageCases = bothModes({
  'usage.counts': {
    title: 'Prompt, completion and total tokens are what the provider counted',
    why: 'Every cost limit stands on these three numbers.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.', usage: { prompt: 120, completion: 34 } });
      const { usage } = await provider.ask();

      same(
        [usage.promptTokens, usage.completionTokens, usage.totalTokens],
        [120, 34, 154],
        'prompt, completion, total',
      );
    },
  },
  'usage.absent': {
    title: 'Counts that were not sent are absent, never 0 and never NaN',
    why: 'An invented zero makes a run look free; NaN poisons every sum after it.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.', usage: null });

      same((await provider.ask()).usage, {}, 'usage of an answer without any');
    },
  },
  'usage.not-invented': {
    title: 'Cache, reasoning and cost are absent when the provider said nothing of them',
    why: 'Zero reasoning tokens is a claim; nothing is not.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.', usage: { prompt: 10, completion: 5 } });
      const { usage } = await provider.ask();

      const reply = JSON.stringify(provider.exchange(0).reply?.body);
      const mentioned = {
        cacheReadTokens: /cache/i,
        cacheWriteTokens: /cache/i,
        reasoningTokens: /reason|thought/i,
        estimatedCost: /cost/i,
      };
      for (const [name, word] of Object.entries(mentioned)) {
        if (!word.test(reply)) same(name in usage, false, `${name} is in the usage`);
      }
    },
  },
  'usage.cache-read': {
    title: 'Tokens read from the cache are part of the prompt, counted once',
    why: 'Some providers count them inside the prompt, some beside it; adding them twice doubles the bill.',
    needs: ['wire cacheRead'],
    async run(bench) {
      const provider = await bench.provider({
        say: 'Hi.',
        usage: { prompt: 100, completion: 20, cacheRead: 60 },
      });
      const { usage } = await provider.ask();

      const { promptTokens, cacheReadTokens, totalTokens } = usage;
      same([promptTokens, cacheReadTokens, totalTokens], [100, 60, 120], 'prompt, cache read, total');
    },
  },
  'usage.cache-write': {
    title: 'Tokens written to the cache are part of the prompt, counted once',
    why: 'They cost more than fresh ones, and were lost or counted as fresh.',
    needs: ['wire cacheWrite'],
    async run(bench) {
      const provider = await bench.provider({
        say: 'Hi.',
        usage: { prompt: 100, completion: 20, cacheRead: 30, cacheWrite: 50 },
      });
      const { promptTokens, cacheReadTokens, cacheWriteTokens, totalTokens } = (await provider.ask()).usage;

      same(
        [promptTokens, cacheReadTokens, cacheWriteTokens, totalTokens],
        [100, 30, 50, 120],
        'prompt, read, write, total',
      );
    },
  },
  'usage.reasoning': {
    title: 'Reasoning tokens are part of the completion, counted once',
    why: 'Providers that count them beside the answer made completions look cheap.',
    needs: ['wire reasoningTokens'],
    async run(bench) {
      const provider = await bench.provider({
        say: 'Hi.',
        usage: { prompt: 10, completion: 50, reasoning: 40 },
      });
      const { completionTokens, reasoningTokens, totalTokens } = (await provider.ask()).usage;

      same([completionTokens, reasoningTokens, totalTokens], [50, 40, 60], 'completion, reasoning, total');
    },
  },
  'usage.cost': {
    title: "The provider's own cost is handed over, a cost of 0 included",
    why: "An estimate replaced the real figure, or 0 (free) was read as 'unknown'.",
    needs: ['wire cost', 'cost'],
    async run(bench) {
      const provider = await bench.provider(
        { say: 'Hi.', usage: { prompt: 10, completion: 5, cost: 0.00125 } },
        { say: 'Hi.', usage: { prompt: 10, completion: 5, cost: 0 } },
      );
      const [paid, free] = [await provider.ask(), await provider.ask()];

      same([paid.usage.estimatedCost, free.usage.estimatedCost], [0.00125, 0], 'costs');
    },
  },
  'usage.no-cost': {
    title: 'An adapter whose provider reports no cost invents none',
    why: 'Prices in an adapter are wrong the day after.',
    needs: ['no cost'],
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.', usage: { prompt: 1000, completion: 500 } });

      same('estimatedCost' in (await provider.ask()).usage, false, 'a cost is in the usage');
    },
  },
  'usage.odd-counts': {
    title: 'Negative and fractional counts never reach the caller',
    why: 'Providers have sent −1 for unknown, and sums went backwards.',
    async run(bench) {
      const provider = await bench.provider(
        { say: 'Hi.', usage: { prompt: -7, completion: 5 } },
        { say: 'Hi.', usage: { prompt: 10, completion: 2.5 } },
      );

      for (const { usage } of [await provider.ask(), await provider.ask()]) soundCounts(usage);
    },
  },
  'usage.with-calls': {
    title: 'An answer that holds calls carries its usage too',
    why: 'Usage was read only where text was; tool rounds looked free.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [{ name: 'now' }],
        usage: { prompt: 70, completion: 8 },
      });
      const tools = [
        { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } },
      ];
      const { usage } = await provider.ask({ tools });

      same(
        [usage.promptTokens, usage.completionTokens, usage.totalTokens],
        [70, 8, 78],
        'prompt, completion, total',
      );
    },
  },
});

function soundCounts(usage: Usage): void {
  for (const [name, value] of Object.entries(usage)) {
    holds(Number.isFinite(value) && value >= 0, `${name} is ${value}`);
    holds(name === 'estimatedCost' || Number.isInteger(value), `${name} is ${value}, not a whole number`);
  }
}
