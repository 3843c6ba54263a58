import {
  type Adapter,
  AdapterError,
  type AdapterErrorCode,
  defineTool,
  type ModelResponse,
  type Run,
  type RunStep,
  RunTrace,
  runLoop,
  ToolError,
  ToolOptions,
} from '@glassloop/core';
import fc from 'fast-check';

/** What a made-up model does in one attempt. */
export type Act =
  | {
      readonly does: 'call';
      readonly calls: readonly { readonly tool: number; readonly args: string }[];
      readonly text: string;
    }
  | {
      readonly does: 'answer';
      readonly text: string;
      readonly finishReason: 'stop' | 'length' | 'content_filter' | 'other';
    }
  | { readonly does: 'fail'; readonly code: AdapterErrorCode; readonly partial?: string }
  | { readonly does: 'break'; readonly message: string }
  | { readonly does: 'abort'; readonly partial: string };

export interface Plan {
  readonly acts: readonly Act[];
  readonly question: string;
  readonly maxRounds: number;
  readonly toolConcurrency: number;
  readonly streams: boolean;
  readonly captures: boolean;
  readonly limits: { readonly toolCalls?: number; readonly totalTokens?: number };
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', 'x'.repeat(60_000), '__proto__', '\u0000\n"'),
);
const call = fc.record({
  tool: fc.integer({ min: 0, max: 6 }),
  args: fc.oneof(
    fc.constant('{}'),
    fc.constant('{"city":"Oslo"}'),
    fc.constant('not json'),
    fc.constant('[]'),
  ),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('call' as const),
      calls: fc.array(call, { minLength: 1, maxLength: 4 }),
      text,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('answer' as const),
      text,
      finishReason: fc.constantFrom('stop', 'length', 'content_filter', 'other'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        does: fc.constant('fail' as const),
        code: fc.constantFrom(
          'rate_limited',
          'unavailable',
          'network',
          'bad_response',
          'auth',
          'timeout',
          'unsupported',
        ),
        partial: text,
      },
      { requiredKeys: ['does', 'code'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('break' as const), message: text }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('abort' as const), partial: text }) },
);
export const plan: fc.Arbitrary<Plan> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 8 }),
  question: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  maxRounds: fc.integer({ min: 1, max: 6 }),
  toolConcurrency: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
  streams: fc.boolean(),
  captures: fc.boolean(),
  limits: fc.record(
    { toolCalls: fc.integer({ min: 1, max: 5 }), totalTokens: fc.integer({ min: 1, max: 60 }) },
    { requiredKeys: [] },
  ),
});

const NAMES = ['quick', 'slow', 'throws', 'refuses', 'long', 'stops', 'no_such_tool'] as const;

/** A run that follows the plan, and how often its tools were executed. */
export function planned(plan: Plan): { readonly run: Run; readonly executed: () => number } {
  const abort = new AbortController();
  let next = 0;
  let executed = 0;
  const tool = (name: string, execute: (context: { readonly signal: AbortSignal }) => unknown) =>
    defineTool({
      name,
      description: `It ${name}`,
      input: {
        type: 'object',
        properties: { city: { type: 'string' } },
        ...(name === 'quick' ? { required: ['city'] } : {}),
      },
      execute: (_, context) => {
        executed++;
        return execute(context);
      },
    });
  const adapter: Adapter = {
    name: 'made-up',
    model: 'made-up-1',
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    async chat(request) {
      const place = next++;
      const act = plan.acts[Math.min(place, plan.acts.length - 1)]!;
      const metadata = plan.captures ? { _raw: { id: `r${place}`, act }, seen: place } : undefined;
      switch (act.does) {
        case 'fail':
          throw new AdapterError(act.code, `It failed: ${place}`, { partial: act.partial, metadata });
        case 'break':
          throw new TypeError(act.message);
        case 'abort':
          request.onDelta?.({ kind: 'text', text: act.partial });
          abort.abort(new DOMException('Enough', 'AbortError'));
          return new Promise(() => {});
        default:
          return answer(act, place, request.onDelta !== undefined, request, metadata);
      }
    },
  };
  function answer(
    act: Extract<Act, { does: 'call' | 'answer' }>,
    place: number,
    streams: boolean,
    request: Parameters<Adapter['chat']>[0],
    metadata: Record<string, unknown> | undefined,
  ): ModelResponse {
    if (streams) request.onDelta?.({ kind: 'text', text: act.text });
    const calls = act.does === 'call' && request.tools.length > 0 ? act.calls : [];
    return {
      message: {
        role: 'assistant',
        content: act.text.toWellFormed(),
        toolCalls: calls.map(({ tool, args }, index) => ({
          id: `c${place}_${index}`,
          name: NAMES[tool]!,
          argumentsJson: args,
        })),
        ...(place % 2 === 0 ? { providerState: { 'made-up': { signature: `s${place}` } } } : {}),
      },
      finishReason: act.does === 'answer' ? act.finishReason : calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { promptTokens: 10, completionTokens: place, totalTokens: 10 + place },
      ...(metadata === undefined ? {} : { metadata }),
    };
  }
  return {
    executed: () => executed,
    run: {
      adapter,
      messages: [{ role: 'user', content: plan.question }],
      systemPrompt: 'Be brief.',
      snippets: [{ id: 'tone', name: 'Tone', text: 'Kindly.' }],
      tools: [
        tool('quick', () => ({ found: true })),
        tool('slow', async () => {
          await new Promise((resolve) => setTimeout(resolve, 3));
          return 'slowly';
        }),
        tool('throws', () => {
          throw new RangeError('secret inside');
        }),
        tool('refuses', () => {
          throw new ToolError('No.');
        }),
        tool('long', () => 'ä'.repeat(40_000)),
        tool('stops', ({ signal }) => {
          setTimeout(() => abort.abort(new DOMException('Enough', 'AbortError')), 1);
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        }),
      ],
      options: new ToolOptions({ temperature: 0, toolChoice: 'required' }),
      maxRounds: plan.maxRounds,
      toolConcurrency: plan.toolConcurrency,
      limits: plan.limits,
      retry: { maxRetries: 2, baseDelayMs: 1 },
      signal: abort.signal,
      ...(plan.streams ? { onDelta: () => {} } : {}),
    },
  };
}

/** The steps of a planned run, however it ends. */
export async function recorded(plan: Plan): Promise<readonly RunStep[]> {
  const trace = new RunTrace({ captureRaw: plan.captures });
  await runLoop(planned(plan).run, trace).catch(() => {});
  return trace.steps;
}
