import type {
  AssembledStep,
  EndStep,
  ErrorStep,
  Message,
  ResponseStep,
  RunStep,
  ToolStep,
  Usage,
} from '@glassloop/core';
import type { TraceHeader } from '@glassloop/core/trace-file';
import { redactHeader } from '../redact/redact-trace.ts';
import { textOf } from './run-spans.ts';
import { type ExportedTrace, type ExportOptions, redacted, type TraceWriter, whole } from './trace-writer.ts';

/** A run as Markdown, for an issue report: settings, prompt, every round, why it ended. Long texts are shortened, and it says by how much. */
export function toMarkdown(trace: ExportedTrace, options: ExportOptions = {}): string {
  return whole(markdownWriter(trace.header, options), trace.steps);
}

/** Characters of one text; an issue is no archive. */
const MOST_SHOWN = 4000;

export function markdownWriter(recorded: TraceHeader | undefined, options: ExportOptions): TraceWriter {
  const header = redactHeader(recorded, options);
  let shown = 0;
  let hasEnded = false;
  const title = `# Run ${inline(String(header?.id ?? 'without a header'))}\n\n${header === undefined ? '' : `Started ${inline(String(header.startedAt))}, trace format version ${header.version}.\n\n`}`;
  return redacted(
    {
      add(step) {
        const text = stepText(step);
        if (step.kind === 'end') hasEnded = true;
        return shown++ === 0 ? title + text : text;
      },
      end: () =>
        `${shown === 0 ? title : ''}${hasEnded ? '' : 'The trace has no end: the run was interrupted, or the file was cut.\n'}`,
    },
    options,
  );
}

function stepText(step: RunStep): string {
  switch (step.kind) {
    case 'assembled':
      return assembledText(step);
    case 'request': {
      const count = step.sent.reduce((sum, [start, end]) => sum + end - start, 0);
      const tries = step.attempt > 1 ? `, attempt ${step.attempt}` : '';
      return `## Round ${step.round}${tries}\n\nSent: ${count} messages, ${step.toolsOffered.length} tools.\n\n`;
    }
    case 'response':
      return responseText(step);
    case 'tool':
      return toolText(step);
    case 'error':
      return errorText(step);
    case 'end':
      return endText(step);
  }
}

function assembledText({ settings, added, tools, dropped, warnings }: AssembledStep): string {
  const lines = [
    `| setting | value |`,
    `| ------- | ----- |`,
    `| adapter | ${cell(settings.adapter)} |`,
    `| model | ${cell(settings.model)} |`,
    `| rounds | at most ${settings.maxRounds} |`,
    ...Object.entries(settings.options).map(
      ([name, value]) => `| ${cell(name)} | ${cell(JSON.stringify(value))} |`,
    ),
    `| tools | ${cell(tools.map(({ name }) => name).join(', ') || 'none')} |`,
    '',
    ...dropped.map(({ kind, id, reason }) => `- left out: ${kind} ${inline(id)} (${reason})`),
    ...(warnings ?? []).map((warning) => `- ${inline(warning)}`),
    '',
    '## Prompt',
    '',
  ];
  return `${lines.join('\n')}\n${added.map(messageText).join('')}`;
}

function messageText(message: Message): string {
  const text = message.role === 'user' ? textOf(message.content) : message.content;
  const calls =
    message.role === 'assistant' ? message.toolCalls.map(({ name }) => inline(name)).join(', ') : '';
  const images =
    message.role === 'user' && typeof message.content !== 'string'
      ? message.content.filter(({ type }) => type === 'image').length
      : 0;
  return `**${message.role}**${calls === '' ? '' : ` calls ${calls}`}${images === 0 ? '' : ` with ${images} image(s)`}\n\n${block(text)}`;
}

function responseText({ message, thinking, finishReason, usage, durationMs, model }: ResponseStep): string {
  const facts = [
    `${Math.round(durationMs)} ms`,
    finishReason,
    model === undefined ? '' : inline(model),
    usageText(usage),
  ];
  return [
    `**answer** · ${facts.filter((fact) => fact !== '').join(' · ')}\n\n`,
    thinking === undefined ? '' : `Thinking:\n\n${block(thinking)}`,
    message.content === '' ? '' : block(message.content),
    ...message.toolCalls.map(
      ({ name, argumentsJson }) => `Calls ${inline(name)}:\n\n${block(argumentsJson, 'json')}`,
    ),
  ].join('');
}

function toolText({ call, result, isError, durationMs, thrown, fullBytes }: ToolStep): string {
  const cut = fullBytes === undefined ? '' : `, cut from ${fullBytes} bytes`;
  return `**tool ${inline(call.name)}**${isError ? ' failed' : ''} · ${Math.round(durationMs)} ms${cut}\n\n${block(result)}${thrown === undefined ? '' : `Thrown: ${inline(thrown)}\n\n`}`;
}

function errorText({ code, message, hint, status, retryInMs }: ErrorStep): string {
  const facts = [
    status === undefined ? '' : ` (HTTP ${status})`,
    retryInMs === undefined ? '' : `, tried again after ${Math.round(retryInMs)} ms`,
  ].join('');
  return `**error** ${inline(code)}${facts}\n\n${block(message)}${hint === undefined ? '' : `${inline(hint)}\n\n`}`;
}

function endText({ stopReason, detail, rounds, usage, durationMs }: EndStep): string {
  return `## End: ${stopReason}\n\n${detail === undefined ? '' : `${inline(detail)}\n\n`}${rounds} rounds · ${Math.round(durationMs)} ms · ${usageText(usage)}\n`;
}

function usageText({ promptTokens, completionTokens, estimatedCost }: Usage): string {
  const tokens =
    promptTokens === undefined && completionTokens === undefined
      ? 'tokens not reported'
      : `${promptTokens ?? '?'} + ${completionTokens ?? '?'} tokens`;
  return estimatedCost === undefined ? tokens : `${tokens} · $${estimatedCost}`;
}

/** A fence longer than any run of backticks in the text, so that the text cannot end it. */
function block(text: string, language = 'text'): string {
  const shown =
    text.length <= MOST_SHOWN
      ? text
      : `${text.slice(0, MOST_SHOWN).toWellFormed()}\n[${text.length - MOST_SHOWN} more characters]`;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}\n\n`;
}

/** Foreign text in a line: as code, on one line. */
function inline(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').slice(0, 500);
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${flat}\`` : `${mark} ${flat} ${mark}`;
}

function cell(text: string): string {
  return inline(text).replaceAll('|', '\\|');
}
