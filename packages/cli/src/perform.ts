import {
  type Delta,
  type EndStep,
  type PartialResult,
  type Run,
  RunError,
  type RunResult,
  type RunStep,
  RunTrace,
  runLoop,
} from '@glassloop/core';
import type { Context } from './context.ts';
import { usageProblem } from './problem.ts';
import { StepPrinter, type View } from './render/step.ts';
import { formatCount, oneLine } from './render/text.ts';
import type { TraceFile } from './trace-file.ts';

/** One run, shown while it happens. */

export interface Performance {
  readonly run: Omit<Run, 'signal' | 'onDelta'>;
  readonly view: View;
  readonly captureRaw: boolean;
  readonly stream: boolean;
  readonly file?: TraceFile | undefined;
}

/** `result` has a stop reason unless `failure` is there. */
export interface Outcome {
  readonly result: RunResult | PartialResult;
  readonly failure?: RunError;
  readonly steps: readonly RunStep[];
  readonly end: EndStep | undefined;
  /** Lines of the last step, for after the answer. */
  readonly endLines: readonly string[];
}

/** Rejects only for wrong arguments; a run that fails is an outcome. */
export async function perform(performance: Performance, context: Context): Promise<Outcome> {
  const { output } = context;
  const printer = new StepPrinter(performance.view);
  const activity = new Activity(performance.run.adapter, (text) => output.activity(text));
  let endLines: readonly string[] = [];
  const trace = new RunTrace({
    captureRaw: performance.captureRaw,
    onRecord(step) {
      // The file first: it must have the step even if the terminal is gone.
      performance.file?.write(step);
      activity.after(step);
      const lines = printer.lines(step);
      if (step.kind === 'end') endLines = lines;
      else output.account(lines);
    },
  });
  const controller = new AbortController();
  const stopListening = context.onInterrupt(() =>
    controller.abort(new DOMException('Interrupted by Ctrl+C.', 'AbortError')),
  );
  const run: Run = {
    ...performance.run,
    signal: controller.signal,
    ...(performance.stream ? { onDelta: (delta) => activity.during(delta) } : {}),
  };
  const outcome = (result: RunResult | PartialResult, failure?: RunError): Outcome => {
    const steps = trace.steps;
    const last = steps.at(-1);
    return {
      result,
      steps,
      end: last?.kind === 'end' ? last : undefined,
      endLines,
      ...(failure === undefined ? {} : { failure }),
    };
  };
  try {
    return outcome(await runLoop(run, trace));
  } catch (error) {
    if (error instanceof RunError) return outcome(error.result, error);
    throw usageProblem(error);
  } finally {
    output.activity(undefined);
    stopListening();
  }
}

/** What is being waited for, told from the steps and the pieces of a stream. */
class Activity {
  readonly #model: string;
  readonly #show: (text: string | undefined) => void;
  #running: string[] = [];
  #characters = 0;

  constructor(adapter: Run['adapter'], show: (text: string | undefined) => void) {
    this.#model = `${oneLine(adapter.name)} ${oneLine(adapter.model)}`;
    this.#show = show;
  }

  after(step: RunStep): void {
    if (step.kind === 'tool') {
      const at = this.#running.indexOf(step.call.name);
      if (at >= 0) this.#running.splice(at, 1);
    } else {
      this.#running =
        step.kind === 'response' && step.finishReason === 'tool_calls'
          ? step.message.toolCalls.map((call) => call.name)
          : [];
    }
    // Ends the wait that is over, so that the next one counts from zero.
    this.#show(undefined);
    this.#characters = 0;
    if (this.#running.length > 0) {
      this.#show(`running ${this.#running.map((name) => oneLine(name, 40)).join(', ')}`);
    } else if (step.kind === 'request') this.#show(`waiting for ${this.#model}`);
    else if (step.kind === 'error' && step.retryInMs !== undefined)
      this.#show('waiting for the next attempt');
  }

  during(delta: Delta): void {
    if (delta.kind === 'restart') this.#characters = 0;
    else this.#characters += (delta.kind === 'tool_call' ? delta.argumentsText : delta.text).length;
    this.#show(
      `${this.#model} is ${delta.kind === 'thinking' ? 'thinking' : 'writing'}, ${formatCount(this.#characters)} characters`,
    );
  }
}
