import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  AdapterError,
  defineTool,
  type Message,
  messagesSent,
  type RunStep,
  RunTrace,
  runLoop,
  ToolOptions,
} from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { Ajv2020 } from 'ajv/dist/2020.js';
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
      construct: (target, args) => (made(), Reflect.construct(target, args)),
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

describe('trace file', () => {
  it('holds to the JSON Schema that is published with it', async () => {
    const schema = JSON.parse(readFileSync(new URL('../trace.schema.json', import.meta.url), 'utf8'));
    const valid = new Ajv2020({ strict: false }).compile(schema);
    const failing = scripted([
      { calls: [{ name: 'echo' }, { name: 'nope' }], thinking: 't', metadata: { _raw: {}, x: 1 } },
      () => {
        throw new AdapterError('unavailable', 'down', { status: 503 });
      },
      { text: 'ok' },
    ]);
    const trace = new RunTrace();
    const skills = [{ id: 's', name: 's', body: 'b', origin: { file: 'a.md', fromLine: 1 } }];
    const run = {
      adapter: failing,
      messages: hi,
      tools: [echo],
      systemPrompt: 'S',
      skills,
      retry: { baseDelayMs: 1 },
      allowedTools: ['echo', 'gone'],
    };
    await runLoop(run, trace);
    expect(new Set(trace.steps.map(({ kind }) => kind)).size).toBe(6);
    const header = encodeTraceHeader({
      id: 'r',
      startedAt: '2026-01-01T00:00:00Z',
      capturesRaw: false,
      request: { prompt: 'hi' },
    });
    for (const line of [header, ...trace.steps.map((step, index) => encodeStep(step, index + 1))]) {
      expect(valid(JSON.parse(line)), JSON.stringify(valid.errors?.[0]) + line).toBe(true);
    }
    expect(valid({ type: 'step', seq: 1, step: { kind: 'end', round: 1, at: 1 } })).toBe(false);
  });

  const file = async () => {
    const trace = new RunTrace();
    await runLoop({ adapter: twoRounds(), messages: hi, tools: [echo] }, trace);
    const header = {
      id: 'r1',
      startedAt: '2026-01-01T00:00:00.000Z',
      capturesRaw: false,
      request: { prompt: 'hi', tools: ['echo'] },
    };
    return {
      trace,
      header,
      text:
        encodeTraceHeader(header) + trace.steps.map((step, index) => encodeStep(step, index + 1)).join(''),
    };
  };

  it('comes back as it was written', async () => {
    const { trace, header, text } = await file();
    const decoded = decodeTrace(text);
    expect(decoded.problems).toEqual([]);
    expect(decoded.header).toEqual({ format: 'glassloop-trace', version: 1, ...header });
    expect(decoded.steps).toEqual(JSON.parse(JSON.stringify(trace.steps)));
    expect(decodeTrace(text.replaceAll('\n', '\r\n')).steps).toEqual(decoded.steps);
  });

  it('is readable when it was cut at any byte', async () => {
    const { text } = await file();
    const starts = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
    for (let cut = 0; cut <= text.length; cut += 7) {
      const { steps } = decodeTrace(text.slice(0, cut));
      // A last line is whole without its line break, too.
      const whole = starts.filter((start) => start - 1 <= cut).length;
      expect(steps.length).toBe(Math.max(0, whole - 1));
    }
    const problems = decodeTrace(text.slice(0, -20)).problems;
    expect(problems[0]).toEqual({ line: 8, message: 'The file ends in the middle of a step.' });
    expect(problems.at(-1)!.message).toMatch(/no end step/);
  });

  it('says in which line something is wrong, and opens the rest', async () => {
    const { text } = await file();
    const lines = text.trimEnd().split('\n');
    const broken = (index: number, line: string) => decodeTrace(lines.with(index, line).join('\n'));
    expect(broken(2, '{"type":')).toMatchObject({
      problems: [
        { line: 3, message: 'This line is no JSON.' },
        { line: 4, message: expect.stringContaining('missing') },
      ],
    });
    expect(broken(2, '{"type":').steps).toHaveLength(6);
    expect(broken(3, '{"type":"step","seq":3,"step":{"kind":"telepathy","round":1}}').problems[0]).toEqual({
      line: 4,
      message: 'Unknown step kind "telepathy"; left out.',
    });
    expect(
      broken(3, '{"type":"step","seq":3,"step":{"kind":"response","round":1}}').problems[0]!.message,
    ).toMatch(/without "message"/);
    expect(broken(0, lines[0]!.replace('"version":1', '"version":9')).problems[0]).toEqual({
      line: 1,
      message: expect.stringContaining('version 9'),
    });
    expect(broken(0, '[]').problems[0]).toMatchObject({ line: 1 });
    expect(decodeTrace('').problems[0]!.message).toMatch(/no trace header/);
    const garbage = decodeTrace('x\n'.repeat(5000)).problems;
    expect(garbage.length).toBeLessThan(1010);
    expect(garbage.some(({ message }) => message === '4000 more lines could not be read.')).toBe(true);
    expect(decodeTrace('{"a":1}\nnull\n"x"').steps).toEqual([]);
  });

  it('writes what JSON refuses as readable text', () => {
    const options = { providerOptions: { x: { big: 10n } } };
    const step = {
      kind: 'assembled',
      round: 0,
      at: 1,
      settings: { adapter: 'a', model: 'm', options, maxRounds: 1 },
      added: [],
      sources: [],
      dropped: [],
      tools: [],
      warnings: [],
    };
    expect(decodeTrace(encodeStep(step as never, 1)).steps[0]).toMatchObject({
      settings: { options: { providerOptions: { x: { big: '10' } } } },
    });
  });
});

