import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { glassloop, KEY, start, tempFolder } from './command.ts';

async function started(cwd: string, ...args: string[]) {
  const env = { OPENAI_API_KEY: KEY };
  const { child, output, finished } = start(['playground', '--port', '0', ...args], { cwd, env });
  await expect.poll(output, { timeout: 15_000 }).toContain('Ctrl+C');
  const url = new URL(/http:\S+/.exec(output())![0]);
  const call = (path: string, body?: object) =>
    fetch(`${url.origin}/api/v1${path}`, {
      headers: {
        authorization: `Bearer ${url.hash.slice(3)}`,
        accept: 'application/x-ndjson',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    }).then((response) => response.text());
  return { call, child, finished };
}

test('the playground runs the demo model without a key, keeps the run, and shows no key', async () => {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'boats.md'), 'This file is about boats.');
  const { call, child, finished } = await started(cwd);
  const catalog = await call('/catalog');
  const { providers, tools } = JSON.parse(catalog);
  expect(providers.map(({ name }: { name: string }) => name)).toEqual([
    'demo',
    'openai',
    'anthropic',
    'google',
    'mistral',
    'ollama',
    'groq',
    'openrouter',
  ]);
  expect(providers[1].ready).toBe(true);
  expect(providers[2]).toMatchObject({ ready: false, notReady: { variable: 'ANTHROPIC_API_KEY' } });
  expect(tools.every(({ effect }: { effect: string }) => effect === 'reads')).toBe(true);
  const prompt = 'Read the largest file in this folder and tell me what it is about.';
  const stream = await call('/runs', { configuration: 'default', provider: 'demo', prompt });
  expect(stream).toContain('about boats');
  expect(stream.trim().split('\n').at(-1)).toContain('"status":"completed"');
  expect(catalog + stream).not.toContain(KEY);
  child.kill('SIGINT');
  const { exitCode, stderr } = await finished;
  expect([exitCode, stderr]).toEqual([0, '']);
  const folder = join(cwd, '.glassloop', 'runs');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(folder)).length).toBe(2);
});

test('the playground offers the configurations of the project', async () => {
  const cwd = await tempFolder();
  const config = {
    providers: { demo: { model: 'demo-model' } },
    configurations: {
      brief: { provider: 'demo', systemPrompt: 'Be brief.', tools: ['calculate'], maxRounds: 3 },
      broken: { provider: 'demo', skills: ['absent'] },
    },
    default: 'brief',
  };
  await writeFile(join(cwd, 'glassloop.config.json'), JSON.stringify(config));
  const { call, child, finished } = await started(cwd, '--no-history');
  const catalog = JSON.parse(await call('/catalog'));
  expect(catalog.defaults).toMatchObject({ configuration: 'brief', provider: 'demo', maxRounds: 3 });
  expect(catalog.configurations[0]).toMatchObject({
    id: 'brief',
    systemPrompt: 'Be brief.',
    tools: ['calculate'],
  });
  const stream = await call('/runs', { configuration: 'brief', prompt: 'What is 17% of 4230?' });
  expect(stream).toContain('719.1');
  expect(stream).toContain('"maxRounds":3');
  child.kill('SIGTERM');
  expect((await finished).exitCode).toBe(0);
  expect(await readdir(cwd)).toEqual(['glassloop.config.json']);
});

test('the playground says what is wrong with how it was started', async () => {
  const cwd = await tempFolder();
  const remote = await glassloop(['playground', '--host', '0.0.0.0'], { cwd });
  expect(remote).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--unsafe-remote') });
  const token = await glassloop(['playground', '--port', '0'], {
    cwd,
    env: { GLASSLOOP_PLAYGROUND_TOKEN: 'short' },
  });
  expect(token).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('32 characters') });
});

test('a report is one file, redacted unless asked otherwise', async () => {
  const cwd = await tempFolder();
  await glassloop(['demo', '--provider', 'openai', '--trace', 'run.ndjson'], { cwd });
  const { exitCode, stdout, stderr } = await glassloop(['report', 'run.ndjson'], { cwd });
  expect([exitCode, stderr, stdout]).toEqual([0, '', 'report   run.html\n']);
  const html = await readFile(join(cwd, 'run.html'), 'utf8');
  expect(html).toContain('"redaction":"secrets"');
  expect(html).toContain("default-src 'none'");
  expect((await stat(join(cwd, 'run.html'))).mode & 0o777).toBe(0o600);
  await writeFile(join(cwd, 'other.txt'), 'no trace');
  const other = await glassloop(['report', 'other.txt'], { cwd });
  expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no header') });
  expect(await glassloop(['report', 'absent.ndjson'], { cwd })).toMatchObject({ exitCode: 1 });
});
