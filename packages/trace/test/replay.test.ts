import { type Adapter, defineTool, type RunStep, ToolError, ToolOptions } from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTraces, type ReplayRun, replay, runFromTrace } from '../src/index.ts';
import { type Plan, plan, planned, recorded } from './generated-run.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 60);

const calls = (...tools: number[]) =>
  ({ does: 'call', calls: tools.map((tool) => ({ tool, args: '{"city":"Oslo"}' })), text: '' }) as const;
const answer = { does: 'answer', text: 'Done.', finishReason: 'stop' } as const;
const base: Plan = {
  acts: [calls(0, 1), calls(2, 3), answer],
  question: 'Where?',
  maxRounds: 5,
  toolConcurrency: Number.POSITIVE_INFINITY,
  streams: false,
  captures: false,
  limits: {},
};
/** The run of a plan, not yet aborted, with an adapter that must not be asked. */
function again(of: Plan): ReplayRun & { readonly adapter: Adapter } {
  const { signal: _, ...run } = planned(of).run;
  const adapter = { ...run.adapter, chat: () => Promise.reject(new Error('asked')) };
  return { ...run, adapter };
}
const written = (steps: readonly RunStep[]): readonly RunStep[] => {
  const header = encodeTraceHeader({ id: 'x', startedAt: '2026-01-01T00:00:00Z', capturesRaw: false });
  return decodeTrace(header + steps.map((step, index) => encodeStep(step, index + 1)).join('')).steps;
};

describe('properties over generated runs', () => {
  it('encode and decode give back every trace', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (of) => {
        const steps = await recorded(of);
        expect(written(steps)).toEqual(JSON.parse(JSON.stringify(steps)));
        expect(diffTraces(steps, written(steps), { ids: true, times: true, opaque: true }).same).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('a replay of any run gives the same trace, asks nobody and executes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (of) => {
        const steps = written(await recorded(of));
        const run = planned(of);
        const { signal: _, ...rest } = run.run;
        const outcome = await replay(steps, { ...rest, adapter: again(of).adapter });
        expect(outcome.diff?.steps ?? outcome.divergence).toEqual([]);
        expect(outcome.status).toBe('same');
        expect(untimed(outcome.steps)).toEqual(untimed(steps));
        expect(run.executed()).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('a replay from the trace alone gives the same trace', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (of) => {
        const steps = written(await recorded(of));
        const outcome = await replay(steps);
        expect(outcome.diff?.steps ?? outcome.divergence).toEqual([]);
        expect(outcome.status).toBe('same');
      }),
      { numRuns: RUNS },
    );
  });

  it('a trace does not differ from itself, and one changed field is the one that is named', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.nat(), async (of, choice) => {
        const steps = written(await recorded(of));
        expect(diffTraces(steps, steps, { ids: true, times: true, opaque: true }).same).toBe(true);
        const places = leaves(steps);
        const at = places[choice % places.length]!;
        const { steps: found, settings } = diffTraces(steps, changed(steps, at), {
          ids: true,
          times: true,
          opaque: true,
        });
        const paths = [...settings, ...found.flatMap(({ differences }) => differences)].map(
          ({ path }) => path,
        );
        expect(paths.map(plain)).toContain(plain(at.slice(1).join('.')));
        expect(new Set(found.map(({ oldIndex, newIndex }) => oldIndex ?? newIndex)).size).toBeLessThanOrEqual(
          1,
        );
      }),
      { numRuns: RUNS * 3 },
    );
  });
});

