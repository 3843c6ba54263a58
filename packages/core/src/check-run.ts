import { isPlainObject, shown } from './check.ts';
import { ToolOptions } from './options.ts';
import type { RetryPolicy, Run, RunLimits } from './run.ts';
import type { Tool } from './tool.ts';

/** The most rounds any run may have, whoever asks. */
const MOST_ROUNDS = 1000;

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

/** Throws a TypeError that names the argument, what came and what is expected, before anything is done. */
export function checkRun(run: Run): CheckedRun {
  checkAll('', run, RUN);
  const { options = new ToolOptions(), limits = {}, retry = {} } = run;
  checkAll('limits.', limits, LIMITS);
  checkAll('retry.', retry, RETRY);
  const tools = toolsByName(run.tools ?? []);
  const { toolChoice } = options.toCallOptions();
  if (typeof toolChoice === 'object' && !tools.has(toolChoice.tool)) {
    const known = [...tools.keys()].join(', ') || 'there are none';
    wrong('options.toolChoice', `one of the tools (${known})`, toolChoice.tool);
  }
  return {
    run,
    tools,
    options,
    maxRounds: run.maxRounds ?? 5,
    toolConcurrency: run.toolConcurrency ?? Number.POSITIVE_INFINITY,
    toolTimeoutMs: run.toolTimeoutMs ?? 120_000,
    limits: { ...limits, repeats: limits.repeats ?? 5 },
    retry: {
      maxRetries: retry.maxRetries ?? 2,
      baseDelayMs: retry.baseDelayMs ?? 500,
      maxDelayMs: retry.maxDelayMs ?? 60_000,
    },
  };
}

/** What is expected, in words, and whether a value is it. */
type Check = readonly [expected: string, holds: (value: unknown) => boolean];
type Checks<Arguments> = { readonly [name in keyof Required<Arguments>]: Check };

const OBJECT: Check = ['an object', isPlainObject];
const LIST: Check = ['a list', Array.isArray];
const FUNCTION: Check = ['a function', (value) => typeof value === 'function'];
const POSITIVE: Check = ['a number > 0', (value) => typeof value === 'number' && value > 0];

const RUN: Checks<Run> = {
  adapter: [
    'an adapter, such as openai({ model })',
    (value) => isPlainObject(value) && typeof value.chat === 'function' && typeof value.name === 'string',
  ],
  // Looked at one by one when they are copied.
  messages: LIST,
  systemPrompt: ['a text', (value) => typeof value === 'string'],
  systemPromptOrigin: OBJECT,
  snippets: LIST,
  skills: LIST,
  skillPolicy: OBJECT,
  tools: LIST,
  allowedTools: [
    'a list of tool names, or null for all',
    (value) => value === null || (Array.isArray(value) && value.every((name) => typeof name === 'string')),
  ],
  validator: FUNCTION,
  options: ['a ToolOptions: new ToolOptions({ temperature: 0 })', (value) => value instanceof ToolOptions],
  augmentation: OBJECT,
  maxRounds: wholeNumber(1, MOST_ROUNDS),
  toolConcurrency: POSITIVE,
  toolTimeoutMs: POSITIVE,
  limits: OBJECT,
  retry: OBJECT,
  prices: OBJECT,
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  onDelta: FUNCTION,
};

const LIMITS: Checks<RunLimits> = {
  totalTokens: POSITIVE,
  cost: POSITIVE,
  toolCalls: POSITIVE,
  durationMs: POSITIVE,
  repeats: POSITIVE,
};

const RETRY: Checks<RetryPolicy> = {
  maxRetries: wholeNumber(0, 10),
  baseDelayMs: POSITIVE,
  maxDelayMs: POSITIVE,
};

const TOOL: Check = [
  'a tool made by defineTool',
  (tool) =>
    isPlainObject(tool) &&
    typeof tool.name === 'string' &&
    typeof tool.execute === 'function' &&
    isPlainObject(tool.parameters),
];

function wholeNumber(low: number, high: number): Check {
  return [
    `a whole number from ${low} to ${high}`,
    (value) => Number.isInteger(value) && (value as number) >= low && (value as number) <= high,
  ];
}

/** Adapter and messages must be there; everything else may be absent. */
function checkAll<Arguments extends object>(
  prefix: string,
  given: Arguments,
  checks: Checks<Arguments>,
): void {
  if (!isPlainObject(given))
    throw new TypeError(`runLoop: expected { adapter, messages, … }; got ${shown(given)}.`);
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(checks, name)) {
      throw new TypeError(
        `runLoop: unknown argument "${prefix}${name}". Known: ${Object.keys(checks).join(', ')}.`,
      );
    }
  }
  for (const name in checks) {
    const value = given[name];
    if (value === undefined && name !== 'adapter' && name !== 'messages') continue;
    const check = checks[name];
    if (!check[1](value)) wrong(prefix + name, check[0], value);
  }
}

function toolsByName(list: readonly Tool[]): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const [index, tool] of list.entries()) {
    if (!TOOL[1](tool)) wrong(`tools[${index}]`, TOOL[0], tool);
    if (tools.has(tool.name))
      throw new TypeError(`runLoop: two tools are called "${tool.name}"; names must be unique.`);
    tools.set(tool.name, tool);
  }
  return tools;
}

function wrong(name: string, expected: string, value: unknown): never {
  throw new TypeError(`runLoop: ${name} must be ${expected}; got ${shown(value)}.`);
}
