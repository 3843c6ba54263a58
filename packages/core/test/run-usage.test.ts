import { AdapterError, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { echo, hi, rejected } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('usage', () => {
  it('C109 rounds without usage are counted as rounds, and sums stay numbers', async () => {
    const calls = [{ name: 'echo' }];
    const adapter = scripted([
      { calls },
      { calls, usage: {} },
      { calls, usage: {} },
      { text: 'ok', usage: {} },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result.usage).toEqual({ promptTokens: 10, completionTokens: 2, totalTokens: 12 });
    expect(result).toMatchObject({ rounds: 4, uncountedRounds: 3 });
  });

  it('C111 cached tokens are not paid twice, and never give a negative cost', async () => {
    const prices = { fresh: 0.5, cacheRead: 0.05, output: 3 };
    const usage = { promptTokens: 20212, cacheReadTokens: 16298, completionTokens: 931, totalTokens: 21143 };
    const result = await runLoop({ adapter: scripted([{ text: 'ok', usage }]), messages: hi, prices });
    expect(result.usage.estimatedCost).toBeCloseTo(0.0055649, 10);
    const odd = { promptTokens: 5, cacheReadTokens: 50, completionTokens: 0 };
    const none = await runLoop({ adapter: scripted([{ text: 'ok', usage: odd }]), messages: hi, prices });
    expect(none.usage.estimatedCost).toBeGreaterThanOrEqual(0);
  });

  it('C112 sums over all rounds, the closing one included, and starts from zero each time', async () => {
    const round = (p: number, c: number) => ({ promptTokens: p, completionTokens: c, totalTokens: p + c });
    const calls = [{ name: 'echo' }];
    const make = () =>
      scripted(
        [
          { calls, usage: round(10, 2) },
          { calls, usage: round(20, 3) },
        ],
        { text: 'ok', usage: round(30, 4) },
      );
    const trace = new RunTrace();
    const result = await runLoop({ adapter: make(), messages: hi, tools: [echo], maxRounds: 2 }, trace);
    expect(result.usage).toEqual(round(60, 9));
    expect(trace.steps.flatMap((step) => (step.kind === 'response' ? [step.usage] : []))).toEqual([
      round(10, 2),
      round(20, 3),
      round(30, 4),
    ]);
    expect((await runLoop({ adapter: make(), messages: hi, tools: [echo], maxRounds: 2 })).usage).toEqual(
      round(60, 9),
    );
  });

  it('counts what a failed answer cost, retried or not, and never a failed answer that cost nothing', async () => {
    const usage = { promptTokens: 5, completionTokens: 1, totalTokens: 6 };
    const malformed = () => {
      throw new AdapterError('bad_response', 'malformed call', { usage });
    };
    const trace = new RunTrace();
    const retry = { baseDelayMs: 1 };
    const result = await runLoop(
      { adapter: scripted([malformed, { text: 'ok' }]), messages: hi, retry },
      trace,
    );
    expect(result.usage).toEqual({ promptTokens: 15, completionTokens: 3, totalTokens: 18 });
    expect(trace.steps.find((step) => step.kind === 'error')).toMatchObject({ usage });
    const error = await rejected(
      runLoop({ adapter: scripted([malformed]), messages: hi, retry: { maxRetries: 0 } }),
    );
    expect(error.result.usage).toEqual(usage);
    const free = await rejected(
      runLoop({
        adapter: scripted([
          () => {
            throw new AdapterError('auth', 'no');
          },
        ]),
        messages: hi,
      }),
    );
    expect(free.result.usage).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
  });

  it('C114 without a price the cost is unknown, and a sum with an unknown part says so', async () => {
    expect((await runLoop({ adapter: scripted([{ text: 'ok' }]), messages: hi })).usage).not.toHaveProperty(
      'estimatedCost',
    );
    const adapter = scripted([
      {
        calls: [{ name: 'echo' }],
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2, estimatedCost: 0.5 },
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result.usage.estimatedCost).toBe(0.5);
    expect(result.unpricedRounds).toBe(1);
  });

  it('C093 a cost of 0 from the provider is kept as 0, whatever the prices say', async () => {
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, estimatedCost: 0 };
    const result = await runLoop({
      adapter: scripted([{ text: 'ok', usage }]),
      messages: hi,
      prices: { fresh: 1, output: 1 },
    });
    expect(result.usage.estimatedCost).toBe(0);
  });
});
