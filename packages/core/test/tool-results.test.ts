import { createHash } from 'node:crypto';
import { defineTool, type Message, RunTrace, runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { scripted } from './scripted-adapter.ts';

const hi: Message[] = [{ role: 'user', content: 'hi' }];
const echo = defineTool({
  name: 'echo',
  description: '',
  execute: (input: { t?: string }) => input.t ?? 'e',
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
