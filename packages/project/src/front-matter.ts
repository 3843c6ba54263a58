import { LineCounter, parseDocument } from 'yaml';
import { UnusableFile } from './problem.ts';

/** A Markdown text taken apart. */
export interface FrontMatter {
  readonly fields: { readonly [name: string]: unknown };
  /** Line of a field's name in the file. */
  lineOf(name: string): number | undefined;
  /** Everything behind the front matter. */
  readonly body: string;
  /** Lines of the body without its blank ends, from 1. */
  readonly fromLine: number;
  readonly toLine: number;
}

/** Takes a text apart; one that does not begin with `---` is all body. Throws UnusableFile for bad YAML. */
export function frontMatterOf(text: string): FrontMatter {
  const lines = text.split('\n');
  if (lines[0]?.trimEnd() !== '---') return { fields: {}, lineOf: () => undefined, ...bodyFrom(lines, 0) };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) {
    throw new UnusableFile(
      'The front matter has no end.',
      'Write a line with three dashes (---) behind it.',
      1,
    );
  }
  const counter = new LineCounter();
  const document = parseDocument(lines.slice(1, end).join('\n'), {
    lineCounter: counter,
    prettyErrors: false,
  });
  const fault = document.errors[0];
  if (fault !== undefined) {
    const line = counter.linePos(fault.pos[0]).line + 1;
    throw new UnusableFile(
      `The front matter is not valid YAML: ${fault.message}`,
      'Correct it; put texts with a colon into quotes.',
      line,
    );
  }
  let fields: unknown;
  try {
    fields = document.toJS({ maxAliasCount: 50 }) ?? {};
  } catch (error) {
    throw new UnusableFile(
      `The front matter cannot be used: ${(error as Error).message}`,
      'Write it without aliases.',
      1,
    );
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new UnusableFile('The front matter holds no fields.', 'Write lines such as `name: tone`.', 2);
  }
  const items =
    (
      document.contents as {
        items?: readonly { key?: { value?: unknown; range?: readonly number[] } }[];
      } | null
    )?.items ?? [];
  return {
    fields: fields as { [name: string]: unknown },
    lineOf: (name) => {
      const start = items.find(({ key }) => key?.value === name)?.key?.range?.[0];
      return start === undefined ? undefined : counter.linePos(start).line + 1;
    },
    ...bodyFrom(lines, end + 1),
  };
}

function bodyFrom(
  lines: readonly string[],
  start: number,
): Pick<FrontMatter, 'body' | 'fromLine' | 'toLine'> {
  const first = lines.findIndex((line, index) => index >= start && line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return {
    body: lines.slice(start).join('\n'),
    fromLine: (first < 0 ? start : first) + 1,
    toLine: Math.max(first < 0 ? start : first, last) + 1,
  };
}

/** Texts from a list, or from one text with separators; undefined for what is neither. */
export function listOf(value: unknown, separator: RegExp): readonly string[] | undefined {
  const list = typeof value === 'string' ? value.split(separator) : value;
  if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string')) return undefined;
  return list.map((entry) => entry.trim()).filter((entry) => entry !== '');
}
