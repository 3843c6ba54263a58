import { AdapterError, type RunStep, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { echo, hi, rejected } from './run-support.ts';
import { responseOf, scripted } from './scripted-adapter.ts';

describe('failures and retries', () => {
  const fails =
    (code: 'rate_limited' | 'auth' | 'unavailable', facts = {}) =>
    () => {
      throw new AdapterError(code, `it is ${code}`, facts);
    };

  it('C023 the request is recorded before the call, also when the call fails; the error hands over what there is', async () => {
    const seen: RunStep[] = [];
    let stepsAtCall = 0;
    const adapter = scripted([
      () => {
        stepsAtCall = seen.length;
        throw new AdapterError('unavailable', 'HTTP 500', { status: 500 });
      },
    ]);
    const trace = new RunTrace({ onRecord: (step) => void seen.push(step) });
    const error = await rejected(
      runLoop({ adapter, messages: hi, tools: [echo], retry: { maxRetries: 0 } }, trace),
    );
    expect(seen.slice(0, stepsAtCall).at(-1)).toMatchObject({
      kind: 'request',
      round: 1,
      toolsOffered: ['echo'],
    });
    expect(seen.find((step) => step.kind === 'error')).toMatchObject({
      code: 'unavailable',
      status: 500,
      durationMs: expect.any(Number),
    });
    expect(seen.at(-1)).toMatchObject({ kind: 'end', stopReason: 'failed' });
    expect(error).toMatchObject({ code: 'unavailable', hint: expect.any(String), result: { rounds: 0 } });
    expect(error.cause).toBeInstanceOf(AdapterError);
  });

  it('a failure in a later round keeps everything before it', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }, fails('auth')]);
    const error = await rejected(runLoop({ adapter, messages: hi, tools: [echo] }));
    expect(error.result).toMatchObject({ rounds: 1, usage: { totalTokens: 12 } });
    expect(error.result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])(
    'C108 maxRetries %i makes %i attempts, each failed one a step that says when the next starts',
    async (maxRetries, attempts) => {
      const adapter = scripted([fails('unavailable')]);
      const trace = new RunTrace();
      await rejected(runLoop({ adapter, messages: hi, retry: { maxRetries, baseDelayMs: 1 } }, trace));
      expect(adapter.requests).toHaveLength(attempts);
      const errors = trace.steps.filter((step) => step.kind === 'error');
      expect(errors.map(({ retryInMs }) => retryInMs !== undefined)).toEqual(
        Array.from({ length: attempts }, (_, i) => i < attempts - 1),
      );
      expect(trace.steps.flatMap((step) => (step.kind === 'request' ? [step.attempt] : []))).toEqual(
        Array.from({ length: attempts }, (_, i) => i + 1),
      );
    },
  );

  it('C108 a negative maxRetries is refused; what cannot get better is never tried again', async () => {
    await expect(
      runLoop({ adapter: scripted([{}]), messages: hi, retry: { maxRetries: -1 } }),
    ).rejects.toThrow(/maxRetries/);
    for (const code of [
      'auth',
      'billing',
      'invalid_request',
      'not_found',
      'context_exceeded',
      'content_filter',
      'timeout',
      'unsupported',
    ] as const) {
      const adapter = scripted([
        () => {
          throw new AdapterError(code, code);
        },
      ]);
      await rejected(runLoop({ adapter, messages: hi }));
      expect(adapter.requests).toHaveLength(1);
    }
  });

  it('C101 waits as long as the provider asks, and fails at once when that is too long', async () => {
    const adapter = scripted([fails('rate_limited', { retryAfterMs: 60 }), { text: 'ok' }]);
    const trace = new RunTrace();
    await runLoop({ adapter, messages: hi }, trace);
    const [first, second] = trace.steps.flatMap((step) => (step.kind === 'request' ? [step.at] : []));
    expect(second! - first!).toBeGreaterThanOrEqual(55);
    const long = scripted([fails('rate_limited', { retryAfterMs: 120_000 })]);
    const error = await rejected(runLoop({ adapter: long, messages: hi }));
    expect(error.code).toBe('rate_limited');
    expect(long.requests).toHaveLength(1);
  });

  it('an adapter that throws something of its own, or returns no message, is an internal failure', async () => {
    const error = await rejected(
      runLoop({
        adapter: scripted([
          () => {
            throw new TypeError('x is undefined');
          },
        ]),
        messages: hi,
      }),
    );
    expect(error).toMatchObject({ code: 'internal' });
    const nothing = await rejected(runLoop({ adapter: scripted([() => undefined as never]), messages: hi }));
    expect(nothing.code).toBe('internal');
  });

  it('a retry after streamed text tells the watcher to start over', async () => {
    const deltas: string[] = [];
    const adapter = scripted([
      ({ onDelta }) => {
        onDelta?.({ kind: 'text', text: 'Hal' });
        throw new AdapterError('network', 'gone', { partial: 'Hal' });
      },
      (request) => {
        request.onDelta?.({ kind: 'text', text: 'Half' });
        return responseOf({ text: 'Half' });
      },
    ]);
    await runLoop({
      adapter,
      messages: hi,
      retry: { baseDelayMs: 1 },
      onDelta: (delta) => void deltas.push(delta.kind === 'text' ? delta.text : delta.kind),
    });
    expect(deltas).toEqual(['Hal', 'restart', 'Half']);
  });
});
