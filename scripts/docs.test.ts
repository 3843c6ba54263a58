/** Every program and every command of the documents is tried: see CONTRIBUTING.md, "Documents". */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anchorsOf, type Block, blocksOf, commandsOf, linksOf } from './docs/blocks.ts';
import { checkCommand, isRunnable, wordsOf } from './docs/commands.ts';
import {
  enterWorld,
  GIVEN_TYPES,
  glassloop,
  projectFolder,
  remove,
  root,
  type World,
  write,
} from './docs/world.ts';

/** Has a test of its own that builds it up from an empty folder. */
const ELSEWHERE = ['docs/writing-an-adapter.md'];

function markdownIn(folder: string, depth = 9): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isSource = ['node_modules', 'dist'].includes(entry.name) || entry.name.startsWith('.');
      return isSource || depth === 0 ? [] : markdownIn(path, depth - 1);
    }
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const readmes = ['.', 'packages', 'conformance', 'examples', 'bench', 'scripts', 'templates'].flatMap(
  (folder) => markdownIn(folder, folder === '.' ? 0 : 1),
);
const linked = [...new Set([...readmes, ...markdownIn('docs')])].sort();
const tried = linked.filter(
  (file) => !ELSEWHERE.includes(file) && !/^(conformance|templates|docs\/adr)\//.test(file),
);
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

interface Tried {
  readonly file: string;
  readonly blocks: readonly Block[];
  /** Here lie `types/`, with all programs, and `run/`, where they and the commands are run in their order. */
  folder: string;
}
const documents: readonly Tried[] = tried.map((file) => ({
  file,
  blocks: blocksOf(textOf(file)),
  folder: '',
}));

const isProgram = ({ language, notChecked }: Block) =>
  notChecked === undefined && ['ts', 'js', 'typescript', 'javascript', 'mjs'].includes(language);
/** `// tools/weather.ts` in the first line: what follows is that file. */
const fileOf = ({ body }: Block) => /^\/\/ ([\w./-]+\.[cm]?[jt]s)$/m.exec(body.split('\n', 1)[0]!)?.[1];
const nameOf = (block: Block) =>
  fileOf(block) ?? `line-${block.line}.${/^(ts|typescript)$/.test(block.language) ? 'ts' : 'js'}`;

let world: World;

beforeAll(async () => {
  world = await enterWorld();
  for (const document of documents) {
    document.folder = await projectFolder();
    await write(document.folder, 'types/given.d.ts', GIVEN_TYPES);
    await write(document.folder, 'run/notes.txt', 'Something to read.\n');
    for (const block of document.blocks.filter(isProgram)) {
      await write(document.folder, `types/${nameOf(block)}`, programOf(document, block));
    }
  }
});

/** The text of a program, with as many lines before it as in the document, so that a fault is reported at its line. */
function programOf({ blocks }: Tried, block: Block): string {
  // A piece that imports nothing goes on where the program before it stopped.
  const before = blocks.slice(0, blocks.indexOf(block) + 1).filter(isProgram);
  const imports = before
    .map(({ body }) => body.match(/^import [^;]+;$/gm))
    .findLast((found) => found !== null);
  const carried = /^import /m.test(block.body) ? '' : (imports ?? []).join(' ').replaceAll('\n', ' ');
  return `${carried}${'\n'.repeat(block.line - 1)}${block.body}`;
}

afterAll(async () => {
  await world.leave();
  for (const { folder } of documents) if (folder !== '') await remove(folder);
});

