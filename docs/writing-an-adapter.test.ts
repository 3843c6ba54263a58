/** docs/writing-an-adapter.md, done as it says: every box, in its order, in an empty folder with the packed packages. */

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cases } from '../conformance/src/index.ts';
import {
  isOffline,
  NPM_INSTALL,
  packedPackages,
  run,
  suiteResults,
  TOOLKIT,
} from '../scripts/testing/packed.ts';

const docs = dirname(fileURLToPath(import.meta.url));
const example = join(docs, '../examples/outside-adapter');
const text = readFileSync(join(docs, 'writing-an-adapter.md'), 'utf8');

interface Block {
  readonly language: string;
  /** What follows the language: a file to write, `from FILE`, or nothing. */
  readonly mark: string;
  readonly body: string;
}
const blocks: readonly Block[] = [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', mark = '', body = '']) => ({ language, mark, body }),
);
const files = blocks.filter(({ language, mark }) => language === 'ts' && !mark.startsWith('from '));
const excerpts = blocks.filter(({ mark }) => mark.startsWith('from '));

describe('the text', () => {
  it('opens with a complete adapter of 30 to 60 lines', () => {
    expect(blocks[0]?.mark).toBe('src/harbor.ts');
    const lines = blocks[0]!.body.trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(30);
    expect(lines).toBeLessThanOrEqual(60);
  });

  it('is read in under ten minutes', () => {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
    expect(prose.split(/\s+/).length).toBeLessThan(1_600);
  });

  it('has boxes of known kinds only: commands, files, excerpts, output', () => {
    expect(text.match(/^```/gm)).toHaveLength(2 * blocks.length);
    for (const { language, mark } of blocks) {
      expect(['sh', 'ts', 'text']).toContain(language);
      if (language === 'ts') expect(mark).toMatch(/^(from )?(src|test)\/[\w-]+(\.test)?\.ts$/);
    }
  });

  it.each(files.filter(({ mark }) => existsSync(join(example, mark))))(
    'shows $mark as it is in the example',
    (block) => {
      expect(block.body).toBe(readFileSync(join(example, block.mark), 'utf8'));
    },
  );

  it.each(excerpts)('quotes the example: $mark', ({ mark, body }) => {
    const source = readFileSync(join(example, mark.slice('from '.length)), 'utf8');
    const flat = (code: string) => code.replace(/^\s+/gm, '');
    expect(flat(source)).toContain(flat(body));
  });

  it('names only cases that exist', () => {
    const known = new Set<string>(cases.map((one) => one.id));
    const areas = new Set(cases.map((one) => one.area as string));
    const named = [...text.matchAll(/`([a-z]+)\.([a-z][a-z0-9.-]*)`/g)].filter(([, area = '']) =>
      areas.has(area),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.map(([, area, rest]) => `${area}.${rest}`).filter((id) => !known.has(id))).toEqual([]);
  });

  it('links to what is there', () => {
    const targets = [...text.matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(([, path = '']) => path);
    expect(targets.filter((path) => !existsSync(join(docs, path)))).toEqual([]);
  });
});

it('from an empty folder to a scorecard', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'glassloop-docs-'));
  const project = join(folder, 'my-adapter');
  try {
    await mkdir(project);
    const tarballs = await packedPackages();
    const printed: string[] = [];
    // Files first where a command needs them: a reader writes all files of a section before its command.
    for (const { language, mark, body } of blocks) {
      if (language === 'ts' && !mark.startsWith('from ')) {
        await mkdir(dirname(join(project, mark)), { recursive: true });
        await writeFile(join(project, mark), body);
      }
      if (language !== 'sh') continue;
      for (const command of body.trim().split('\n')) {
        const { exitCode, output } = await run(published(command, tarballs), [], {
          cwd: project,
          shell: true,
        });
        if (exitCode !== 0 && command.startsWith('npm install') && isOffline(output)) {
          context.skip('the npm registry cannot be reached');
        }
        expect(exitCode, `${command}\n${output}`).toBe(0);
        printed.push(output);
      }
    }

    const [whole, some] = suiteResults(printed.join('\n'));
    expect(whole).toMatchObject({ adapter: 'harbor', counts: { deviation: 0, fail: 0 } });
    expect(some).toMatchObject({ adapter: 'harbor-gateway', counts: { deviation: 2, fail: 0 } });
    const cards = ['harbor.json', 'harbor.md', 'harbor.svg'];
    expect((await readdir(join(project, 'scorecard'))).sort()).toEqual(cards);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 240_000);

/** The command with the packed packages where it names the published ones. */
function published(command: string, tarballs: ReadonlyMap<string, string>): string {
  if (!command.startsWith('npm install')) return command;
  // npm would look for core of the registry while only a tarball of what depends on it is installed.
  const needed = TOOLKIT.filter((name) => command.includes(name) || name === '@glassloop/core');
  const others = command
    .split(' ')
    .filter((word) => word !== 'npm' && word !== 'install' && !tarballs.has(word));
  return ['npm', ...NPM_INSTALL, ...others, ...needed.map((name) => tarballs.get(name))].join(' ');
}
