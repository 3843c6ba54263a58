import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { glassloop, runAgainst, simulate, start, tempFolder } from './command.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await tempFolder();
  await writeFile(join(cwd, 'a.txt'), 'The text of a.');
  const simulator = await simulate(
    { callTools: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { say: 'It says so.', usage: { prompt: 100, completion: 20, cacheRead: 60, reasoning: 8 } },
  );
  await glassloop(
    runAgainst(
      simulator,
      'What is in a.txt?',
      '--system',
      'Be brief.',
      '--capture-raw',
      '--trace',
      'run.ndjson',
    ),
    { cwd },
  );
});

describe('inspect', () => {
  test('shows settings, sources, messages, calls, results, tokens and the end', async () => {
    const { stdout, stderr, exitCode } = await glassloop(['inspect', 'run.ndjson'], { cwd });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    for (const part of [
      'with raw bodies · format version 1',
      'openai gpt-4o · at most 5 rounds with tools',
      'from configuration: 9 B',
      'What is in a.txt?',
      'call read_file {"path":"a.txt"}',
      'The text of a.',
      'prompt 100 (cached 60), completion 20 (reasoning 8)',
      'It says so.',
      'ended    completed',
      'rounds   2, with 1 tool call',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toContain('"chat.completion"');
  });

  test('--raw shows the captured bodies', async () => {
    const { stdout } = await glassloop(['inspect', 'run.ndjson', '--raw'], { cwd });
    expect(stdout.match(/"chat\.completion"/g)).toHaveLength(2);
  });

  test('--round shows one round with all messages as they were sent', async () => {
    const { stdout } = await glassloop(['inspect', 'run.ndjson', '--round', '2'], { cwd });
    expect(stdout).toContain('#0 system');
    expect(stdout).toContain('#3 tool read_file');
    expect(stdout).not.toContain('round 1');
    const none = await glassloop(['inspect', 'run.ndjson', '--round', '3'], { cwd });
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has no round 3') });
  });

  test('--json prints header, steps and problems', async () => {
    const { stdout } = await glassloop(['inspect', 'run.ndjson', '--json'], { cwd });
    const lines = (await readFile(join(cwd, 'run.ndjson'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const document = JSON.parse(stdout);
    expect(document.steps).toEqual(lines.slice(1).map((line) => line.step));
    expect(document.header).toMatchObject({ format: 'glassloop-trace' });
    expect(document.problems).toEqual([]);
    const one = JSON.parse(
      (await glassloop(['inspect', 'run.ndjson', '--json', '--round', '1'], { cwd })).stdout,
    );
    expect(one.steps.map((step: { kind: string }) => step.kind)).toEqual(['request', 'response', 'tool']);
  });
});

describe('a broken file is opened as far as it goes', () => {
  async function edited(change: (lines: string[]) => string): Promise<Awaited<ReturnType<typeof glassloop>>> {
    const lines = (await readFile(join(cwd, 'run.ndjson'), 'utf8')).trim().split('\n');
    await writeFile(join(cwd, 'edited.ndjson'), change(lines));
    return glassloop(['inspect', 'edited.ndjson'], { cwd });
  }

  test('cut in the middle of a step', async () => {
    const { stdout, stderr, exitCode } = await edited((lines) => lines.join('\n').slice(0, -200));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The text of a.');
    expect(stderr).toMatch(/line \d+: The file ends in the middle of a step/);
  });

  test('with a bad line', async () => {
    const { stdout, stderr, exitCode } = await edited((lines) => lines.with(3, '{oops').join('\n'));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('ended    completed');
    expect(stderr).toContain('line 4:');
  });

  test('of a newer version, with steps and fields that nobody knows yet', async () => {
    const { stdout, stderr, exitCode } = await edited((lines) =>
      lines
        .map((line) => line.replace('"version":1', '"version":9').replace('"kind":"tool"', '"kind":"oracle"'))
        .join('\n'),
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('It says so.');
    expect(stderr).toContain('version 9');
    expect(stderr).toContain('"oracle"');
  });

  test('with a step whose parts are of the wrong kind', async () => {
    const { stdout, stderr, exitCode } = await edited((lines) =>
      lines.map((line) => line.replace(/"toolCalls":\[.*?\]/, '"toolCalls":7')).join('\n'),
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('cannot be shown');
    expect(stdout).toContain('ended    completed');
    expect(stderr).not.toContain('TypeError');
  });

  test('without a header', async () => {
    const { stdout, stderr, exitCode } = await edited((lines) => lines.slice(1).join('\n'));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('without a header');
    expect(stderr).toContain('no trace header');
  });

  test.each(['', 'hello\n', '\u0000\u0001\u0002', '[]', '{"type":"x"}'])(
    '%j is no trace: exit code 1',
    async (text) => {
      const { stdout, stderr, exitCode } = await edited(() => text);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
      expect(stderr).toContain('is no trace of glassloop');
    },
  );

  test('a file that is not there, or a folder', async () => {
    expect(await glassloop(['inspect', 'nowhere.ndjson'], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no such file'),
    });
    expect(await glassloop(['inspect', '.'], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('it is a folder'),
    });
  });
});

test('a reader that stops early is no failure', async () => {
  const line = (await readFile(join(cwd, 'run.ndjson'), 'utf8')).split('\n')[5]!;
  await appendFile(join(cwd, 'run.ndjson'), `${line}\n`.repeat(5000));
  const { child, finished } = start(['inspect', 'run.ndjson', '--raw'], { cwd });
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { stderr, exitCode } = await finished;
  expect(stderr).not.toMatch(/EPIPE|Error/);
  expect(exitCode).toBe(0);
});