it.each([
  ['ts', {}],
  // Plain JavaScript is read as an editor reads it: names and calls, not every undefined.
  [
    'js',
    {
      allowJs: true,
      checkJs: true,
      strict: false,
      noUncheckedIndexedAccess: false,
      exactOptionalPropertyTypes: false,
    },
  ],
])(
  'all %s programs are right by their types',
  async (kind, options) => {
    const compilerOptions = {
      lib: ['ES2023', 'ES2024.String', 'DOM', 'DOM.Iterable'],
      typeRoots: [join(root, 'node_modules/@types')],
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: false,
      ...options,
    };
    const include = documents.flatMap(({ folder }) => [
      `${folder}/types/**/*.${kind}`,
      `${folder}/types/**/*.d.ts`,
    ]);
    const config = await write(
      documents[0]!.folder,
      `tsconfig.${kind}.json`,
      JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, include }),
    );
    const output = await new Promise<string>((resolve) => {
      const tsc = join(root, 'node_modules/.bin/tsc');
      const args = ['-p', config, '--pretty', 'false'];
      execFile(tsc, args, { cwd: root, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const faults = output.split('\n').flatMap((line) => {
      const document = documents.find(({ folder }) => line.includes(basename(folder)));
      const place = /\(\d+,\d+\): error .*/.exec(line)?.[0];
      return document === undefined || place === undefined ? [] : [`${document.file}${place}`];
    });
    expect(faults).toEqual([]);
    expect(output).not.toMatch(/error TS(5\d{3}|6053|18003)/);
  },
  60_000,
);

describe.each(
  documents.filter(({ blocks }) => blocks.some((block) => isProgram(block) || commandsOf(block).length)),
)('$file', (document) => {
  for (const block of document.blocks) {
    const commands = block.notChecked === undefined ? commandsOf(block) : [];
    if (!isProgram(block) && commands.length === 0) continue;
    it(`line ${block.line}: ${isProgram(block) ? nameOf(block) : commands[0]}`, async () => {
      const folder = join(document.folder, 'run');
      for (const command of block.before) await run(command, folder);
      if (isProgram(block)) {
        const file = await write(folder, nameOf(block), programOf(document, block));
        if (block.notRun === undefined) await runProgram(file, folder);
        return;
      }
      for (const command of commands) {
        expect(await checkCommand(command, dirname(document.file))).toEqual([]);
        if (block.notRun === undefined && isRunnable(command)) await run(command, folder);
      }
    });
  }
});

async function runProgram(file: string, folder: string): Promise<void> {
  const before = process.cwd();
  const quiet = (['log', 'error', 'warn', 'table', 'dir'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  process.chdir(folder);
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    process.chdir(before);
    for (const spy of [...quiet, stdout]) spy.mockRestore();
  }
}

async function run(command: string, folder: string): Promise<void> {
  const argv = wordsOf(command).slice(wordsOf(command).indexOf('glassloop') + 1);
  // A trace that a command reads and no command before it wrote: any will do.
  for (const word of argv.slice(1)) {
    const isWritten = argv[argv.indexOf(word) - 1] === '--trace' || argv[argv.indexOf(word) - 1] === '--out';
    if (word.endsWith('.ndjson') && !isWritten && !existsSync(join(folder, word)))
      await someTrace(folder, word);
  }
  const { exitCode, output } = await glassloop(argv, folder);
  expect(exitCode, `${command}\n${output}`).toBe(0);
}

async function someTrace(folder: string, name: string): Promise<void> {
  const trace = join(folder, 'some-trace.ndjson');
  if (!existsSync(trace))
    await glassloop(['demo', '--provider', 'openai', '--trace', 'some-trace.ndjson'], folder);
  await copyFile(trace, join(folder, name));
}

describe('JSON', () => {
  const boxes = documents.flatMap(({ file, blocks }) =>
    blocks
      .filter(({ language }) => language === 'json')
      .map(({ body, line }) => [`${file}:${line}`, body] as const),
  );
  it('in the documents is JSON', () => {
    for (const [place, body] of boxes) expect(() => JSON.parse(body), place).not.toThrow();
  });
});

it('every box that is not tried says why', () => {
  const unknown = documents.flatMap(({ file, blocks }) =>
    blocks
      .filter((block) => !KNOWN.has(block.language))
      .map(({ line, language }) => `${file}:${line} ${language}`),
  );
  expect(unknown).toEqual([]);
});
const KNOWN = new Set(['', 'ts', 'js', 'sh', 'json', 'text', 'ndjson', 'yaml', 'md', 'diff', 'http']);

it.each(linked)('links of %s lead somewhere', (file) => {
  const wrong = linksOf(textOf(file))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .filter(({ target }) => {
      const [path = '', anchor] = target.split('#');
      const found = path === '' ? join(root, file) : join(root, dirname(file), decodeURIComponent(path));
      if (!existsSync(found) || relative(root, found).startsWith('..')) return true;
      if (anchor === undefined) return false;
      const page = statSync(found).isDirectory() ? join(found, 'README.md') : found;
      return !page.endsWith('.md') || !anchorsOf(readFileSync(page, 'utf8')).has(anchor);
    });
  expect(wrong).toEqual([]);
});

describe('docs/errors.md', () => {
  const source =
    textOf('packages/core/src/run-step.ts') + textOf('packages/core/src/adapter/adapter-error.ts');
  const union = (name: string) =>
    [
      ...(new RegExp(`export type ${name} =([\\s\\S]*?);\\n\\n`).exec(source)?.[1] ?? '').matchAll(
        /'(\w+)'/g,
      ),
    ].map(([, word = '']) => word);
  const [codes = '', reasons = ''] = textOf('docs/errors.md').split(/^## Stop reasons$/m);
  const headings = (text: string) => [...text.matchAll(/^### (\w+)$/gm)].map(([, word = '']) => word);

  it('has every code of AdapterError and RunError, and no other', () => {
    const known = [...union('AdapterErrorCode'), ...union('FailureCode')];
    expect(known).toHaveLength(14);
    expect(headings(codes).sort()).toEqual(known.sort());
  });

  it('has every stop reason, and no other', () => {
    expect(union('StopReason')).toContain('completed');
    expect(headings(reasons).sort()).toEqual(union('StopReason').sort());
  });
});
