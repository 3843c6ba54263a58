import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeTrace } from '@glassloop/core/trace-file';
import { describe, expect, test } from 'vitest';
import { glassloop, KEY, start, tempFolder } from './command.ts';

const PROVIDERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'];

async function folderWithFiles(): Promise<string> {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'boats.md'), '# Boats\n\nThis file is about boats.\n');
  await writeFile(join(cwd, 'a.txt'), 'hi');
  return cwd;
}

describe('the demo', () => {
  test('shows a traced run without a key, then the other wire formats, a line each', async () => {
    const cwd = await folderWithFiles();
    const { stdout, stderr, exitCode } = await start(['demo'], { cwd }).finished;
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'the openai adapter and its SDK, talking to a rule-based model at http://127.0.0.1:',
    );
    expect(stdout).toContain('This file is about boats.');
    expect(stdout).toContain('ended    completed');
    expect(stdout).toContain('cost     $0');
    for (const provider of PROVIDERS.slice(1)) {
      expect(stdout).toMatch(new RegExp(`^${provider} +3 rounds · 4 tool calls · .*the same calls$`, 'm'));
    }
    const { header, steps, problems } = decodeTrace(
      await readFile(join(cwd, 'glassloop-demo.ndjson'), 'utf8'),
    );
    expect(problems).toEqual([]);
    expect(header?.capturesRaw).toBe(true);
    expect(steps.filter((step) => step.kind === 'tool' && !step.isError)).toHaveLength(4);
  });

  test('can be repeated in the same folder, with the same calls', async () => {
    const cwd = await folderWithFiles();
    await glassloop(['demo', '--provider', 'openai'], { cwd });
    const { stdout, exitCode } = await glassloop(['demo', '--provider', 'openai'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('read_file {"path":"boats.md"}');
  });

  test('works in an empty folder', async () => {
    expect((await glassloop(['demo', '--provider', 'openai'], { cwd: await tempFolder() })).exitCode).toBe(0);
  });

  test('--provider all shows a line for each of the seven', async () => {
    const { stdout, exitCode } = await glassloop(['demo', '--provider', 'all'], {
      cwd: await folderWithFiles(),
    });
    expect(exitCode).toBe(0);
    for (const provider of PROVIDERS) expect(stdout).toMatch(new RegExp(`^${provider} +3 rounds`, 'm'));
  });

  test('--provider NAME shows that adapter, with a prompt and a trace file of the user', async () => {
    const cwd = await folderWithFiles();
    const { stdout, exitCode } = await glassloop(
      ['demo', 'What is 6*7?', '--provider', 'anthropic', '--trace', 'mine.ndjson'],
      { cwd },
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('the anthropic adapter');
    expect(stdout).toContain('42');
    expect(decodeTrace(await readFile(join(cwd, 'mine.ndjson'), 'utf8')).problems).toEqual([]);
  });

  test('a file of its default name that is no trace is left alone, and the demo still runs', async () => {
    const cwd = await folderWithFiles();
    await writeFile(join(cwd, 'glassloop-demo.ndjson'), 'precious');
    const { stderr, exitCode } = await glassloop(['demo', '--provider', 'openai'], { cwd });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('runs without a trace file');
    expect(await readFile(join(cwd, 'glassloop-demo.ndjson'), 'utf8')).toBe('precious');
  });
});

describe('providers', () => {
  test('lists the seven with key variable and capabilities, and no key', async () => {
    const { stdout, exitCode } = await glassloop(['providers'], {
      cwd: await tempFolder(),
      env: { GROQ_API_KEY: KEY },
    });
    expect(exitCode).toBe(0);
    for (const provider of PROVIDERS) expect(stdout).toMatch(new RegExp(`^${provider} +installed`, 'm'));
    expect(stdout).toContain('GROQ_API_KEY is set');
    expect(stdout).toContain('OPENAI_API_KEY is not set');
    expect(stdout).toContain('parallel calls');
    expect(stdout).not.toContain(KEY);
  });

  test('--json', async () => {
    const { stdout } = await glassloop(['providers', '--json'], {
      cwd: await tempFolder(),
      env: { GROQ_API_KEY: KEY },
    });
    const facts = JSON.parse(stdout);
    expect(facts.map((provider: { name: string }) => provider.name)).toEqual(PROVIDERS);
    expect(facts[5]).toMatchObject({
      keyVariable: 'GROQ_API_KEY',
      keySet: true,
      installed: true,
      capabilities: { streaming: true },
    });
  });
});

describe('installed with one adapter only', () => {
  /** What npm would lay out: this package with its dependencies, and the adapters that were asked for. */
  async function installed(...adapters: readonly string[]): Promise<string> {
    const folder = await tempFolder();
    const packages = fileURLToPath(new URL('../../', import.meta.url));
    const scope = join(folder, 'node_modules', '@glassloop');
    await mkdir(join(scope, 'cli'), { recursive: true });
    await cp(join(packages, 'cli', 'dist'), join(scope, 'cli', 'dist'), { recursive: true });
    await cp(join(packages, 'cli', 'package.json'), join(scope, 'cli', 'package.json'));
    const { dependencies } = JSON.parse(await readFile(join(packages, 'cli', 'package.json'), 'utf8'));
    const own = Object.keys(dependencies).filter((name) => name.startsWith('@glassloop/'));
    for (const name of [...own.map((name) => name.slice('@glassloop/'.length)), ...adapters]) {
      await symlink(join(packages, name), join(scope, name));
    }
    await symlink(
      join(packages, 'cli', 'node_modules', 'commander'),
      join(folder, 'node_modules', 'commander'),
    );
    return join(scope, 'cli', 'dist', 'bin.js');
  }

  test('the demo runs, and says what is not installed', async () => {
    const cwd = await folderWithFiles();
    const { stdout, exitCode } = await glassloop(['demo'], { cwd, bin: await installed('openai') });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^mistral +not installed: npm install @glassloop\/mistral$/m);
  });

  test('a missing adapter gives the command that installs it', async () => {
    const cwd = await tempFolder();
    const bin = await installed();
    const run = await glassloop(['run', 'x', '--provider', 'groq', '--model', 'm'], {
      cwd,
      bin,
      env: { GROQ_API_KEY: KEY },
    });
    expect(run).toMatchObject({
      stdout: '',
      exitCode: 1,
      stderr: expect.stringContaining('npm install @glassloop/groq'),
    });
    expect((await glassloop(['demo'], { cwd, bin })).stderr).toContain('npm install @glassloop/openai');
    const { stdout } = await glassloop(['providers'], { cwd, bin });
    expect(stdout).toMatch(/^openai +not installed: npm install @glassloop\/openai/m);
  });
});

test('--help documents the exit codes, for the command and each of its parts', async () => {
  for (const args of [
    ['--help'],
    ['run', '--help'],
    ['demo', '--help'],
    ['inspect', '--help'],
    ['providers', '--help'],
    ['help', 'run'],
  ]) {
    const { stdout, stderr, exitCode } = await glassloop(args, { cwd: await tempFolder() });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('Exit codes:');
  }
  expect(await start(['--version'], { cwd: await tempFolder() }).finished).toMatchObject({
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    exitCode: 0,
  });
});
