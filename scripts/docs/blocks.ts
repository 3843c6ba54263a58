/** The boxes of a Markdown file: programs, commands, JSON; and what a comment in front of one says about it. */

export interface Block {
  readonly language: string;
  readonly body: string;
  /** Line of the file at which `body` begins, from 1. */
  readonly line: number;
  /** `<!-- not run: reason -->` in front of it: checked, but not executed. */
  readonly notRun?: string;
  /** `<!-- not checked: reason -->`: neither. */
  readonly notChecked?: string;
  /** `<!-- before: glassloop init -->`: commands that a reader has run before it. */
  readonly before: readonly string[];
}

/** Every fenced box, and every run of lines that is indented by four spaces behind a blank line (language ''). */
export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( {0,3})(`{3,}|~{3,})\s*([\w+-]*)/.exec(lines[at]!);
    if (fence !== null) {
      const [, , ticks = '', language = ''] = fence;
      const end = lines.findIndex((line, index) => index > at && line.trim() === ticks);
      if (end === -1) throw new Error(`line ${at + 1}: this box has no end`);
      blocks.push({ language, body: textOf(lines, at + 1, end), line: at + 2, ...marksBefore(lines, at) });
      at = end;
    } else if (/^ {4}\S/.test(lines[at]!) && !isListAbove(lines, at)) {
      let end = at;
      while (end < lines.length && /^( {4}|\s*$)/.test(lines[end]!)) end++;
      const body = textOf(lines, at, end).replace(/^ {4}/gm, '');
      blocks.push({ language: '', body, line: at + 1, ...marksBefore(lines, at) });
      at = end - 1;
    }
  }
  return blocks;
}

/** Commands of a box, comments and continued lines undone; none where it is no box of commands. */
export function commandsOf({ language, body }: Block): readonly string[] {
  if (!['', 'sh', 'bash', 'shell', 'console'].includes(language)) return [];
  const commands = body
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#\s.*$/, '').trim())
    .filter((line) => line !== '');
  if (language !== '') return commands;
  return commands.every((line) => COMMAND.test(line)) ? commands : [];
}

/** How a line of a box without a language looks that is meant to be typed. */
const COMMAND = /^([A-Z_]+=\S+ +)*(glassloop|npx|npm|pnpm|yarn|node|git|cd|docker|curl)( |$)/;

function textOf(lines: readonly string[], start: number, end: number): string {
  return `${lines.slice(start, end).join('\n').trimEnd()}\n`;
}

/** Indented text inside a list belongs to its item. */
function isListAbove(lines: readonly string[], at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const line = lines[index]!;
    if (/^\s*([-*+]|\d+\.) /.test(line)) return true;
    if (/^\S/.test(line)) return false;
  }
  return false;
}

function marksBefore(lines: readonly string[], at: number): Pick<Block, 'notRun' | 'notChecked' | 'before'> {
  let notRun: string | undefined;
  let notChecked: string | undefined;
  const before: string[] = [];
  for (let index = at - 1; index >= 0; index--) {
    const line = lines[index]!.trim();
    if (line === '') continue;
    const mark = /^<!-- (not run|not checked|before): (.+) -->$/.exec(line);
    if (mark === null) break;
    if (mark[1] === 'not run') notRun = mark[2]!;
    else if (mark[1] === 'not checked') notChecked = mark[2]!;
    else before.unshift(mark[2]!);
  }
  return {
    ...(notRun === undefined ? {} : { notRun }),
    ...(notChecked === undefined ? {} : { notChecked }),
    before,
  };
}

/** Targets of links and images outside of code, with the line they stand in. */
export function linksOf(markdown: string): readonly { readonly target: string; readonly line: number }[] {
  const prose = withoutCode(markdown);
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const html = prose.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g);
  return [...inline, ...html].map(({ index, 1: target = '' }) => ({
    target,
    line: prose.slice(0, index).split('\n').length,
  }));
}

/** Ids that headings get, as GitHub makes them. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let unique = slug;
    for (let next = 1; anchors.has(unique); next++) unique = `${slug}-${next}`;
    anchors.add(unique);
  }
  for (const [, id = ''] of markdown.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^( {0,3})(`{3,}|~{3,})[\s\S]*?^\s*\2\s*$/gm, (box) => box.replace(/[^\n]/g, ' '));
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => ' '.repeat(code.length));
}
