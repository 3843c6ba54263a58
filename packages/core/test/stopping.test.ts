import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdapterError, defineTool, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it, vi } from 'vitest';
import { hi, rejected, toolResults } from './run-support.ts';
import { scripted } from './scripted-adapter.ts';

describe('stopping', () => {
  it('C009 abort while a tool never settles: settles at once, keeps what there is', async () => {
    const controller = new AbortController();
    let toolSignal: AbortSignal | undefined;
    const hang = defineTool({
      name: 'hang',
      description: '',
      execute: (_, context) => {
        toolSignal = context.signal;
        return new Promise(() => {});
      },
    });
    const adapter = scripted([{ calls: [{ id: 'x', name: 'hang' }] }]);
    const trace = new RunTrace();
    setTimeout(() => controller.abort(), 20);
    const error = await rejected(
      runLoop({ adapter, messages: hi, tools: [hang], signal: controller.signal }, trace),
    );
    expect(error).toMatchObject({ code: 'aborted', name: 'AbortError', cause: controller.signal.reason });
    expect(error.result.usage).toMatchObject({ promptTokens: 10 });
    expect(toolResults(error.result.messages)).toMatchObject([{ toolCallId: 'x', isError: true }]);
    expect(toolSignal!.aborted).toBe(true);
    expect(adapter.requests).toHaveLength(1);
    expect(trace.steps.at(-1)).toMatchObject({ kind: 'end', stopReason: 'aborted' });
  });

  it('C010 abort between rounds: the next request is never made, the reason is the caller’s', async () => {
    const controller = new AbortController();
    const reason = { why: 'changed my mind' };
    const t = defineTool({
      name: 't',
      description: '',
      execute: () => {
        controller.abort(reason);
        return 'ok';
      },
    });
    const adapter = scripted([{ calls: [{ name: 't' }] }, { text: 'final' }]);
    const error = await rejected(runLoop({ adapter, messages: hi, tools: [t], signal: controller.signal }));
    expect(error.cause).toBe(reason);
    expect(error.code).toBe('aborted');
    expect(adapter.requests).toHaveLength(1);
  });

  it('settles at once at every point: before, while the model is asked, while waiting to try again', async () => {
    const before = scripted([{ text: 'ok' }]);
    expect(
      (await rejected(runLoop({ adapter: before, messages: hi, signal: AbortSignal.abort('no') }))).cause,
    ).toBe('no');
    expect(before.requests).toHaveLength(0);

    const asking = new AbortController();
    setTimeout(() => asking.abort(), 10);
    const deaf = scripted([() => new Promise(() => {})]);
    expect((await rejected(runLoop({ adapter: deaf, messages: hi, signal: asking.signal }))).code).toBe(
      'aborted',
    );

    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 10);
    const busy = scripted([
      () => {
        throw new AdapterError('rate_limited', 'slow down', { retryAfterMs: 30_000 });
      },
    ]);
    expect((await rejected(runLoop({ adapter: busy, messages: hi, signal: waiting.signal }))).code).toBe(
      'aborted',
    );
    expect(busy.requests).toHaveLength(1);
  });

  it('C103 a caller’s time-out signal is a time-out, the run’s own limit ends it with a result, and no timer stays', async () => {
    const deaf = scripted([() => new Promise(() => {})]);
    const error = await rejected(runLoop({ adapter: deaf, messages: hi, signal: AbortSignal.timeout(10) }));
    expect(error).toMatchObject({ code: 'timeout', name: 'TimeoutError' });
    const slow = scripted([{ text: 'step', calls: [{ name: 'hang' }] }]);
    const hang = defineTool({ name: 'hang', description: '', execute: () => new Promise(() => {}) });
    const result = await runLoop({ adapter: slow, messages: hi, tools: [hang], limits: { durationMs: 20 } });
    expect(result).toMatchObject({ stopReason: 'limit', content: 'step' });
    expect(result.stopDetail).toMatch(/20 ms/);
  });

  it('limits too long for a timer are no limits, instead of firing at once', async () => {
    const slow = defineTool({ name: 'slow', description: '', execute: () => sleep(5).then(() => 'done') });
    const adapter = scripted([{ calls: [{ name: 'slow' }] }, { text: 'ok' }]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [slow],
      toolTimeoutMs: 1e12,
      limits: { durationMs: 1e12 },
    });
    expect(result).toMatchObject({ stopReason: 'completed' });
    expect(toolResults(result.messages)[0]!.content).toBe('done');
  });

  it('C125 no listener is left on the caller’s signal after 20 runs of 60 rounds', async () => {
    const { signal } = new AbortController();
    const warnings = vi.fn();
    process.on('warning', warnings);
    let count = 0;
    const tick = defineTool({
      name: 'tick',
      description: '',
      execute: (_, context) => (context.signal.aborted ? 'no' : `${++count}`),
    });
    for (let run = 0; run < 20; run++) {
      const adapter = scripted([{ calls: [{ name: 'tick' }] }], { text: 'end' });
      await runLoop({ adapter, messages: hi, tools: [tick], maxRounds: 60, signal });
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await sleep(5);
    process.off('warning', warnings);
    expect(warnings).not.toHaveBeenCalled();
  });

  it('hands over the text of an answer that was cut off while streaming', async () => {
    const controller = new AbortController();
    const adapter = scripted([
      ({ onDelta }) => {
        onDelta?.({ kind: 'text', text: 'Half of' });
        setTimeout(() => controller.abort(), 5);
        return new Promise(() => {});
      },
    ]);
    const error = await rejected(
      runLoop({ adapter, messages: hi, signal: controller.signal, onDelta: () => {} }),
    );
    expect(error.result.partial).toBe('Half of');
  });
});