describe('what the model is told', () => {
  const resultOf = async (value: unknown) => {
    const adapter = scripted([{ calls: [{ name: 'give' }] }, { text: 'ok' }]);
    const trace = new RunTrace();
    await runLoop(
      { adapter, messages: hi, tools: [defineTool({ name: 'give', description: '', execute: () => value })] },
      trace,
    );
    const message = adapter.requests[1]!.messages.find(({ role }) => role === 'tool') as {
      content: string;
      isError: boolean;
    };
    const step = trace.steps.find((one) => one.kind === 'tool')!;
    if (step.kind === 'tool') expect(step.result).toBe(message.content);
    return { ...message, step };
  };
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each<[unknown, string]>([
    [undefined, 'null'],
    [null, 'null'],
    [0, '0'],
    [Number.NaN, 'NaN'],
    [false, 'false'],
    [{ a: 1 }, '{"a":1}'],
    [[1, undefined, 2], '[1,null,2]'],
    [10n, '10'],
    [{ n: 10n }, '{"n":"10"}'],
    [circular, '{"self":"[circular]"}'],
    [() => 1, '[function without a name]'],
    [Symbol('s'), '[Symbol(s)]'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([['a', 1]]), '{"a":1}'],
    [new Set([1, 2]), '[1,2]'],
    [new Error('x'), 'Error: x'],
    [{ toJSON: () => ({ b: 2 }) }, '{"b":2}'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])('C014 %s becomes %s', async (value, text) => {
    expect(await resultOf(value)).toMatchObject({ content: text, isError: false });
  });

  it('C014 what throws while being read is said, not thrown', async () => {
    expect(
      (
        await resultOf({
          toJSON() {
            throw new Error('no');
          },
        })
      ).content,
    ).toBe('[unreadable result: no]');
    expect(
      (
        await resultOf({
          get a() {
            throw new Error('no');
          },
        })
      ).content,
    ).toMatch(/unreadable/);
    let deep: unknown = 1;
    for (let level = 0; level < 5000; level++) deep = [deep];
    expect((await resultOf(deep)).content).toContain('too deep');
  });

  it('C121 a lone surrogate becomes U+FFFD; whole emoji stay', async () => {
    expect((await resultOf('ok \uD83D end 👋')).content).toBe('ok \uFFFD end 👋');
    expect((await resultOf({ s: '\uDC00' })).content.isWellFormed()).toBe(true);
    const adapter = scripted([
      { text: 'bad \uD83D', calls: [{ name: 'x', args: '{"a":"\uD83D"}' }] },
      { text: 'ok' },
    ]);
    await runLoop({
      adapter,
      messages: [{ role: 'user', content: 'user \uD83D' }],
      systemPrompt: 'system \uDFFF',
      tools: [echo],
    });
    const walk = (value: unknown): void => {
      if (typeof value === 'string') expect(value.isWellFormed()).toBe(true);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
    };
    walk(adapter.requests[1]!.messages);
  });

  it.each([49_900, 49_999, 50_000, 50_001])(
    'C122 a cut result of %i bytes and an emoji is well-formed, bounded and marked',
    async (length) => {
      const text = `${'a'.repeat(length - 1)}🟡tail`;
      const { content, step } = await resultOf(text);
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000);
      expect(content.isWellFormed()).toBe(true);
      if (Buffer.byteLength(text) <= 50_000) expect(content).toBe(text);
      else {
        expect(content).toMatch(
          new RegExp(`\\[cut here: \\d+ of ${Buffer.byteLength(text)} bytes shown\\]$`),
        );
        expect(step).toMatchObject({ fullBytes: Buffer.byteLength(text) });
      }
    },
  );

  it('a result of exactly 50,000 bytes is not touched, in any alphabet', async () => {
    for (const text of ['a'.repeat(50_000), 'ü'.repeat(25_000), '🟡'.repeat(12_500)]) {
      expect((await resultOf(text)).content).toBe(text);
      expect(Buffer.byteLength((await resultOf(`${text}a`)).content)).toBeLessThanOrEqual(50_000);
    }
  });

  it('C124 bytes are read as UTF-8, with replacement', async () => {
    expect((await resultOf(Buffer.from([0x61, 0xff, 0x62]))).content).toBe('a\uFFFDb');
    expect((await resultOf(new Uint8Array([104, 105]))).content).toBe('hi');
    expect((await resultOf(new Uint8Array([104, 105]).buffer)).content).toBe('hi');
    expect((await resultOf({ data: Buffer.from('hi') })).content).toBe('{"data":"hi"}');
  });

  it('C126 8 MB is bounded, as text and as an object, and a failing tool’s message too', async () => {
    const big = 'x'.repeat(8_000_000);
    for (const value of [big, { big }]) {
      const { content, step } = await resultOf(value);
      expect(content.length).toBeLessThanOrEqual(50_000);
      expect(JSON.stringify(step).length).toBeLessThan(60_000);
    }
    expect(
      createHash('sha256')
        .update((await resultOf(big)).content)
        .digest('hex'),
    ).toHaveLength(64);
  });
});
