import {
  defineTool,
  type Message,
  type Run,
  type RunLimits,
  type RunStep,
  ToolOptions,
} from '@glassloop/core';

/** A run without its adapter. */
export type RunInput = Omit<Run, 'adapter'>;

/**
 * The run a trace was recorded from, as far as the trace knows it: the assembled messages as they were sent, the tools
 * without their code, the options. Limits are read from why the run ended. Throws TypeError for a trace without an
 * assembled step.
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
    limits: limitsOf(steps),
    // Matters only where calls were left unfinished: those were under way beside the ones that ended.
    ...(isStopped(steps) ? { toolConcurrency: unfinishedCalls(steps) + 1 } : {}),
    retry: { maxRetries: 10 },
    ...(steps.some((step) => step.kind === 'response' && step.firstTokenMs !== undefined)
      ? { onDelta: () => {} }
      : {}),
    ...(steps.at(-1)?.kind === 'end' && (steps.at(-1) as { stopReason?: unknown }).stopReason === 'dry_run'
      ? { augmentation: { dryRun: true } }
      : {}),
  };
}

/** The settings of a trace do not name the limits, but a run that ended at one says which it was. */
function limitsOf(steps: readonly RunStep[]): RunLimits {
  const end = steps.findLast((step) => step.kind === 'end');
  const number = (pattern: RegExp): number | undefined => {
    const found = pattern.exec(end?.detail ?? '')?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const limits = {
    totalTokens: number(/^The limit of (\d+) tokens was reached/),
    cost: number(/^The cost limit of \$([\d.e-]+) was reached/),
    toolCalls: toolCallLimit(steps),
    // Without it, a run that had been allowed to repeat itself would be stopped.
    repeats: number(REPEATED) ?? Number.POSITIVE_INFINITY,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

const REPEATED = /same results in (\d+) rounds in a row/;
const OVER_LIMIT = 'Not run: the limit of tool calls was reached.';

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

/** The limit shows in calls that were not run, or in a closing request before all rounds were used. */
function toolCallLimit(steps: readonly RunStep[]): number | undefined {
  const tools = steps.filter((step) => step.kind === 'tool');
  const run = tools.filter(({ result }) => result !== OVER_LIMIT);
  if (run.length < tools.length) return run.length + unfinishedCalls(steps);
  const assembled = steps.find((step) => step.kind === 'assembled');
  const end = steps.findLast((step) => step.kind === 'end');
  if (assembled === undefined || assembled.tools.length === 0 || REPEATED.test(end?.detail ?? ''))
    return undefined;
  const { maxRounds } = assembled.settings;
  const closing = steps.find((step) => step.kind === 'request' && step.toolsOffered.length === 0);
  return closing !== undefined && closing.round <= maxRounds ? run.length : undefined;
}

/** Calls of the last round that had begun and not ended when the run was stopped. */
function unfinishedCalls(steps: readonly RunStep[]): number {
  const response = steps.findLast((step) => step.kind === 'response');
  const ended = new Set(
    steps.flatMap((step) => (step.kind === 'tool' && step.round === response?.round ? [step.call.id] : [])),
  );
  const hasEnded = (response?.message.toolCalls ?? []).map(({ id }) => ended.has(id));
  return hasEnded.slice(0, hasEnded.lastIndexOf(true) + 1).filter((has) => !has).length;
}

function isStopped(steps: readonly RunStep[]): boolean {
  const end = steps.findLast((step) => step.kind === 'end');
  return end === undefined || end.stopReason === 'aborted' || end.stopReason === 'limit';
}
