import { excerpt } from './adapter/adapter-error.ts';
import { parseArguments } from './adapter/arguments.ts';
import { shown } from './check.ts';
import type { ToolCall } from './message.ts';
import { onAbort } from './on-abort.ts';
import { resultText } from './result-text.ts';
import { LONGEST_TIMER_MS, type RunStop, STOPPED } from './run-stop.ts';
import type { JsonSchemaValidator, StandardIssue, StandardResult } from './schema.ts';
import { boundedResult, wellFormed } from './text.ts';
import type { Tool, ToolContext } from './tool.ts';

/** What a model is told about one call, and what people are told beside it. */
export interface ToolOutcome {
  readonly content: string;
  readonly isError: boolean;
  /** UTF-8 bytes before the result was cut. */
  readonly fullBytes?: number;
  /** What the tool threw. For the trace, never for the model: it may hold what only the host may know. */
  readonly thrown?: string;
}

const BRAND = Symbol.for('glassloop.ToolError');

/** Throw it in a tool to tell the model what went wrong; the message of any other error stays with the host. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Also holds for an error from another copy of core, as a tool package may bring one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** The tools of one run, by name; a Map, so that `constructor` and `__proto__` are names like any other. */
export interface ToolBox {
  /** All there are. */
  readonly registered: ReadonlyMap<string, Tool>;
  /** Those the model may call. */
  readonly offered: ReadonlyMap<string, Tool>;
  readonly timeoutMs: number;
  /** Problems of a value by a tool's plain JSON Schema. */
  readonly validate: (tool: Tool, value: unknown) => readonly string[];
}

/** One tool call: find, parse, validate, execute; every failure becomes an error result. Rejects only with STOPPED. */
export async function runTool(
  call: ToolCall,
  round: number,
  box: ToolBox,
  stop: RunStop,
): Promise<ToolOutcome> {
  const tool = box.offered.get(call.name);
  if (tool === undefined) return failed(notAvailable(call.name, box));
  const parsed = parseArguments(call.argumentsJson);
  if (parsed === undefined) {
    return failed(
      `The arguments of "${call.name}" were not valid JSON for an object, so it was not run. They began: ${excerptOf(call.argumentsJson)}. Call it again.`,
    );
  }
  const deadline = new CallDeadline(call, round, box.timeoutMs, stop);
  try {
    const checked = accepted(tool, parsed, box, stop);
    const input = checked instanceof Promise ? await checked : checked;
    if ('problems' in input) {
      return failed(
        `The arguments of "${call.name}" do not fit, so it was not run: ${input.problems.join('; ')}.`,
      );
    }
    const running = tool.execute(input.value, deadline);
    const value = isPromiseLike(running) ? await stop.race(deadline.race(running)) : running;
    return { ...bounded(resultText(value)), isError: false };
  } catch (error) {
    if (error === STOPPED) throw error;
    if (error === TIMED_OUT)
      return failed(`The tool "${call.name}" did not answer within ${box.timeoutMs} ms.`);
    if (error instanceof ToolError)
      return { ...bounded(error.message || `The tool "${call.name}" failed.`), isError: true };
    return { content: `The tool "${call.name}" failed.`, isError: true, thrown: excerpt(resultText(error)) };
  } finally {
    deadline.end();
  }
}

function failed(content: string): ToolOutcome {
  return { ...bounded(content), isError: true };
}

function bounded(text: string): { content: string; fullBytes?: number } {
  return boundedResult(wellFormed(text));
}

function notAvailable(name: string, { registered, offered }: ToolBox): string {
  const names = [...offered.keys()].join(', ') || 'none';
  return registered.has(name)
    ? `The tool ${shown(name)} is not available in this run. Available: ${names}.`
    : `There is no tool ${shown(name)}. Available: ${names}.`;
}

function excerptOf(text: string): string {
  return JSON.stringify(excerpt(text).slice(0, 200));
}

type Accepted = { readonly value: unknown } | { readonly problems: readonly string[] };

/** The value `execute` gets, or what is wrong with the arguments, one sentence each. A promise only when the schema needs one. */
function accepted(
  tool: Tool,
  parsed: Record<string, unknown>,
  box: ToolBox,
  stop: RunStop,
): Accepted | Promise<Accepted> {
  if (tool.schema === undefined) {
    const problems = box.validate(tool, parsed);
    return problems.length === 0 ? { value: parsed } : { problems };
  }
  const checked = tool.schema['~standard'].validate(parsed);
  return checked instanceof Promise ? stop.race(checked).then(acceptedBy) : acceptedBy(checked);
}

function acceptedBy(result: StandardResult<unknown>): Accepted {
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(issueText) };
}

function issueText({ message, path = [] }: StandardIssue): string {
  const at = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}

/** Plain JSON Schema: all of it with the caller's validator, else only what `required` names. */
export function plainSchemaCheck(validator: JsonSchemaValidator | undefined): ToolBox['validate'] {
  if (validator === undefined) return missingArguments;
  const compiled = new Map<Tool, (value: unknown) => readonly string[]>();
  return (tool, value) => {
    let check = compiled.get(tool);
    if (check === undefined) {
      check = validator(tool.parameters);
      compiled.set(tool, check);
    }
    return check(value);
  };
}

function missingArguments({ parameters }: Tool, value: unknown): readonly string[] {
  const { required } = parameters;
  if (!Array.isArray(required)) return [];
  return required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(value as object, name))
    .map((name) => `"${name}" is missing`);
}

const TIMED_OUT = Symbol('timed out');

/** The context of one call. Its signal is made only when the tool looks at it. */
class CallDeadline implements ToolContext {
  readonly toolCallId: string;
  readonly round: number;
  readonly #timeoutMs: number;
  readonly #runSignal: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forget: (() => void) | undefined;

  constructor({ id }: ToolCall, round: number, timeoutMs: number, stop: RunStop) {
    this.toolCallId = id;
    this.round = round;
    this.#timeoutMs = timeoutMs;
    this.#runSignal = stop.signal;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const signal = this.#runSignal;
      const stop = () => controller.abort(signal?.reason);
      if (signal?.aborted) stop();
      else this.#forget = signal && onAbort(signal, stop);
    }
    return this.#controller.signal;
  }

  /** What the tool gives in the end, or TIMED_OUT. What it does after that is nobody's business, and no unhandled rejection. */
  race(running: PromiseLike<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#timeoutMs <= LONGEST_TIMER_MS) {
        this.#timer = setTimeout(() => {
          reject(TIMED_OUT);
          this.#controller?.abort(new DOMException(`No answer within ${this.#timeoutMs} ms`, 'TimeoutError'));
        }, this.#timeoutMs);
      }
      running.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#forget?.();
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
