import { readFileSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigFile, loadProject, resolveRun } from '../src/index.ts';
import { acceptedProject, config, folderWith, problemsOf, put, rejectedWith } from './folder.ts';

describe('finding and loading the file', () => {
  it('takes the nearest one upward', async () => {
    const root = await folderWith({
      'glassloop.config.json': config(),
      'a/b/c.txt': '',
      'a/inner/glassloop.config.json': config(),
    });
    expect((await loadProject({ cwd: join(root, 'a/b') })).root).toBe(root);
    expect((await loadProject({ cwd: join(root, 'a/inner') })).root).toBe(join(root, 'a/inner'));
  });

  it('says how to make one when there is none, and refuses two in one folder', async () => {
    // A folder of its own cannot be made sure of above the temporary folder, so the search is asked directly.
    expect(await findConfigFile('/')).toBeUndefined();
    expect(await problemsOf({ 'glassloop.config.json': config(), 'glassloop.config.ts': '' })).toMatchObject([
      { message: 'There are 2 configuration files: glassloop.config.ts, glassloop.config.json.' },
    ]);
  });

  it.each(['ts', 'mts', 'js', 'mjs'])('loads .%s, typed or not, with nothing installed', async (ending) => {
    const type = ending.endsWith('ts') ? ': number' : '';
    const root = await folderWith({
      [`glassloop.config.${ending}`]: `import { defineConfig } from '@glassloop/project';
import { rounds } from './shared.${ending}';
export default defineConfig({
  providers: { demo: {} },
  configurations: { ops: { provider: 'demo', maxRounds: rounds } },
});`,
      [`shared.${ending}`]: `export const rounds${type} = 7;`,
    });
    const project = await loadProject({ cwd: root });
    expect(project.config.configurations['ops']?.maxRounds).toBe(7);
    if (ending === 'mjs') return;
    // A long-lived process sees what was edited.
    await put(root, { [`shared.${ending}`]: `export const rounds${type} = 8;` });
    expect((await loadProject({ cwd: root })).config.configurations['ops']?.maxRounds).toBe(8);
  });

  it('names the line of a program that fails, and one that exports nothing', async () => {
    expect(
      await problemsOf({ 'glassloop.config.ts': 'const a = 1;\n\nexport default { a: };\n' }),
    ).toMatchObject([
      { file: 'glassloop.config.ts', line: 3, message: expect.stringContaining('It cannot be loaded') },
    ]);
    expect(await problemsOf({ 'glassloop.config.js': '\nthrow new Error("not today");\n' })).toMatchObject([
      { line: 2, message: expect.stringContaining('not today') },
    ]);
    expect(await problemsOf({ 'glassloop.config.ts': 'export const config = {};' })).toMatchObject([
      { message: 'It has no default export.' },
    ]);
    expect(
      await problemsOf({ 'glassloop.config.ts': "import './missing.ts';\nexport default {};" }),
    ).toMatchObject([{ message: expect.stringContaining('missing.ts') }]);
  });

  it('names the line of wrong JSON, of a doubled key, of bytes that are no text', async () => {
    expect(
      await problemsOf({ 'glassloop.config.json': '{\n  "providers": {},\n  "configurations": {},\n}' }),
    ).toMatchObject([{ line: 4, message: 'It is not valid JSON.' }]);
    expect(
      await problemsOf({
        'glassloop.config.json': '{\n "providers": {},\n "configurations": {},\n "providers": {}\n}',
      }),
    ).toMatchObject([{ line: 4, message: 'A key stands twice in one object.' }]);
    expect(await problemsOf({ 'glassloop.config.json': new Uint8Array([123, 10, 0xff, 125]) })).toMatchObject(
      [{ line: 2, message: 'It is not UTF-8 text.' }],
    );
    expect(await problemsOf({ 'glassloop.config.json': '' })).toMatchObject([
      { line: 1, message: 'It is not valid JSON.' },
    ]);
    expect(await problemsOf({ 'glassloop.config.json': '[]' })).toMatchObject([
      { message: 'The configuration must be an object.' },
    ]);
    expect(await problemsOf({ 'glassloop.config.json': 'null' })).toMatchObject([
      { message: 'The configuration must be an object.' },
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)('does not run a file above that belongs to another user', async () => {
    const root = await folderWith({ 'glassloop.config.mjs': 'throw new Error("was run")', 'below/x': '' });
    await chown(join(root, 'glassloop.config.mjs'), 12_345, 12_345);
    await chmod(join(root, 'glassloop.config.mjs'), 0o644);
    expect(await rejectedWith(loadProject({ cwd: join(root, 'below') }))).toMatchObject([
      { message: expect.stringContaining('belongs to another user') },
    ]);
  });
});

describe('its shape', () => {
  it('reports all problems at once, each with its line and a suggestion', async () => {
    const text = `{
  "providers": { "demo": { "modle": "x" } },
  "configurations": {
    "ops": {
      "provider": "demo",
      "maxRounds": 0,
      "options": { "temperature": 3, "toolChoice": "sometimes" },
      "systemPrompt": 5,
      "skils": ["a"]
    }
  },
  "skillTrust": { "a": "friend" }
}`;
    const found = await problemsOf({ 'glassloop.config.json': text });
    expect(found.map(({ line, message }) => `${line} ${message}`).sort()).toEqual([
      '12 skillTrust.a has an unknown value.',
      '2 providers.demo.modle is an unknown key.',
      '6 configurations.ops.maxRounds must be >= 1.',
      '7 configurations.ops.options.temperature must be <= 2.',
      '7 configurations.ops.options.toolChoice has none of the forms it may have.',
      '8 configurations.ops.systemPrompt has none of the forms it may have.',
      '9 configurations.ops.skils is an unknown key.',
    ]);
    expect(found.find(({ line }) => line === 9)?.whatToDo).toContain('Did you mean "skills"?');
  });

  it('finds the line in a program, past comments and equal keys', async () => {
    const found = await problemsOf({
      'glassloop.config.ts': `export default {
  providers: { demo: {} },
  configurations: {
    // ops: { tols: 1 },
    dev: { provider: 'demo', tools: [] },
    'ops': {
      provider: 'demo',
      tols: ['x'],
    },
  },
};`,
    });
    expect(found).toMatchObject([{ line: 8, message: 'configurations.ops.tols is an unknown key.' }]);
  });

  it('follows names: providers, configurations, servers', async () => {
    const found = await problemsOf({
      'glassloop.config.json': {
        providers: { demo: {} },
        configurations: { ops: { provider: 'dmo', mcp: ['files'] }, dev: { extends: 'opps' } },
        default: 'constructor',
        mcpServers: { both: { command: 'a', url: 'http://b' } },
      },
    });
    expect(found.map(({ message }) => message)).toEqual([
      'There is no configuration "constructor".',
      'There is no provider "dmo".',
      'There is no MCP server "files".',
      'There is no configuration "opps".',
      'Configuration "dev" has no provider.',
      'MCP server "both" must have either command or url.',
    ]);
    expect(found[1]?.whatToDo).toBe('Did you mean "demo"? There are: demo.');
  });

  it('reports circles: configurations that extend each other, values that hold themselves', async () => {
    const circle = await problemsOf({
      'glassloop.config.json': {
        providers: { demo: {} },
        configurations: { a: { extends: 'b' }, b: { extends: 'c' }, c: { extends: 'b' } },
      },
    });
    expect(circle.map(({ message }) => message)).toContain('Configuration "b" extends itself: b → c → b.');
    const holds = await problemsOf({
      'glassloop.config.js':
        'const ops = { provider: "demo" }; ops.options = { providerOptions: { x: ops } };\nexport default { providers: { demo: {} }, configurations: { ops } };',
    });
    expect(holds).toMatchObject([{ message: 'configurations.ops.options.providerOptions.x holds itself.' }]);
  });

  it('extends: options and limits are merged, all else is replaced', async () => {
    const project = await acceptedProject({
      'glassloop.config.json': {
        providers: { demo: {} },
        configurations: {
          base: {
            provider: 'demo',
            systemPrompt: 'P',
            tags: ['a'],
            options: { temperature: 0, topP: 1 },
            limits: { cost: 1 },
          },
          ops: {
            extends: 'base',
            tags: [],
            options: { temperature: 1 },
            limits: { toolCalls: 2 },
            maxRounds: 2,
          },
        },
      },
    });
    const { run } = await resolveRun(project, { configuration: 'ops', options: { maxTokens: 9 } });
    expect(run).toMatchObject({ systemPrompt: 'P', limits: { cost: 1, toolCalls: 2 }, maxRounds: 2 });
    expect(run.options?.toCallOptions()).toEqual({ temperature: 1, topP: 1, maxTokens: 9 });
  });

  it('is one with the types: every field that one form has, the other has too', () => {
    const schema = JSON.parse(readFileSync(new URL('../config.schema.json', import.meta.url), 'utf8'));
    const types = readFileSync(new URL('../src/config.ts', import.meta.url), 'utf8');
    const fields = (name: string): string[] => {
      const body = new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(types)![1]!;
      return [...body.matchAll(/^ {2}readonly ([\w$]+)\??:/gm)].map(([, field]) => field!).sort();
    };
    const inSchema = (part: { properties: object }): string[] => Object.keys(part.properties).sort();
    expect(inSchema(schema)).toEqual(fields('ProjectConfig'));
    expect(inSchema(schema.$defs.provider)).toEqual(fields('ProviderConfig'));
    expect(inSchema(schema.$defs.configuration)).toEqual(fields('Configuration'));
    expect(inSchema(schema.$defs.mcpServer)).toEqual(fields('McpServerConfig'));
  });
});
