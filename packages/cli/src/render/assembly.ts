import type { AssembledPart, AssembledTool, AssemblyDocument } from '../assembly-document.ts';
import { droppedLines, SHORT, textBlock, WHOLE } from './message.ts';
import type { Style } from './style.ts';
import { formatBytes, formatCount, oneLine, printedJson } from './text.ts';

/** A page for people: every part with its source and size, the tools as they go out, what was left out and why. */
export function assemblyLines(document: AssemblyDocument, full: boolean, style: Style): string[] {
  const { messages, tools, dropped, warnings, tokens, settings } = document;
  const extent = full ? WHOLE : SHORT;
  const options = Object.entries(settings.options).map(
    ([name, value]) => `${name} ${oneLine(JSON.stringify(value))}`,
  );
  return [
    `${style.strong('settings')}  at most ${settings.maxRounds} rounds with tools${options.map((option) => ` · ${option}`).join('')}`,
    '',
    style.strong('messages'),
    ...messages.flatMap((message, index) => [
      `  ${style.faint(`#${index}`)} ${style.strong(message.role)} · ${size(message)}${message.framingBytes === 0 ? '' : style.faint(`, ${formatBytes(message.framingBytes)} of it around the parts`)}`,
      ...message.parts.flatMap((part) => [
        `     ${style.name(partInWords(part))} · ${size(part)}`,
        ...textBlock(part.text, '       ', extent, style),
      ]),
    ]),
    '',
    style.strong('tools'),
    ...(tools.length === 0 ? ['  none'] : tools.flatMap((tool) => toolLines(tool, style))),
    ...(dropped.length === 0 ? [] : ['', style.strong('left out'), ...droppedLines(dropped, '  ', style)]),
    ...(warnings.length === 0
      ? []
      : ['', style.strong('notes'), ...warnings.map((warning) => `  ${style.warn(oneLine(warning, 400))}`)]),
    '',
    `${style.strong('in all')}    ~${formatCount(tokens.all)} tokens, estimated from bytes: messages ~${formatCount(tokens.messages)}, tools ~${formatCount(tokens.tools)}`,
  ];
}

function partInWords({ kind, id, name, file, fromLine, toLine }: AssembledPart): string {
  const what = kind === 'override' ? 'override of the configuration' : kind;
  const label = name === undefined || name === id ? '' : ` (${oneLine(name)})`;
  const lines =
    fromLine === undefined
      ? ''
      : `:${fromLine}${toLine === undefined || toLine === fromLine ? '' : `-${toLine}`}`;
  return `${what}${id === undefined ? '' : ` ${oneLine(id)}`}${label}${file === undefined ? '' : `, ${oneLine(file, 200)}${lines}`}`;
}

function toolLines(tool: AssembledTool, style: Style): string[] {
  const line = tool.line === undefined ? '' : `:${tool.line}`;
  return [
    `  ${style.name(oneLine(tool.name))}, ${oneLine(tool.source, 200)}${line} · ${size(tool)}`,
    ...printedJson(
      tool.sent ?? { name: tool.name, description: tool.description, parameters: tool.parameters },
    )
      .split('\n')
      .map((text) => `     ${text}`),
  ];
}

function size({ bytes, tokens }: { readonly bytes: number; readonly tokens: number }): string {
  return `${formatBytes(bytes)} · ~${formatCount(tokens)} tokens`;
}
