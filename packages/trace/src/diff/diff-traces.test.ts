import type { Message, RunStep } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { diffTraces } from './diff-traces.ts';

const user = (content: string): Message => ({ role: 'user', content });

/** A run of so many rounds, one call each, then an answer. */
function run(
  rounds: number,
  change: { prompt?: string; result?: (round: number) => string; id?: string } = {},
): RunStep[] {
  const { prompt = 'Which?', result = (round) => `result ${round}`, id = 'call' } = change;
  const steps: Record<string, unknown>[] = [
    {
      kind: 'assembled',
      round: 0,
      settings: { adapter: 'fake', model: 'm', options: {}, maxRounds: 5 },
      added: [user(prompt)],
      sources: [],
      dropped: [],
      tools: [{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }],
      warnings: [],
    },
  ];
  let length = 1;
  let added: Message[] = [];
  for (let round = 1; round <= rounds; round++) {
    length += added.length;
    steps.push({ kind: 'request', round, added, sent: [[0, length]], toolsOffered: ['look'], attempt: 1 });
    const isLast = round === rounds;
    const toolCalls = isLast
      ? []
      : [{ id: `${id}_${round}`, name: 'look', argumentsJson: `{"at":${round}}` }];
    const message: Message = { role: 'assistant', content: isLast ? 'Done.' : '', toolCalls };
    steps.push({
      kind: 'response',
      round,
      durationMs: round,
      message,
      finishReason: isLast ? 'stop' : 'tool_calls',
      usage: {},
    });
    if (isLast) break;
    steps.push({
      kind: 'tool',
      round,
      durationMs: 1,
      call: toolCalls[0],
      result: result(round),
      isError: false,
    });
    added = [
      message,
      {
        role: 'tool',
        toolCallId: `${id}_${round}`,
        toolName: 'look',
        content: result(round),
        isError: false,
      },
    ];
  }
  steps.push({
    kind: 'end',
    round: rounds,
    durationMs: 9,
    stopReason: 'completed',
    rounds,
    usage: {},
    unpricedRounds: 0,
  });
  return steps.map((step, index) => ({ ...step, at: index * Math.random() })) as unknown as RunStep[];
}

describe('diffTraces', () => {
  it('finds nothing between a trace and itself, nor between runs that differ in ids and times', () => {
    expect(diffTraces(run(4), run(4, { id: 'other' }))).toEqual({ same: true, settings: [], steps: [] });
  });

  it('compares ids and times when asked', () => {
    const [a, b] = [run(2), run(2, { id: 'other' })];
    const paths = (options: object) =>
      diffTraces(a, b, options).steps.flatMap(({ differences }) => differences.map(({ path }) => path));
    expect(paths({ ids: true })).toEqual(['message.toolCalls[0].id', 'call.id']);
    expect(paths({ times: true })).toContain('at');
  });

  it('names a changed prompt once, at its first place', () => {
    expect(diffTraces(run(4), run(4, { prompt: 'What?' })).steps).toEqual([
      {
        change: 'changed',
        kind: 'assembled',
        round: 0,
        oldIndex: 0,
        newIndex: 0,
        differences: [{ path: 'added[0].content', old: 'Which?', new: 'What?' }],
      },
    ]);
  });

  it('names a changed result at its step and not again in the requests', () => {
    const { steps } = diffTraces(
      run(4),
      run(4, { result: (round) => (round === 2 ? 'else' : `result ${round}`) }),
    );
    expect(steps).toMatchObject([
      {
        kind: 'tool',
        round: 2,
        tool: 'look',
        differences: [{ path: 'result', old: 'result 2', new: 'else' }],
      },
    ]);
  });

  it('names a message that differs from the step it repeats', () => {
    const b = run(3).map((step) =>
      step.kind === 'request' && step.round === 2
        ? { ...step, added: [step.added[0]!, { ...step.added[1]!, content: 'edited' } as Message] }
        : step,
    );
    expect(diffTraces(run(3), b).steps).toMatchObject([
      {
        kind: 'request',
        round: 2,
        differences: [{ path: 'added[1].content', old: 'result 1', new: 'edited' }],
      },
    ]);
  });

  it('puts settings first, tools by name', () => {
    const b = run(1).map((step) =>
      step.kind === 'assembled'
        ? {
            ...step,
            settings: { ...step.settings, options: { temperature: 0 } },
            tools: [
              { name: 'new', description: '', parameters: {} },
              { ...step.tools[0]!, description: 'Sees' },
            ],
          }
        : step,
    );
    expect(diffTraces(run(1), b)).toEqual({
      same: false,
      settings: [
        { path: 'settings.options.temperature', new: 0 },
        { path: 'tools["look"].description', old: 'Looks', new: 'Sees' },
        { path: 'tools["new"]', new: { name: 'new', description: '', parameters: {} } },
      ],
      steps: [],
    });
  });

  it('takes a round more for a round more, wherever it is', () => {
    const { steps } = diffTraces(run(4), run(5));
    expect(steps.map(({ change, kind }) => `${change} ${kind}`)).toEqual(
      [
        'added request',
        'added response',
        'added tool',
        'changed request',
        'changed response',
        'changed end',
      ].filter((line) => steps.some(({ change, kind }) => `${change} ${kind}` === line)),
    );
    expect(steps.filter(({ change }) => change === 'added')).toHaveLength(3);
    expect(steps.filter(({ change }) => change === 'removed')).toHaveLength(0);
  });

  it('pairs tools by their calls, not by the order in which they ended', () => {
    const twoCalls = (order: readonly number[]): RunStep[] => {
      const calls = [0, 1].map((at) => ({
        id: `c${at}`,
        name: at === 0 ? 'one' : 'two',
        argumentsJson: '{}',
      }));
      const message = { role: 'assistant', content: '', toolCalls: calls };
      const tools = order.map((at) => ({
        kind: 'tool',
        round: 1,
        at: 0,
        durationMs: 1,
        call: calls[at],
        result: `${at}`,
        isError: false,
      }));
      return [
        { kind: 'response', round: 1, at: 0, durationMs: 1, message, finishReason: 'tool_calls', usage: {} },
        ...tools,
      ] as RunStep[];
    };
    expect(diffTraces(twoCalls([0, 1]), twoCalls([1, 0])).same).toBe(true);
  });

  it('tells fields inside the arguments', () => {
    const b = run(2).map((step) =>
      step.kind === 'tool' ? { ...step, call: { ...step.call, argumentsJson: '{"at":"x"}' } } : step,
    );
    expect(diffTraces(run(2), b).steps[0]?.differences).toEqual([
      { path: 'call.argumentsJson.at', old: 1, new: 'x' },
    ]);
  });

  it('compares 2,000 steps with 2,000 others without growing with their square', () => {
    const long = 'x'.repeat(2000);
    const a = run(667, { result: (round) => long + round });
    const b = run(667, { result: (round) => long + (round % 3 === 0 ? -round : round), prompt: 'Other' });
    const { steps } = diffTraces(a, b);
    // CPU of this process, printed against the budget of a second; the bound only catches work that explodes.
    const times = [b, b.slice(0, -7), b.toSpliced(300, 9)].map((other) => {
      const before = process.cpuUsage();
      diffTraces(a, other);
      return process.cpuUsage(before).user / 1000;
    });
    console.log(`diff: 2,000 steps in ${Math.max(...times).toFixed(0)} ms of CPU, budget 1000`);
    expect(Math.max(...times)).toBeLessThan(10_000);
    expect(a.length).toBeGreaterThan(1990);
    expect(steps).toHaveLength(1 + 222);
  });
});
