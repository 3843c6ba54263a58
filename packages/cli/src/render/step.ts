import type { RunStep } from '@glassloop/core';
import { endingOf } from './ending.ts';
import {
  droppedLines,
  type Extent,
  messageHead,
  messageLines,
  SHORT,
  textBlock,
  toolsInWords,
  WHOLE,
} from './message.ts';
import type { Style } from './style.ts';
import { Tally } from './tally.ts';
import {
  byteLength,
  counted,
  formatBytes,
  formatCost,
  formatDuration,
  oneLine,
  printedJson,
} from './text.ts';
import { costInFull, tokensInFull, tokensOfAnswer } from './usage.ts';

/** How a step is shown. */
export interface View {
  readonly style: Style;
  /** `line`: one line, and one for each warning. `texts`: with what was said. `whole`: nothing shortened. */
  readonly detail: 'line' | 'texts' | 'whole';
  /** Show captured bodies. */
  readonly raw?: boolean;
}

const INNER = '           ';

/** The steps of a run one after another, with a heading for each round. */
export class StepPrinter {
  readonly #view: View;
  readonly #tally = new Tally();
  #round = 0;

  constructor(view: View) {
    this.#view = view;
  }

  lines(step: RunStep): string[] {
    const heading = step.round > this.#round && step.kind !== 'end' ? [`round ${step.round}`] : [];
    if (step.kind !== 'end') this.#round = step.round;
    const lines = [...heading, ...stepLines(step, this.#view, this.#tally)];
    this.#tally.add(step);
    return lines;
  }

  /** Counts a step that is not shown. */
  skip(step: RunStep): void {
    this.#tally.add(step);
  }
}

/** The lines of one step: pure, and safe to print whatever a model or a tool said. `before`: the steps before it. */
export function stepLines(step: RunStep, view: View, before: Tally = new Tally()): string[] {
  const { style } = view;
  const extent: Extent = view.detail === 'whole' ? WHOLE : SHORT;
  const texts = view.detail !== 'line';
  const head = (label: string, text: string): string =>
    `${step.round === 0 ? '' : '  '}${style.strong(label.padEnd(step.round === 0 ? 10 : 8))} ${text}`;
  const block = (title: string, text: string): string[] =>
    text === '' ? [] : [INNER + style.faint(title), ...textBlock(text, `${INNER}  `, extent, style)];

  switch (step.kind) {
    case 'assembled':
      return [
        head(
          'assembled',
          `${counted(step.added.length, 'message')} · ${toolsInWords(
            step.tools.map((tool) => tool.name),
            texts,
          )}`,
        ),
        ...(texts
          ? step.added.flatMap((message, at) => messageLines(message, at, step.sources, extent, style, INNER))
          : []),
        ...droppedLines(step.dropped, INNER, style),
        ...warningLines(step.warnings ?? [], before, style),
      ];
    case 'request': {
      const sent = step.sent.reduce((sum, [start, end]) => sum + end - start, 0);
      const again = step.attempt > 1 ? ` · attempt ${step.attempt}` : '';
      return [
        head(
          'request',
          `${counted(sent, 'message')}${step.added.length > 0 && step.round > 1 ? `, ${step.added.length} new` : ''} · ${toolsInWords(step.toolsOffered, false)}${again}`,
        ),
        ...(texts
          ? step.added.map((message, at) => messageHead(message, at + before.messages, style, INNER))
          : []),
      ];
    }
    case 'response': {
      const calls = step.message.toolCalls;
      const what =
        calls.length > 0 && step.finishReason === 'tool_calls'
          ? `asks for ${counted(calls.length, 'call')}`
          : finishInWords(step.finishReason, step.rawFinishReason, calls.length, style);
      const first =
        step.firstTokenMs === undefined ? '' : ` (first piece after ${formatDuration(step.firstTokenMs)})`;
      const cost = step.usage.estimatedCost === undefined ? '' : ` · ${formatCost(step.usage.estimatedCost)}`;
      return [
        head(
          'response',
          `${formatDuration(step.durationMs)}${first} · ${what} · ${tokensOfAnswer(step.usage)}${cost}`,
        ),
        ...(texts
          ? [
              ...(step.model === undefined ? [] : [INNER + style.faint(`model ${oneLine(step.model)}`)]),
              INNER + style.faint(`tokens ${tokensInFull(step.usage)}`),
              ...block('thinking', step.thinking ?? ''),
              ...block('answer', step.message.content),
              ...calls.map(
                (call) =>
                  `${INNER}call ${style.name(oneLine(call.name))} ${oneLine(call.argumentsJson, extent === WHOLE ? Infinity : 200)} ${style.faint(oneLine(call.id))}`,
              ),
            ]
          : []),
        ...warningLines(step.warnings ?? [], before, style),
        ...rawLines(step, view),
      ];
    }
    case 'tool': {
      const size =
        step.fullBytes === undefined
          ? formatBytes(byteLength(step.result))
          : `${formatBytes(byteLength(step.result))} of ${formatBytes(step.fullBytes)}`;
      const outcome = step.isError ? style.bad('error') : size;
      return [
        head(
          'tool',
          `${style.name(oneLine(step.call.name))} ${oneLine(step.call.argumentsJson, extent === WHOLE ? Infinity : 80)} → ${outcome} in ${formatDuration(step.durationMs)}${step.isError && !texts ? `: ${oneLine(step.result, 120)}` : ''}`,
        ),
        ...(texts ? textBlock(step.result, `${INNER}  `, extent, style) : []),
        ...(step.thrown === undefined ? [] : [`${INNER}${style.bad('threw')} ${oneLine(step.thrown, 300)}`]),
      ];
    }
    case 'error': {
      const again = step.retryInMs === undefined ? '' : ` · tries again in ${formatDuration(step.retryInMs)}`;
      return [
        head(
          'error',
          `${style.bad(step.code)} after ${formatDuration(step.durationMs)}: ${oneLine(step.message, 300)}${again}`,
        ),
        ...(step.hint === undefined || step.retryInMs !== undefined
          ? []
          : [`${INNER}${oneLine(step.hint, 300)}`]),
        ...(step.requestId === undefined
          ? []
          : [INNER + style.faint(`request id ${oneLine(step.requestId)}`)]),
        ...(texts ? block('received until then', step.partial ?? '') : []),
        ...rawLines(step, view),
      ];
    }
    case 'end':
      return endLines(step, before, style);
    default:
      return [`${style.warn('unknown')}    a step of kind ${oneLine(String((step as RunStep).kind))}`];
  }
}

function endLines(step: Extract<RunStep, { kind: 'end' }>, before: Tally, style: Style): string[] {
  const ending = endingOf(step.stopReason);
  return [
    `${style.strong('ended'.padEnd(9))}${style[ending.mood](ending.label)}`,
    ...(step.detail === undefined ? [] : [`${' '.repeat(9)}${oneLine(step.detail, 400)}`]),
    ...(ending.advice === undefined || step.detail?.includes(ending.advice)
      ? []
      : [`${' '.repeat(9)}${ending.advice}`]),
    `rounds   ${step.rounds}, with ${counted(before.toolCalls, 'tool call')}`,
    `tokens   ${tokensInFull(step.usage, before.uncounted)}`,
    `cost     ${costInFull(step.usage, step.rounds, step.unpricedRounds)}`,
    `time     ${formatDuration(step.durationMs)}`,
  ];
}

function finishInWords(reason: string, raw: string | undefined, calls: number, style: Style): string {
  const own = raw === undefined || raw === reason ? '' : ` (${oneLine(raw)})`;
  const unrun = calls > 0 ? `, ${counted(calls, 'call')} not run` : '';
  const text = `${oneLine(reason).replaceAll('_', ' ')}${own}${unrun}`;
  return reason === 'stop' ? text : style.warn(text);
}

function warningLines(warnings: readonly string[], before: Tally, style: Style): string[] {
  const fresh = warnings.filter((warning) => !before.warnings.has(warning));
  return fresh.map((warning) => INNER + style.warn(`note: ${oneLine(warning, 400)}`));
}

function rawLines(step: { readonly raw?: unknown }, view: View): string[] {
  if (view.raw !== true) return [];
  if (step.raw === undefined) return [INNER + view.style.faint('raw: not captured')];
  return [
    INNER + view.style.faint('raw'),
    ...printedJson(step.raw)
      .split('\n')
      .map((line) => `${INNER}  ${line}`),
  ];
}
