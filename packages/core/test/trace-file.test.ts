import { readFileSync } from 'node:fs';
import { AdapterError, defineTool, type Message, RunTrace, runLoop } from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { scripted } from './scripted-adapter.ts';

const hi: Message[] = [{ role: 'user', content: 'hi' }];
const echo = defineTool({
  name: 'echo',
  description: '',
  execute: (input: { t?: string }) => input.t ?? 'e',
});
const twoRounds = () => scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }, { text: 'ok' }]);

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
