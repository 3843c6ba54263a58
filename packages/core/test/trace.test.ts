import {
  defineTool,
  type Message,
  messagesSent,
  type RunStep,
  RunTrace,
  runLoop,
  ToolOptions,
} from '@glassloop/core';
import { encodeStep } from '@glassloop/core/trace-file';
import { describe, expect, it, vi } from 'vitest';
import { scripted } from './scripted-adapter.ts';

const hi: Message[] = [{ role: 'user', content: 'hi' }];
const echo = defineTool({
  name: 'echo',
  description: '',
  execute: (input: { t?: string }) => input.t ?? 'e',
});
const twoRounds = () => scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }, { text: 'ok' }]);

describe('trace', () => {
  it('C022 requests and results are the same with and without one', async () => {
    const without = twoRounds();
    const plain = await runLoop({ adapter: without, messages: hi, tools: [echo] });
    for (const trace of [new RunTrace(), null, undefined]) {
      const adapter = twoRounds();
      const result = await runLoop({ adapter, messages: hi, tools: [echo] }, trace);
      expect(JSON.stringify(adapter.requests)).toBe(JSON.stringify(without.requests));
      expect(JSON.stringify(result)).toBe(JSON.stringify(plain));
    }
  });

  it('C022 without a trace no clock is read', async () => {
    const clocks = [vi.spyOn(performance, 'now'), vi.spyOn(Date, 'now'), vi.spyOn(process, 'hrtime')];
    const NativeDate = globalThis.Date;
    const made = vi.fn();
    globalThis.Date = new Proxy(NativeDate, {
      construct: (target, args) => {
        made();
        return Reflect.construct(target, args);
      },
    });
    try {
      await runLoop({ adapter: twoRounds(), messages: hi, tools: [echo], onDelta: () => {} });
      expect(clocks.map((clock) => clock.mock.calls.length)).toEqual([0, 0, 0]);
      expect(made).not.toHaveBeenCalled();
      await runLoop({ adapter: twoRounds(), messages: hi, tools: [echo] }, new RunTrace());
      expect(clocks[0]!.mock.calls.length).toBeGreaterThan(0);
    } finally {
      globalThis.Date = NativeDate;
      for (const clock of clocks) clock.mockRestore();
    }
  });

  it('holds assembled, request, response, tool and end, in order, with times', async () => {
    let clock = 1000;
    const trace = new RunTrace({ now: () => clock++ });
    await runLoop(
      { adapter: twoRounds(), messages: hi, tools: [echo], options: new ToolOptions({ temperature: 0 }) },
      trace,
    );
    expect(trace.steps.map(({ kind, round }) => `${kind} ${round}`)).toEqual([
      'assembled 0',
      'request 1',
      'response 1',
      'tool 1',
      'request 2',
      'response 2',
      'end 2',
    ]);
    const [assembled, request, response, tool, , , end] = trace.steps;
    expect(assembled).toMatchObject({
      settings: { adapter: 'scripted', model: 'test-model', options: { temperature: 0 }, maxRounds: 5 },
    });
    expect(request).toMatchObject({ sent: [[0, 1]], added: [], attempt: 1 });
    expect(response).toMatchObject({ finishReason: 'tool_calls', durationMs: expect.any(Number) });
    expect(tool).toMatchObject({
      call: { name: 'echo', argumentsJson: '{"t":"x"}' },
      result: 'x',
      isError: false,
    });
    expect(end).toMatchObject({ stopReason: 'completed', rounds: 2, usage: { totalTokens: 24 } });
    const times = trace.steps.map(({ at }) => at);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it('C024 a listener that throws changes nothing and is reported', async () => {
    const trace = new RunTrace({
      onRecord: () => {
        throw new Error('listener');
      },
    });
    const adapter = twoRounds();
    const result = await runLoop({ adapter, messages: hi, tools: [echo] }, trace);
    expect(result.content).toBe('ok');
    expect(adapter.requests).toHaveLength(2);
    expect(trace.steps).toHaveLength(7);
    expect(trace.warnings[0]).toMatch(/onRecord threw at step 1 \(assembled\): Error: listener/);
  });

  it('C025 steps are snapshots: nothing done later shows in them, and changing them changes nothing', async () => {
    const messages: Message[] = [{ role: 'user', content: 'hi' }];
    const mutate = defineTool({
      name: 'echo',
      description: '',
      execute: (input: Record<string, unknown>) => {
        input['t'] = 'changed by the tool';
        messages.push({ role: 'user', content: 'pushed later' });
        return 'e';
      },
    });
    const trace = new RunTrace({
      onRecord: (step) => {
        expect(() => {
          (step as { round: number }).round = 99;
        }).toThrow(TypeError);
        if (step.kind === 'request') expect(() => (step.added as Message[]).push(hi[0]!)).toThrow(TypeError);
      },
    });
    const adapter = scripted([
      { calls: [{ name: 'echo', args: { t: 'x' } }] },
      { calls: [{ name: 'echo', args: { t: 'y' } }] },
      { text: 'ok' },
    ]);
    await runLoop({ adapter, messages, tools: [mutate] }, trace);
    expect(trace.warnings).toEqual([]);
    expect(messagesSent(trace.steps, 1)).toEqual(hi);
    expect(messagesSent(trace.steps, 3)).toHaveLength(5);
    expect(trace.steps.flatMap((step) => (step.kind === 'tool' ? [step.call.argumentsJson] : []))).toEqual([
      '{"t":"x"}',
      '{"t":"y"}',
    ]);
    expect(JSON.stringify(trace.steps)).not.toContain('pushed later');
  });

  it('C026 survives JSON.stringify whatever tools return, live and afterwards', async () => {
    const self: Record<string, unknown> = {
      when: new Date(Number.NaN),
      big: 10n,
      f() {},
      err: new Error('e'),
      u: undefined,
    };
    self['self'] = self;
    const live: string[] = [];
    const trace = new RunTrace({ onRecord: (step) => void live.push(JSON.stringify(step)) });
    const odd = defineTool({ name: 'odd', description: '', execute: () => self });
    await runLoop(
      {
        adapter: scripted([{ calls: [{ name: 'odd', args: { d: 1 } }] }, { text: 'ok' }]),
        messages: hi,
        tools: [odd],
      },
      trace,
    );
    const parsed: RunStep[] = JSON.parse(JSON.stringify(trace));
    expect(parsed).toHaveLength(trace.steps.length);
    expect(live).toHaveLength(trace.steps.length);
    const tool = parsed.find((step) => step.kind === 'tool');
    expect(tool).toMatchObject({
      result: expect.stringMatching(/Invalid Date.*10.*\[function f\].*Error: e.*\[circular\]/),
    });
  });

  it('C027 bytes and heap grow with the rounds, not with their square; each message is written once', async () => {
    const size = async (rounds: number) => {
      let count = 0;
      const big = defineTool({
        name: 'big',
        description: '',
        execute: () => `${count++}${'x'.repeat(20_000)}`,
      });
      const trace = new RunTrace();
      await runLoop(
        {
          adapter: scripted([{ calls: [{ name: 'big' }] }], { text: 'end' }),
          messages: hi,
          tools: [big],
          maxRounds: rounds,
        },
        trace,
      );
      return trace.steps.map((step, index) => encodeStep(step, index + 1)).join('').length;
    };
    const [hundred, twoHundred] = [await size(100), await size(200)];
    expect(twoHundred / hundred).toBeLessThan(2.1);
    // Twice: once as the tool step's result, once as the message that the next request adds.
    expect(hundred).toBeLessThan(100 * 20_000 * 2.2);
  });

  it('raw and wire are in the response step only when the trace captures, through one switch', async () => {
    const adapter = scripted([
      ({ options }) => ({
        message: { role: 'assistant', content: 'ok', toolCalls: [] },
        finishReason: 'stop',
        usage: {},
        ...(options._capture_raw === true
          ? { metadata: { provider: 'p', _raw: { a: 1 }, _wire: { method: 'POST' } } }
          : {}),
      }),
    ]);
    const on = new RunTrace({ captureRaw: true });
    await runLoop({ adapter, messages: hi }, on);
    expect(on.steps.find((step) => step.kind === 'response')).toMatchObject({
      raw: { a: 1 },
      metadata: { provider: 'p', _wire: { method: 'POST' } },
    });
    for (const captureRaw of [false, 'yes', 1, undefined]) {
      const off = new RunTrace({ captureRaw } as never);
      await runLoop({ adapter, messages: hi }, off);
      expect(off.capturesRaw).toBe(false);
      expect(off.steps.find((step) => step.kind === 'response')).not.toHaveProperty('raw');
    }
    expect(adapter.requests.map(({ options }) => '_capture_raw' in options)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
