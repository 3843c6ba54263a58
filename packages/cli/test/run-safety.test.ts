import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glassloop, KEY, runAgainst, type Setting, simulate, start, tempFolder } from './command.ts';

describe('C117 no key in any output', () => {
  test.each([
    ['401', { fail: { status: 401, message: `Incorrect API key provided: ${KEY}.` } }],
    ['429', { fail: { status: 429, message: `Too much from ${KEY}.` } }],
    ['500', { fail: { status: 500, message: `Broken for ${KEY}.` } }],
    ['a cut connection', { say: 'x', cutOff: 'before' as const }],
    ['a page of HTML', { reply: { headers: { 'content-type': 'text/html' }, chunks: [`<p>${KEY}</p>`] } }],
    ['an answer that repeats it', { say: `Your key is ${KEY}.` }],
  ])('C117 %s', async (_, turn) => {
    const cwd = await tempFolder();
    const simulator = await simulate(turn);
    // What an SDK prints by itself is seen only in a process of its own.
    for (const [flags, run] of [
      [['--verbose'], (args: string[], setting: Setting) => start(args, setting).finished],
      [['--json'], glassloop],
    ] as const) {
      const { stdout, stderr } = await run(
        runAgainst(
          simulator,
          'Hi',
          '--capture-raw',
          '--trace',
          'run.ndjson',
          '--key-variable',
          'OPENAI_API_KEY',
          ...flags,
        ),
        { cwd, env: { OPENAI_API_KEY: KEY } },
      );
      expect(stdout + stderr).not.toContain(KEY);
      expect(await readFile(join(cwd, 'run.ndjson'), 'utf8')).not.toContain(KEY);
      simulator.script(turn);
    }
    expect(simulator.exchanges[0]?.request.rawHeaders.flat()).toContain(`Bearer ${KEY}`);
  });

  test('C117 the key of a variable that is named with --key-variable', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate({ say: `Your key is ${KEY}.` });
    const { stdout } = await glassloop(runAgainst(simulator, 'Hi', '--key-variable', 'MY_KEY'), {
      cwd,
      env: { MY_KEY: KEY },
    });
    expect(simulator.exchanges[0]?.seen?.apiKey).toBe(KEY);
    expect(stdout).toContain('[redacted]');
    expect(stdout).not.toContain(KEY);
  });
});

describe('C123 control characters are shown, never sent to the terminal', () => {
  const EVIL = 'x\u0000y\u001b[31m\u001b]0;title\u0007\u009b2J\u202e';

  test.each([[[]], [['--verbose']], [['--quiet']], [['--json']], [['--stream']]])(
    'C123 with %j',
    async (flags: string[]) => {
      const cwd = await tempFolder();
      await writeFile(join(cwd, 'evil.txt'), '\u001b[31mred');
      const simulator = await simulate(
        {
          say: EVIL,
          callTools: [
            { name: 'read_file', arguments: { path: 'evil.txt' } },
            { name: 'calculate', arguments: EVIL },
          ],
        },
        { say: EVIL },
      );
      const { stdout, stderr, exitCode } = await glassloop(runAgainst(simulator, 'Hi', ...flags), { cwd });
      expect(exitCode).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is what is tested.
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      if (flags[0] === '--json') expect(JSON.parse(stdout).content).toBe(EVIL);
      else expect(stdout).toContain('x\\x00y\\x1b[31m');
      expect(simulator.exchanges[1]?.seen?.messages.find((message) => message.role === 'tool')).toMatchObject(
        { text: '\u001b[31mred' },
      );
    },
  );

  test('C123 in arguments of the command line', async () => {
    const cwd = await tempFolder();
    const { stderr, exitCode } = await glassloop(['run', 'x', '--provider', '\u001b[31m', '--model', 'm'], {
      cwd,
    });
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('\u001b');
  });
});