describe('replay', () => {
  it('waits for no retry and for no time limit', async () => {
    const of = { ...base, acts: [{ does: 'fail', code: 'rate_limited' }, answer] } as Plan;
    const steps = (await recorded(of)).map((step) =>
      step.kind === 'error' ? { ...step, retryInMs: 30_000 } : step,
    );
    const startedAt = performance.now();
    expect((await replay(steps, again(of))).status).toBe('same');
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  it.each([
    { maxRetries: 10, maxDelayMs: Number.POSITIVE_INFINITY },
    { maxRetries: 0 },
    { baseDelayMs: Number.POSITIVE_INFINITY },
  ])('tries again what was tried again and nothing else, whatever the run allows: %o', async (retry) => {
    const failing = { ...base, acts: [{ does: 'fail', code: 'rate_limited' }] } as Plan;
    const steps = await recorded(failing);
    expect(steps.filter(({ kind }) => kind === 'error')).toHaveLength(3);
    const { diff, divergence } = await replay(steps, { ...again(failing), retry });
    expect(diff?.steps ?? divergence).toEqual([]);
  });

  it.each([
    ['prompt', { systemPrompt: 'Be long.' }, { where: 'message', message: 0, path: 'content' }],
    [
      'question',
      { messages: [{ role: 'user', content: 'When?' }] },
      { where: 'message', message: 1, path: 'content', old: 'Where?', new: 'When?' },
    ],
    [
      'option',
      { options: new ToolOptions({ temperature: 1, toolChoice: 'required' }) },
      { where: 'settings', path: 'options.temperature', old: 0, new: 1 },
    ],
    [
      'tools',
      { tools: [], options: new ToolOptions({ temperature: 0 }) },
      { where: 'settings', path: 'options.toolChoice', old: 'required' },
    ],
  ] as const)('stops at the first request when the %s has changed', async (_, change, expected) => {
    const outcome = await replay(await recorded(base), { ...again(base), ...change } as ReplayRun);
    expect(outcome).toMatchObject({ status: 'diverged', divergence: { round: 1, attempt: 1, ...expected } });
    expect(outcome.steps.map(({ kind }) => kind)).not.toContain('error');
  });

  it('names a changed description of a tool', async () => {
    const { tools = [], ...rest } = again(base);
    const run = {
      ...rest,
      tools: tools.map((tool) => (tool.name === 'slow' ? { ...tool, description: 'New' } : tool)),
    };
    expect((await replay(await recorded(base), run)).divergence).toMatchObject({
      where: 'tools',
      path: 'tools[1].description',
      old: 'It slow',
      new: 'New',
    });
  });

  it('executes the tools when asked, and names the result that has changed', async () => {
    const { tools = [], ...rest } = again(base);
    const run = {
      ...rest,
      tools: tools.map((tool) => (tool.name === 'slow' ? { ...tool, execute: () => 'faster' } : tool)),
    };
    const outcome = await replay(await recorded(base), run, { liveTools: true });
    expect(outcome.divergence).toMatchObject({
      round: 2,
      where: 'message',
      message: 4,
      path: 'content',
      old: 'slowly',
      new: 'faster',
    });
    expect(outcome.divergence?.sentence).toBe('Round 2 differs in message 4, content: "slowly" → "faster"');
  });

  it('stops where a smaller maxRounds ends the run', async () => {
    const outcome = await replay(await recorded(base), { ...again(base), maxRounds: 1 });
    expect(outcome.divergence).toMatchObject({ round: 2, where: 'tools' });
  });

  it('goes on live from a round', async () => {
    const live = planned({ ...base, acts: [answer] }).run;
    const outcome = await replay(await recorded(base), live, { fromRound: 2 });
    expect(outcome.status).toBe('live');
    expect(outcome.steps.map(({ kind }) => kind)).toEqual([
      'assembled',
      'request',
      'response',
      'tool',
      'tool',
      'request',
      'response',
      'end',
    ]);
    expect(outcome.result?.content).toBe('Done.');
  });

  it('says that a cut trace is incomplete', async () => {
    const steps = await recorded(base);
    for (let length = 1; length < steps.length; length++) {
      expect((await replay(steps.slice(0, length), again(base))).status, `${length} steps`).toBe(
        'incomplete',
      );
    }
  });

  it('a run taken from the trace keeps its sources, whatever else of it is changed', async () => {
    const steps = await recorded(base);
    const results = new Map(
      steps.flatMap((step) => (step.kind === 'tool' ? [[step.call.name, step] as const] : [])),
    );
    const { tools = [], ...rest } = runFromTrace(steps);
    const live = tools.map((tool) => ({
      ...tool,
      execute: () => {
        const { result = '', thrown, isError } = results.get(tool.name) ?? {};
        if (isError) throw thrown === undefined ? new ToolError(result) : new RangeError('secret inside');
        return result;
      },
    }));
    const outcome = await replay(steps, { ...rest, tools: live }, { liveTools: true });
    expect(outcome.diff?.steps.filter(({ kind }) => kind === 'assembled') ?? outcome.divergence).toEqual([]);
  });

  it.each([
    ['a run that ended', base],
    ['a run that was stopped', { ...base, acts: [calls(0, 1), calls(0, 5)] }],
  ] as const)(
    'says that a trace which lacks a step is incomplete, and waits for nothing: %s',
    async (_, of) => {
      const steps = await recorded(of);
      const places = [...steps.keys()].filter((place) => steps[place]!.kind === 'tool');
      expect(places.length).toBeGreaterThan(2);
      for (const place of places) {
        const { call, ...rest } = steps[place] as Extract<RunStep, { kind: 'tool' }> & {
          readonly round: number;
        };
        const renamed = { ...rest, call: { ...call, id: 'another' } } as unknown as RunStep;
        for (const edited of [steps.toSpliced(place, 1), steps.with(place, renamed)]) {
          const { status } = await replay(edited, again(of));
          expect(['incomplete', 'same'], `step ${place}`).toContain(status);
          if (of === base) expect(status, `step ${place}`).toBe('incomplete');
        }
      }
    },
  );

  it('replays a time limit', async () => {
    const of = { ...base, acts: [calls(1, 1), answer] };
    const { signal: _, ...run } = planned(of).run;
    const { RunTrace, runLoop } = await import('@glassloop/core');
    const trace = new RunTrace();
    const slow = defineTool({ name: 'slow', description: 'It slow', execute: () => new Promise(() => {}) });
    await runLoop({ ...run, tools: [slow], limits: { durationMs: 30 } }, trace);
    expect(trace.steps.at(-1)).toMatchObject({ stopReason: 'limit' });
    const outcome = await replay(written(trace.steps), {
      ...again(of),
      tools: [slow],
      limits: { durationMs: 30 },
    });
    expect(outcome.diff?.steps ?? outcome.divergence).toEqual([]);
  });

  it('refuses what it cannot do', async () => {
    const steps = await recorded(base);
    await expect(replay(steps, undefined, { fromRound: 2 })).rejects.toThrow(/needs an adapter/);
    await expect(replay(steps, again(base), { fromRound: 0 })).rejects.toThrow(/fromRound/);
    await expect(replay([])).rejects.toThrow(/no assembled step/);
  });
});

const TIMES = new Set(['at', 'durationMs', 'firstTokenMs']);
const untimed = (steps: readonly RunStep[]): unknown =>
  JSON.parse(JSON.stringify(steps, (key, value) => (TIMES.has(key) ? undefined : value)));

/** The paths of all texts, numbers and booleans whose change leaves the steps in their places. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) {
    const key = path.at(-1);
    const moves = path.length <= 2 && (key === 'kind' || key === 'round');
    return moves ||
      key === 'role' ||
      path.includes('sent') ||
      key === 'id' ||
      key === 'toolCallId' ||
      key === 'name'
      ? []
      : [[...path]];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function changed(
  steps: readonly RunStep[],
  [index, ...path]: readonly (string | number)[],
): readonly RunStep[] {
  const copy = structuredClone(steps) as unknown as Record<string | number, unknown>[];
  let inner: Record<string | number, unknown> = copy[index as number]!;
  for (const key of path.slice(0, -1)) inner = inner[key] as Record<string | number, unknown>;
  const last = path.at(-1)!;
  const value = inner[last];
  inner[last] =
    typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${String(value)}!`;
  return copy as unknown as readonly RunStep[];
}

/** A path without brackets; tools are named by name in one and by place in the other. */
function plain(path: string): string {
  return path
    .replaceAll(/\[("[^"]*"|\d+)\]/g, (_, key: string) => `.${key.startsWith('"') ? JSON.parse(key) : key}`)
    .replace(/^tools\.[^.]+/, 'tools')
    .replace(/(argumentsJson|body)\..*$/, '$1');
}
