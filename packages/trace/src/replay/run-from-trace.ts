import { defineTool, type Message, type Run, type RunStep, ToolOptions } from '@glassloop/core';

/** A run without its adapter. */
export type RunInput = Omit<Run, 'adapter'>;

/**
 * The run a trace was recorded from, as far as the trace knows it: the assembled messages as they were sent, the tools
 * without their code, the options, limits and retries. Throws TypeError for a trace without an assembled step.
 */
export function runFromTrace(steps: readonly RunStep[]): RunInput {
  const assembled = steps.find((step) => step.kind === 'assembled');
  if (assembled === undefined) {
    throw new TypeError(NOTHING_ASKED);
  }
  const { settings, added, tools, dropped } = assembled;
  const { toolChoice } = settings.options;
  const offered = new Set(tools.map(({ name }) => name));
  const known = [
    ...dropped.filter(({ kind, reason }) => kind === 'tool' && reason === 'not_allowed').map(({ id }) => id),
    ...(typeof toolChoice === 'object' ? [toolChoice.tool] : []),
  ].filter((name) => !offered.has(name));
  const named = (name: string, description = '', input?: Record<string, unknown>) =>
    defineTool({
      name,
      description,
      ...(input === undefined ? {} : { input }),
      execute: () => {
        throw new Error('This tool is known from a trace only; it has no code.');
      },
    });
  return {
    messages: added,
    tools: [
      ...tools.map(({ name, description, parameters }) => named(name, description, parameters)),
      ...[...new Set(known)].map((name) => named(name)),
    ],
    allowedTools: [...offered],
    options: new ToolOptions(settings.options),
    maxRounds: settings.maxRounds,
    limits: numbersOf(settings.limits),
    retry: numbersOf(settings.retry),
    ...numbersOf({ toolConcurrency: settings.toolConcurrency, toolTimeoutMs: settings.toolTimeoutMs }),
    ...(steps.some((step) => step.kind === 'response' && step.firstTokenMs !== undefined)
      ? { onDelta: () => {} }
      : {}),
    ...(steps.at(-1)?.kind === 'end' && (steps.at(-1) as { stopReason?: unknown }).stopReason === 'dry_run'
      ? { augmentation: { dryRun: true } }
      : {}),
  };
}

/** Numbers as they were before they were written: a file has no Infinity, and `null` in its place. */
function numbersOf<Fields extends object>(fields: Fields | undefined): Fields {
  const known = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    known.map(([name, value]) => [name, value ?? Number.POSITIVE_INFINITY]),
  ) as Fields;
}

/** The conversation as the caller gave it, without what was put before and into it. Throws TypeError like `runFromTrace`. */
export function callerMessages(steps: readonly RunStep[]): readonly Message[] {
  const assembled = steps.find((step) => step.kind === 'assembled');
  if (assembled === undefined) throw new TypeError(NOTHING_ASKED);
  return assembled.added.flatMap((message, index): readonly Message[] => {
    const own = assembled.sources.filter((source) => source.kind === 'caller' && source.message === index);
    if (own.length === 0) return [];
    if (message.role !== 'user') return [message];
    if (typeof message.content === 'string') {
      const { content } = message;
      return [{ role: 'user', content: own.map(({ range }) => content.slice(...(range ?? [0]))).join('') }];
    }
    // Parts are the caller's or not as a whole; a source without a part stands for all of them.
    const isOwn = (place: number) => own.some(({ part }) => part === undefined || part === place);
    return [{ role: 'user', content: message.content.filter((_, place) => isOwn(place)) }];
  });
}

const NOTHING_ASKED =
  'The trace has no assembled step, so nothing says what was asked. Pass the run it was recorded from.';
