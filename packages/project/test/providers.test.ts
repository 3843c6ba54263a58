import { describe, expect, it } from 'vitest';
import { loadProject, resolveRun } from '../src/index.ts';
import { acceptedProject, folderWith, problemsOf, rejectedWith } from './folder.ts';

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
