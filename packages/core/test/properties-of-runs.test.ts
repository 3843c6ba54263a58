/** What holds for any run, and for whatever became of its file. */

import { AdapterError } from '@glassloop/core/adapter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineTool, messagesSent, type Run, RunError, RunTrace, runLoop } from '../src/index.ts';
import { decodeTrace, encodeStep, encodeTraceHeader } from '../src/trace-file.ts';
import { json, object, text } from './arbitrary.ts';
import { type Answer, scripted } from './scripted-adapter.ts';

/** A model, tools and limits that may do anything. */
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ text }),
  fc.record({
    text,
    calls: fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        name: fc.constantFrom('good', 'throws', 'odd', 'unknown', ''),
        args: fc.oneof(object, text),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    finishReason: fc.constantFrom('tool_calls' as const, 'length' as const, 'other' as const),
  }),
  fc.constantFrom('auth' as const, 'network' as const, 'bad_response' as const).map((code) => () => {
    throw new AdapterError(code, 'by chance');
  }),
);
const limits = fc.record(
  {
    totalTokens: fc.integer({ min: 1, max: 60 }),
    toolCalls: fc.integer({ min: 1, max: 5 }),
    repeats: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
);

async function anyRun(answers: readonly Answer[], settings: Partial<Run>, trace?: RunTrace) {
  const tools = [
    defineTool({ name: 'good', description: 'g', execute: (input) => JSON.stringify(input) }),
    defineTool({
      name: 'throws',
      description: 't',
      execute: () => {
        throw new Error('no');
      },
    }),
    defineTool({ name: 'odd', description: 'o', execute: () => undefined as never }),
  ];
  return runLoop(
    {
      adapter: scripted(answers),
      messages: [{ role: 'user', content: 'Go on.' }],
      tools,
      retry: { baseDelayMs: 1, maxRetries: 1 },
      ...settings,
    },
    trace,
  ).catch((error: unknown) => error as RunError);
}
const settings = fc.record({ maxRounds: fc.integer({ min: 1, max: 4 }), limits });

describe('a run', () => {
  it('with any model ends with a named reason, and every call has its result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 6 }), settings, async (answers, given) => {
        const trace = new RunTrace();
        const outcome = await anyRun(answers, given, trace);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(RunError);
        const { messages } = outcome instanceof RunError ? outcome.result : outcome;
        const asked = messages.flatMap((one) =>
          one.role === 'assistant' ? one.toolCalls.map(({ id }) => id) : [],
        );
        const told = messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : []));
        expect(told).toEqual(asked);
        expect(new Set(asked).size).toBe(asked.length);
        const { steps } = trace;
        expect(steps.filter(({ kind }) => kind === 'end')).toHaveLength(1);
        expect(steps.at(-1)).toMatchObject({
          kind: 'end',
          stopReason: outcome instanceof RunError ? 'failed' : outcome.stopReason,
        });
        const sent = messagesSent(steps, 1);
        expect(sent[0]).toBe(messages[0]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a trace file', () => {
  const file = fc.array(answer, { minLength: 1, maxLength: 4 });
  async function written(answers: readonly Answer[]) {
    const trace = new RunTrace();
    await anyRun(answers, { maxRounds: 2 }, trace);
    const header = encodeTraceHeader({ id: 'x', startedAt: '2026-01-01T00:00:00Z', capturesRaw: false });
    return {
      steps: trace.steps,
      lines: header + trace.steps.map((step, at) => encodeStep(step, at + 1)).join(''),
    };
  }

  it('of any run gives its steps back', async () => {
    await fc.assert(
      fc.asyncProperty(file, async (answers) => {
        const { steps, lines } = await written(answers);
        const { steps: read, problems } = decodeTrace(lines);
        expect(problems).toEqual([]);
        expect(JSON.stringify(read)).toBe(JSON.stringify(steps));
      }),
      { numRuns: 100 },
    );
  });

  it('that was cut anywhere gives the steps before the cut, and says that it was', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.double({ min: 0, max: 0.999, noNaN: true }), async (answers, share) => {
        const { steps, lines } = await written(answers);
        const cut = lines.slice(0, Math.floor(lines.length * share));
        const { steps: read, problems } = decodeTrace(cut);
        expect(JSON.stringify(read)).toBe(JSON.stringify(steps.slice(0, read.length)));
        // The last line may lack no more than its line break.
        if (read.length < steps.length) expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });

  it('that was damaged anywhere, or never was one, is read without a throw', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), text, async (answers, at, damage) => {
        const { lines } = await written(answers);
        const place = at % lines.length;
        decodeTrace(lines.slice(0, place) + damage + lines.slice(place + damage.length));
        decodeTrace(damage);
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.array(json), (values) => {
        decodeTrace(values.map((step) => JSON.stringify({ type: 'step', seq: 1, step })).join('\n'));
        decodeTrace(values.map((value) => JSON.stringify(value)).join('\n'));
      }),
    );
  });
});
