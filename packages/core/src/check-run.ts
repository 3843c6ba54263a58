import { isPlainObject, shown } from './check.ts';
import { ToolOptions } from './options.ts';
import type { RetryPolicy, Run, RunLimits } from './run.ts';
import type { Tool } from './tool.ts';

/** The most rounds any run may have, whoever asks. */
export const MOST_ROUNDS = 1000;

/** A run after checking, with every default filled in. */
export interface CheckedRun {
  readonly run: Run;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly options: ToolOptions;
  readonly maxRounds: number;
  readonly toolConcurrency: number;
  readonly toolTimeoutMs: number;
  readonly limits: RunLimits & { readonly repeats: number };
  readonly retry: Required<RetryPolicy>;
}

/** Throws TypeError or RangeError that names the argument, what came and what is expected, before anything is done. */
export function checkRun(run: Run): CheckedRun {
  if (!isPlainObject(run))
    throw new TypeError(`runLoop: expected { adapter, messages, … }; got ${shown(run)}.`);
  for (const name of Object.keys(run)) {
    if (!KNOWN.has(name))
      throw new TypeError(`runLoop: unknown argument "${name}". Known: ${[...KNOWN].join(', ')}.`);
  }
  const { adapter, options = new ToolOptions(), maxRounds = 5, limits = {}, retry = {} } = run;
  if (!isPlainObject(adapter) || typeof adapter.chat !== 'function' || typeof adapter.name !== 'string') {
    wrong('adapter', 'an adapter, such as openai({ model })', adapter);
  }
  if (!(options instanceof ToolOptions))
    wrong('options', 'a ToolOptions: new ToolOptions({ temperature: 0 })', options);
  if (!(Number.isInteger(maxRounds) && maxRounds >= 1 && maxRounds <= MOST_ROUNDS)) {
    throw new RangeError(
      `runLoop: maxRounds must be a whole number from 1 to ${MOST_ROUNDS}; got ${shown(maxRounds)}.`,
    );
  }
  optional('systemPrompt', run.systemPrompt, 'a text', (value) => typeof value === 'string');
  optional('signal', run.signal, 'an AbortSignal', (value) => value instanceof AbortSignal);
  optional('onDelta', run.onDelta, 'a function', (value) => typeof value === 'function');
  optional('validator', run.validator, 'a function', (value) => typeof value === 'function');
  for (const name of ['skills', 'snippets', 'tools'] as const)
    optional(name, run[name], 'a list', Array.isArray);
  if (run.allowedTools !== null) {
    optional(
      'allowedTools',
      run.allowedTools,
      'a list of tool names, or null for all',
      (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
    );
  }
  for (const name of ['augmentation', 'skillPolicy', 'prices'] as const)
    optional(name, run[name], 'an object', isPlainObject);
  optional('limits', limits, 'an object', isPlainObject);
  optional('retry', retry, 'an object', isPlainObject);
  for (const name of ['totalTokens', 'cost', 'toolCalls', 'durationMs', 'repeats'] as const) {
    optional(
      `limits.${name}`,
      limits[name],
      'a number > 0',
      (value) => typeof value === 'number' && value > 0,
    );
  }
  const tools = toolsByName(run.tools ?? []);
  const { toolChoice } = options.toCallOptions();
  if (typeof toolChoice === 'object' && !tools.has(toolChoice.tool)) {
    wrong(
      'options.toolChoice',
      `one of the tools (${[...tools.keys()].join(', ') || 'there are none'})`,
      toolChoice.tool,
    );
  }
  return {
    run,
    tools,
    options,
    maxRounds,
    toolConcurrency: positive('toolConcurrency', run.toolConcurrency, Number.POSITIVE_INFINITY),
    toolTimeoutMs: positive('toolTimeoutMs', run.toolTimeoutMs, 120_000),
    limits: { ...limits, repeats: limits.repeats ?? 5 },
    retry: {
      maxRetries: retries(retry.maxRetries),
      baseDelayMs: positive('retry.baseDelayMs', retry.baseDelayMs, 500),
      maxDelayMs: positive('retry.maxDelayMs', retry.maxDelayMs, 60_000),
    },
  };
}

const KNOWN = new Set<string>([
  'adapter',
  'messages',
  'systemPrompt',
  'snippets',
  'skills',
  'skillPolicy',
  'tools',
  'allowedTools',
  'validator',
  'options',
  'augmentation',
  'maxRounds',
  'toolConcurrency',
  'toolTimeoutMs',
  'limits',
  'retry',
  'prices',
  'signal',
  'onDelta',
] satisfies (keyof Run)[]);

function toolsByName(list: readonly Tool[]): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const [index, tool] of list.entries()) {
    if (
      !isPlainObject(tool) ||
      typeof tool.name !== 'string' ||
      typeof tool.execute !== 'function' ||
      !isPlainObject(tool.parameters)
    ) {
      wrong(`tools[${index}]`, 'a tool made by defineTool', tool);
    }
    if (tools.has(tool.name))
      throw new TypeError(`runLoop: two tools are called "${tool.name}"; names must be unique.`);
    tools.set(tool.name, tool);
  }
  return tools;
}

function retries(value: number | undefined): number {
  if (value === undefined) return 2;
  if (Number.isInteger(value) && value >= 0 && value <= 10) return value;
  throw new RangeError(`runLoop: retry.maxRetries must be a whole number from 0 to 10; got ${shown(value)}.`);
}

function positive(name: string, value: number | undefined, otherwise: number): number {
  optional(name, value, 'a number > 0', (given) => typeof given === 'number' && given > 0);
  return value ?? otherwise;
}

function optional(name: string, value: unknown, expected: string, holds: (value: unknown) => boolean): void {
  if (value !== undefined && !holds(value)) wrong(name, expected, value);
}

function wrong(name: string, expected: string, value: unknown): never {
  throw new TypeError(`runLoop: ${name} must be ${expected}; got ${shown(value)}.`);
}
