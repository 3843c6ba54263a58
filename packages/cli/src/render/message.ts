import type { AssembledStep, Message, Source } from '@glassloop/core';
import type { Style } from './style.ts';
import { byteLength, counted, formatBytes, oneLine, visible } from './text.ts';

/** How much of a text is shown: this many lines and characters, the rest is counted. */
export interface Extent {
  readonly lines: number;
  readonly characters: number;
}

export const SHORT: Extent = { lines: 12, characters: 1200 };
export const WHOLE: Extent = { lines: Infinity, characters: Infinity };

/** A foreign text as an indented block, safe to print; what is left out is said in the last line. */
export function textBlock(text: string, indent: string, extent: Extent, style: Style): string[] {
  if (text === '') return [indent + style.faint('(empty)')];
  const shown = text.length > extent.characters ? text.slice(0, extent.characters) : text;
  const all = visible(shown).split('\n');
  const lines = all.slice(0, extent.lines);
  const block = lines.map((line) => indent + line);
  if (lines.length < all.length || shown.length < text.length) {
    block.push(indent + style.faint(`… ${formatBytes(byteLength(text))} in all`));
  }
  return block;
}

/** One line for a message whose text was shown with the step before: number, role, what it holds. */
export function messageHead(message: Message, index: number, style: Style, indent: string): string {
  const head = `${indent}${style.faint(`#${index}`)} ${message.role}`;
  switch (message.role) {
    case 'assistant':
      return `${head}: ${counted(message.toolCalls.length, 'call')}, ${formatBytes(byteLength(message.content))} of text`;
    case 'tool':
      return `${head}: ${message.isError ? 'error' : 'result'} of ${style.name(oneLine(message.toolName))} ${style.faint(oneLine(message.toolCallId))}, ${formatBytes(byteLength(message.content))}`;
    default:
      return `${head}: ${typeof message.content === 'string' ? formatBytes(byteLength(message.content)) : counted(message.content.length, 'part')}`;
  }
}

/** Role, sources and text of one message. */
export function messageLines(
  message: Message,
  index: number,
  sources: readonly Source[],
  extent: Extent,
  style: Style,
  indent = '           ',
): string[] {
  const head = `${indent}${style.faint(`#${index}`)} ${style.strong(message.role)}`;
  const inner = `${indent}   `;
  const from = sources
    .filter((source) => source.message === index)
    .map((source) => `${inner}${style.faint(`from ${sourceInWords(source, message)}`)}`);
  switch (message.role) {
    case 'system':
      return [head, ...from, ...textBlock(message.content, inner, extent, style)];
    case 'user': {
      const parts =
        typeof message.content === 'string'
          ? [{ type: 'text' as const, text: message.content }]
          : message.content;
      return [
        head,
        ...from,
        ...parts.flatMap((part) =>
          part.type === 'text'
            ? textBlock(part.text, inner, extent, style)
            : [inner + style.faint(`(image, ${oneLine(part.mediaType)}, ${imageInWords(part.data)})`)],
        ),
      ];
    }
    case 'assistant':
      return [
        head,
        ...from,
        ...(message.content === '' && message.toolCalls.length > 0
          ? []
          : textBlock(message.content, inner, extent, style)),
        ...message.toolCalls.map(
          (call) =>
            `${inner}call ${style.name(oneLine(call.name))} ${oneLine(call.argumentsJson, extent === WHOLE ? Infinity : 200)} ${style.faint(oneLine(call.id))}`,
        ),
        ...(message.providerState === undefined
          ? []
          : [
              inner +
                style.faint(
                  `with opaque state for ${oneLine(Object.keys(message.providerState).join(', '))}`,
                ),
            ]),
      ];
    case 'tool':
      return [
        `${head} ${style.name(oneLine(message.toolName))} ${style.faint(oneLine(message.toolCallId))}${message.isError ? ` ${style.bad('error')}` : ''}`,
        ...from,
        ...textBlock(message.content, inner, extent, style),
      ];
  }
}

function imageInWords(data: string): string {
  return /^https?:/i.test(data) ? oneLine(data) : `${formatBytes(Math.floor((data.length * 3) / 4))}`;
}

function sourceInWords(source: Source, message: Message): string {
  const what = source.kind === 'override' ? 'override of the configuration' : source.kind;
  const which = [source.id, source.name === source.id ? undefined : source.name]
    .filter((word) => word !== undefined && word !== '')
    .map((word) => oneLine(word!))
    .join(', ');
  const part = source.part === undefined ? '' : `, part ${source.part}`;
  const all =
    typeof message.content === 'string' &&
    source.range?.[0] === 0 &&
    source.range[1] === message.content.length;
  const range =
    source.range === undefined || all ? '' : `, characters ${source.range[0]} to ${source.range[1]}`;
  return `${what}${which === '' ? '' : ` ${which}`}: ${formatBytes(source.bytes)}${part}${range}${originInWords(source.origin)}`;
}

function originInWords(origin: Source['origin']): string {
  if (origin === undefined) return '';
  const lines =
    origin.fromLine === undefined
      ? ''
      : `:${origin.fromLine}${origin.toLine === undefined || origin.toLine === origin.fromLine ? '' : `-${origin.toLine}`}`;
  return `, ${oneLine(origin.file, 200)}${lines}`;
}

/** What was asked for and left out, a line each. */
export function droppedLines(dropped: AssembledStep['dropped'], indent: string, style: Style): string[] {
  return dropped.map(
    (drop) =>
      `${indent}${style.warn(`left out: ${drop.kind.replaceAll('_', ' ')} ${oneLine(drop.id)}`)}, ${drop.reason.replaceAll('_', ' ')}${drop.detail === undefined ? '' : `: ${oneLine(drop.detail, 200)}`}${originInWords(drop.origin)}`,
  );
}

/** `4 tools offered: a, b`, or that none are. */
export function toolsInWords(names: readonly string[], withNames: boolean): string {
  if (names.length === 0) return 'no tools offered';
  const list = withNames ? `: ${names.map((name) => oneLine(name)).join(', ')}` : '';
  return `${counted(names.length, 'tool')} offered${list}`;
}
