import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { loadProject, resolveRun, withTools } from '../src/index.ts';
import { acceptedProject, config, folderWith, rejectedWith, runOnce, tool } from './folder.ts';

const drops = (step: {
  readonly dropped: readonly { readonly id: string; readonly reason: string }[];
}): string[] => step.dropped.map(({ id, reason }) => `${id} ${reason}`);

describe('tools', () => {
  it('come from modules with one tool or several, and share one state per load', async () => {
    const project = await acceptedProject({
      'glassloop.config.json': config(
        { tools: ['one', 'three'] },
        { tools: ['tools/one.ts', './tools/more.mjs'] },
      ),
      'tools/one.ts': tool('one'),
      'tools/more.mjs': `import { defineTool } from '@glassloop/core';
const make = (name) => defineTool({ name, description: '', execute: () => name });
export default [make('two'), make('three')];`,
    });
    const { run, toolOrigins } = await resolveRun(project);
    expect(run.tools.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(run.allowedTools).toEqual(['one', 'three']);
    expect(toolOrigins.get('one')).toEqual({ file: 'tools/one.ts', fromLine: 2 });
    expect(await run.tools[0]!.execute({}, undefined as never)).toBe('one was here');
  });

  it.each<[string, { readonly [file: string]: string }, string, number | undefined]>([
    ['is missing', {}, 'There is no file "tools/a.ts".', 14],
    ['fails', { 'tools/a.ts': '\nthrow new Error("no database");' }, 'It cannot be loaded: no database', 2],
    [
      'exports no tool',
      { 'tools/a.ts': 'export default { name: "a", execute() {} };' },
      'Its default export is no tool.',
      1,
    ],
    ['has no default', { 'tools/a.ts': 'export const a = 1;' }, 'It has no default export.', undefined],
    [
      'has an invalid schema',
      {
        'tools/a.ts':
          "import { defineTool } from '@glassloop/core';\nexport default defineTool({ name: 'a', description: '', input: { type: 'object', properties: { x: { type: 'strnig' } } }, execute() {} });",
      },
      'The input of tool "a" is no valid JSON Schema: schema is invalid: data/properties/x/type must be equal to one of the allowed values',
      2,
    ],
    [
      'has a bad name',
      {
        'tools/a.ts':
          "import { defineTool } from '@glassloop/core';\nexport default defineTool({ name: 'a b', description: '', execute() {} });",
      },
      'It cannot be loaded: defineTool: name "a b" would be refused',
      2,
    ],
  ])('a module that %s stops the run before anything is sent', async (_, files, message, line) => {
    const project = await acceptedProject({
      'glassloop.config.json': config({}, { tools: ['tools/a.ts'] }),
      ...files,
    });
    const [found] = await rejectedWith(resolveRun(project));
    expect(found?.message).toContain(message);
    expect(found?.line).toBe(line);
  });

  it('two of one name stop the run, and both files are named', async () => {
    const project = await acceptedProject({
      'glassloop.config.json': config({}, { tools: ['a.ts', 'b.ts'] }),
      'a.ts': tool('same'),
      'b.ts': tool('same'),
    });
    expect(await rejectedWith(resolveRun(project))).toMatchObject([
      { file: 'b.ts', line: 2, message: 'There are two tools "same"; the other is in a.ts.' },
    ]);
  });
});

describe('paths', () => {
  it.each(['../outside.ts', '/etc/passwd', 'link.ts'])(
    'a tool module %s outside the folder is not run',
    async (path) => {
      const above = await folderWith({
        'outside.ts': 'throw new Error("was run");',
        'p/glassloop.config.json': config({}, { tools: [path] }),
      });
      await symlink(join(above, 'outside.ts'), join(above, 'p/link.ts'));
      const project = await loadProject({ cwd: join(above, 'p') });
      const [found] = await rejectedWith(resolveRun(project));
      expect(found?.message).toMatch(/outside the project folder/);
    },
  );

  it('a link to something inside is followed', async () => {
    const root = await folderWith({
      'glassloop.config.json': config({}, { tools: ['link.ts'] }),
      'real/one.ts': tool('one'),
    });
    await symlink(join(root, 'real/one.ts'), join(root, 'link.ts'));
    expect((await resolveRun(await loadProject({ cwd: root }))).run.tools).toHaveLength(1);
  });

  it('a system prompt file is read, and cannot lie outside, be a skill or a snippet, or be missing', async () => {
    const root = await folderWith({
      'p/glassloop.config.json': {
        providers: { demo: {} },
        configurations: {
          good: { provider: 'demo', systemPrompt: { file: 'prompts/ops.md' } },
          above: { provider: 'demo', systemPrompt: { file: '../secret.txt' } },
          skill: { provider: 'demo', systemPrompt: { file: 'skills/a/SKILL.md' } },
          snippet: { provider: 'demo', systemPrompt: { file: 'snippets/a.md' } },
          linked: { provider: 'demo', systemPrompt: { file: 'prompts/linked.md' } },
          missing: { provider: 'demo', systemPrompt: { file: 'prompts/none.md' } },
        },
      },
      'p/prompts/ops.md': 'Be brief.\n',
      'p/skills/a/SKILL.md': 'skill',
      'p/snippets/a.md': 'snippet',
      'secret.txt': 'secret',
    });
    await mkdir(join(root, 'p/prompts'), { recursive: true });
    await symlink('../skills/a/SKILL.md', join(root, 'p/prompts/linked.md'));
    const project = await loadProject({ cwd: join(root, 'p') });
    const good = await resolveRun(project, { configuration: 'good' });
    expect(good.run.systemPrompt).toBe('Be brief.');
    expect(good.run.systemPromptOrigin).toEqual({ file: 'prompts/ops.md', fromLine: 1, toLine: 1 });
    for (const configuration of ['above', 'skill', 'snippet', 'linked', 'missing']) {
      const [found] = await rejectedWith(resolveRun(project, { configuration }));
      expect(found?.message, configuration).toMatch(
        /outside the project folder|skills folder|It is a snippet|no such file/,
      );
    }
  });
});

describe('tools of a run', () => {
  const files = {
    'glassloop.config.json': config({ tools: ['a', 'b'] }, { tools: ['a.ts', 'b.ts', 'c.ts'] }),
    'a.ts': tool('a'),
    'b.ts': tool('b'),
    'c.ts': tool('c'),
  };
  const extra = (name: string, input: object = {}) =>
    defineTool({ name, description: '', input: input as { [key: string]: unknown }, execute: () => name });

  it('asking narrows what the configuration offers, and never widens it', async () => {
    const { assembled } = await runOnce(await acceptedProject(files), { tools: ['b', 'c', 'd'] });
    expect(assembled.tools.map(({ name }) => name)).toEqual(['b']);
    expect(drops(assembled)).toEqual(['c not_allowed', 'd not_allowed']);
  });

  it('built-in ones are offered where they are named', async () => {
    const project = await acceptedProject({
      ...files,
      'glassloop.config.json': config({ tools: ['a', 'clock'] }, { tools: ['a.ts'] }),
    });
    const { run } = await resolveRun(project, { builtInTools: [extra('clock'), extra('calc'), extra('a')] });
    expect(run.tools.map(({ name }) => name)).toEqual(['a', 'clock']);
  });

  it('those of servers are added; a taken name and a bad schema are reported', async () => {
    const resolved = await resolveRun(await acceptedProject(files), { tools: ['a', 's__one'] });
    const { run } = withTools(
      resolved,
      [extra('s__one'), extra('s__two'), extra('b'), extra('s__bad', { properties: { x: { type: 5 } } })],
      [],
      { tools: ['a', 's__one'] },
    );
    expect(run.tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 's__one', 's__two']);
    expect(run.allowedTools).toEqual(['a', 's__one']);
    expect(drops({ dropped: run.augmentation?.missing ?? [] })).toEqual(['b duplicate', 's__bad unreadable']);
  });

  it('are validated with plain JSON Schema', async () => {
    const { run } = await resolveRun(await acceptedProject(files));
    const check = run.validator!({
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 }, m: { enum: ['a'] } },
      required: ['n'],
      additionalProperties: false,
    });
    expect(check({ n: 1 })).toEqual([]);
    expect(check({ n: 0, m: 'b', o: 1 })).toEqual([
      'must NOT have additional properties ("o")',
      'n must be >= 1',
      'm must be equal to one of the allowed values',
    ]);
  });
});
