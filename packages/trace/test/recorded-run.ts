import { defineTool, type RunStep, RunTrace, runLoop, ToolOptions } from '@glassloop/core';
import { decodeTrace, encodeStep, encodeTraceHeader, type TraceHeader } from '@glassloop/core/trace-file';
import { openai } from '@glassloop/openai';
import { openaiChat, type ScriptedTurn, startSimulator } from '@glassloop/simulator';

export interface RecordedRun {
  readonly header: TraceHeader;
  readonly steps: readonly RunStep[];
  /** The trace file. */
  readonly text: string;
}

const TURNS: readonly ScriptedTurn[] = [
  { fail: { status: 429, message: 'Slow down' } },
  {
    callTools: [
      { name: 'look', arguments: { city: 'Oslo' } },
      { name: 'fail', arguments: {} },
    ],
  },
  {
    say: 'It is ```cold``` in "Oslo" | 🙂.',
    usage: { prompt: 30, completion: 7, cacheRead: 12, reasoning: 3 },
  },
];

/** A run through the OpenAI adapter: a retry, two tools of which one fails, and an answer. */
export async function recordedRun(
  given: { readonly streams?: boolean; readonly canary?: (place: string) => string } = {},
): Promise<RecordedRun> {
  const { streams = false, canary = () => '' } = given;
  const say = canary('answer');
  const turns: readonly ScriptedTurn[] = TURNS.map((turn) =>
    'say' in turn ? { ...turn, say: `${turn.say}${say}` } : turn,
  );
  const simulator = await startSimulator({ wire: openaiChat, turns });
  try {
    const trace = new RunTrace({ captureRaw: true });
    const tool = (name: string, execute: () => unknown) =>
      defineTool({
        name,
        description: `It looks. ${canary('tool description')}`,
        input: { type: 'object', properties: { city: { type: 'string' } } },
        execute,
      });
    await runLoop(
      {
        adapter: openai({ model: 'gpt-test', apiKey: 'sk-configured-key-0001', baseURL: simulator.baseURL }),
        systemPrompt: `Be brief. ${canary('system prompt')}`,
        messages: [{ role: 'user', content: `How cold is it? ${canary('question')}` }],
        tools: [
          tool('look', () => ({ degrees: -3, [canary('key') || 'note']: canary('result') })),
          tool('fail', () => {
            throw new Error(`It broke. ${canary('thrown')}`);
          }),
        ],
        options: new ToolOptions({
          temperature: 0,
          maxTokens: 100,
          providerOptions: { openai: { user: canary('option') || 'me' } },
        }),
        retry: { baseDelayMs: 1 },
        ...(streams ? { onDelta: () => {} } : {}),
      },
      trace,
    );
    const head = encodeTraceHeader({
      id: `run-1${canary('id')}`,
      startedAt: '2026-01-01T00:00:00.000Z',
      capturesRaw: true,
    });
    const text = head + trace.steps.map((step, index) => encodeStep(step, index + 1)).join('');
    const { header, steps } = decodeTrace(text);
    return { header: header!, steps, text };
  } finally {
    await simulator.close();
  }
}
