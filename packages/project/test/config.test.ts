import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigFile, loadProject, resolveRun } from '../src/index.ts';
import { acceptedProject, config, folderWith, problemsOf, put, rejectedWith, tool } from './folder.ts';

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

describe('keys', () => {
  const KEY = `sk-proj-${'a1B2'.repeat(8)}`;
  const withProvider = (provider: object, rest: object = {}): object => ({
    providers: { openai: provider },
    configurations: {},
    ...rest,
  });

  it.each<[string, object]>([
    ['as keyVariable', withProvider({ keyVariable: KEY })],
    [
      'that looks like a variable to no one',
      withProvider({ keyVariable: 'q8Zr2Lm4Xc6Vb8Nn1Qw3Er5Ty7Ui9Op0' }),
    ],
    ['as an unknown field', withProvider({ apiKey: KEY })],
    ['in a model', withProvider({ model: KEY })],
    ['in a URL', withProvider({ baseURL: 'https://me:pass-1234567@host.example/v1' })],
    ['in a query', withProvider({ baseURL: 'https://host.example/v1?api_key=1234567890' })],
    [
      'in a system prompt',
      { providers: { a: {} }, configurations: { ops: { provider: 'a', systemPrompt: `Use ${KEY}.` } } },
    ],
    [
      'in a header',
      withProvider(
        {},
        {
          mcpServers: { web: { url: 'https://a.example', headers: { authorization: 'Bearer 1234567890' } } },
        },
      ),
    ],
    [
      'in an environment',
      withProvider({}, { mcpServers: { a: { command: 'a', env: { GITHUB_TOKEN: '1234567890' } } } }),
    ],
    ['in arguments', withProvider({}, { mcpServers: { a: { command: 'a', args: ['--key', KEY] } } })],
    [
      'in provider options',
      {
        providers: { a: {} },
        configurations: { ops: { provider: 'a', options: { providerOptions: { a: { user: KEY } } } } },
      },
    ],
  ])('a key %s is refused and not repeated', async (_, content) => {
    const found = await problemsOf({ 'glassloop.config.json': content });
    expect(found.length).toBeGreaterThan(0);
    const text = JSON.stringify(found);
    for (const secret of [KEY, 'q8Zr2Lm4', 'pass-1234567', '1234567890']) expect(text).not.toContain(secret);
    expect(found[0]?.line).toBeGreaterThan(0);
  });

  it('the message says what to do', async () => {
    const [found] = await problemsOf({ 'glassloop.config.json': withProvider({ apiKey: 'x' }) });
    expect(found).toMatchObject({
      message: 'providers.openai.apiKey is not allowed: a key never stands in this file.',
      whatToDo: 'Name the environment variable that holds it: keyVariable: "OPENAI_API_KEY".',
    });
  });

  it('names of variables are fine', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a server names a variable.
    const headers = { authorization: 'Bearer ${TICKETS_TOKEN}' };
    const root = await folderWith({
      'glassloop.config.json': withProvider(
        { keyVariable: 'OPENAI_API_KEY' },
        { mcpServers: { web: { url: 'https://a.example', headers } } },
      ),
    });
    expect((await loadProject({ cwd: root })).config.providers['openai']?.keyVariable).toBe('OPENAI_API_KEY');
  });
});

describe('providers and prices', () => {
  const files = {
    'glassloop.config.json': {
      providers: {
        openai: {
          model: 'gpt-5-mini',
          keyVariable: 'WORK_KEY',
          baseURL: 'https://gateway.example/v1',
          prices: { 'gpt-5-mini': { fresh: 1, output: 2, asOf: '2025-11-03' } },
        },
        local: { adapter: 'ollama', model: 'qwen3' },
      },
      configurations: { ops: { provider: 'openai' }, other: { provider: 'openai', model: 'gpt-5' } },
    },
  };

  it('resolve to an adapter, its settings and the price of the model', async () => {
    const project = await acceptedProject(files);
    const ops = await resolveRun(project, { configuration: 'ops' });
    expect(ops.provider).toEqual({
      name: 'openai',
      adapter: 'openai',
      settings: { model: 'gpt-5-mini', baseURL: 'https://gateway.example/v1' },
      keyVariable: 'WORK_KEY',
    });
    expect(ops.run.prices).toEqual({ fresh: 1, output: 2, asOf: '2025-11-03' });
  });

  it('no price for the model is no price at all', async () => {
    const project = await acceptedProject(files);
    expect((await resolveRun(project, { configuration: 'other' })).run).not.toHaveProperty('prices');
    const local = await resolveRun(project, { configuration: 'other', provider: 'local' });
    expect(local.provider.settings.model).toBe('qwen3');
    expect(local.run).not.toHaveProperty('prices');
    expect(
      (await resolveRun(project, { configuration: 'ops', model: 'constructor' })).run,
    ).not.toHaveProperty('prices');
  });

  it('a price without its day is refused', async () => {
    const found = await problemsOf({
      'glassloop.config.json': {
        providers: {
          a: { prices: { m: { fresh: 1, output: 2 }, n: { fresh: -1, output: 1, asOf: '3.11.2025' } } },
        },
        configurations: {},
      },
    });
    expect(found.map(({ message }) => message)).toEqual([
      'providers.a.prices.m lacks "asOf".',
      'providers.a.prices.n.fresh must be >= 0.',
      'providers.a.prices.n.asOf does not have the right form.',
    ]);
  });

  it('a configuration must be named unless there is one or a default', async () => {
    const project = await acceptedProject(files);
    expect(await rejectedWith(resolveRun(project))).toMatchObject([
      { message: expect.stringContaining('No configuration was named') },
    ]);
    expect(await rejectedWith(resolveRun(project, { configuration: 'opss' }))).toMatchObject([
      { whatToDo: 'Did you mean "ops"? There are: ops, other.' },
    ]);
  });
});

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
