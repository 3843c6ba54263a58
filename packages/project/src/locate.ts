import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

export type ConfigPath = readonly (string | number)[];

/** Finds the line of a value in a configuration file; undefined when it cannot be told. */
export type Locate = (path: ConfigPath) => number | undefined;

/** Exact: JSON is YAML too, and its parser keeps positions. */
export function locateInJson(text: string): Locate {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (path) => {
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const segment of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(segment));
        if (pair === undefined) break;
        offset = (pair.key as { range?: readonly number[] }).range?.[0];
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(segment)];
        offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
      } else break;
    }
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
}

/** Where the keys of the path are written one after another. A value that is computed has no such place. */
export function locateInProgram(text: string): Locate {
  const code = withoutComments(text);
  return (path) => {
    let from = 0;
    let found: number | undefined;
    for (const segment of path) {
      if (typeof segment === 'number') continue;
      const key = segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const written = new RegExp(`(?<=[{,(\\s])(?:${key}|'${key}'|"${key}")\\s*:`, 'g');
      written.lastIndex = from;
      const match = written.exec(code);
      if (match === null) break;
      found = match.index;
      from = written.lastIndex;
    }
    return found === undefined ? undefined : lineAt(text, found);
  };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Comments become blanks, so that offsets stay; strings are left as they are. */
function withoutComments(text: string): string {
  return text.replace(
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, ' ') : match),
  );
}
