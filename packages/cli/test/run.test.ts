import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glassloop, readTrace, runAgainst, simulate, start, tempFolder } from './command.ts';

const LIST = { callTools: [{ name: 'list_files' }] };
const ANSWER = { say: 'The largest file is big.txt.' };

describe('a run', () => {
  test('shows a line per step, the answer and the summary, and writes the trace', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'big.txt'), 'x'.repeat(500));
    const simulator = await simulate(LIST, ANSWER);
    const { stdout, stderr, exitCode } = await start(
      runAgainst(simulator, 'Which file is the largest?', '--trace', 'run.ndjson'),
      { cwd },
    ).finished;
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout.replace(/\d+(\.\d)? m?s\b/g, 'TIME').split('\n')).toEqual([
      'glassloop run · openai gpt-4o · tools list_files, read_file, calculate, current_time',
      '',
      'assembled  1 message · 4 tools offered',
      'round 1',
      '  request  1 message · 4 tools offered',
      '  response TIME · asks for 1 call · 10 → 5 tokens',
      '  tool     list_files {} → 71 B in TIME',
      'round 2',
      '  request  3 messages, 2 new · 4 tools offered',
      '  response TIME · stop · 10 → 5 tokens',
      '',
      'The largest file is big.txt.',
      '',
      'ended    completed: the model gave its answer',
      'rounds   2, with 1 tool call',
      'tokens   30: prompt 20 (cached unknown), completion 10 (reasoning unknown)',
      'cost     unknown: the provider reports none, and no prices are known',
      'time     TIME',
      'trace    run.ndjson (to look into it: glassloop inspect run.ndjson)',
      '',
    ]);
    // The trace that is being written is not among the files.
    expect(simulator.exchanges[1]?.seen?.messages.at(-1)).toMatchObject({
      text: '{"folder":".","entries":[{"name":"big.txt","kind":"file","bytes":500}]}',
    });
    const { header, steps, problems } = await readTrace(cwd);
    expect(problems).toEqual([]);
    expect(header).toMatchObject({ format: 'glassloop-trace', version: 1, capturesRaw: false });
    expect(steps.map((step) => step.kind)).toEqual([
      'assembled',
      'request',
      'response',
      'tool',
      'request',
      'response',
      'end',
    ]);
    expect((await stat(join(cwd, 'run.ndjson'))).mode & 0o777).toBe(0o600);
  });

  test('flags reach the request', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate(ANSWER);
    await glassloop(
      runAgainst(
        simulator,
        'Hi',
        '--system',
        'Be brief.',
        '--temperature',
        '0.5',
        '--top-p',
        '0.9',
        '--max-tokens',
        '77',
        '--tool',
        'calculate',
        '--tool',
        'read_file',
        '--stream',
      ),
      { cwd },
    );
    expect(simulator.exchanges[0]?.seen).toMatchObject({
      system: ['Be brief.'],
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 77,
      stream: true,
      tools: [{ name: 'read_file' }, { name: 'calculate' }],
    });
  });

  test('--no-tools offers none; whole answers are the default; - reads the prompt from standard input', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate(ANSWER);
    const { exitCode } = await start(runAgainst(simulator, '-', '--no-tools'), {
      cwd,
      input: 'From a pipe?\n',
    }).finished;
    expect(exitCode).toBe(0);
    expect(simulator.exchanges[0]?.seen).toMatchObject({
      tools: [],
      stream: false,
      messages: [{ role: 'user', text: 'From a pipe?\n' }],
    });
  });

  test('--json prints one document on stdout, and the steps on stderr', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate(LIST, ANSWER);
    const { stdout, stderr, exitCode } = await start(
      runAgainst(simulator, 'Hi', '--json', '--trace', 'run.ndjson'),
      { cwd },
    ).finished;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      provider: 'openai',
      model: 'gpt-4o',
      stopReason: 'completed',
      content: ANSWER.say,
      rounds: 2,
      toolCalls: 1,
      usage: { promptTokens: 20, completionTokens: 10, totalTokens: 30 },
      trace: join(cwd, 'run.ndjson'),
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
    });
    expect(stderr).toContain('round 2');
  });

  test('--quiet prints the answer and nothing else', async () => {
    const cwd = await tempFolder();
    expect(await glassloop(runAgainst(await simulate(LIST, ANSWER), 'Hi', '--quiet'), { cwd })).toEqual({
      stdout: `${ANSWER.say}\n`,
      stderr: '',
      exitCode: 0,
    });
  });

  test.each([false, true])(
    '--capture-raw puts the decoded bodies into the trace (streamed: %s)',
    async (streamed) => {
      const cwd = await tempFolder();
      const simulator = await simulate(LIST, ANSWER);
      await glassloop(
        runAgainst(
          simulator,
          'Hi',
          '--capture-raw',
          '--trace',
          'run.ndjson',
          ...(streamed ? ['--stream'] : []),
        ),
        { cwd },
      );
      const { header, steps } = await readTrace(cwd);
      expect(header?.capturesRaw).toBe(true);
      expect(steps.flatMap((step) => (step.kind === 'response' ? [step.raw] : []))).toEqual(
        simulator.exchanges.map((exchange) => exchange.reply?.body),
      );
    },
  );

  test('--capture-raw without a trace file shows them', async () => {
    const { stdout } = await glassloop(runAgainst(await simulate(ANSWER), 'Hi', '--capture-raw'), {
      cwd: await tempFolder(),
    });
    expect(stdout).toContain('"chat.completion"');
  });
});

describe('a dry run', () => {
  test('shows messages, sources, tools and the request body, sends nothing and needs no key', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate();
    const { stdout, stderr, exitCode } = await glassloop(
      [
        'run',
        'Hi there',
        '--provider',
        'openai',
        '--model',
        'gpt-4o',
        '--system',
        'Be brief.',
        '--tool',
        'calculate',
        '--dry-run',
        '--trace',
        'run.ndjson',
      ],
      { cwd },
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('from configuration: 9 B');
    expect(stdout).toContain('from caller: 8 B');
    expect(stdout).toContain('1 tool offered: calculate');
    expect(stdout).toContain('"model": "gpt-4o"');
    expect(stdout).toContain('dry run: nothing was sent');
    expect(simulator.exchanges).toEqual([]);
    expect((await readTrace(cwd)).steps.map((step) => step.kind)).toEqual(['assembled', 'end']);
  });

  test('the body it shows is the body a run sends', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate(ANSWER);
    const dry = await glassloop(runAgainst(simulator, 'Hi', '--temperature', '0', '--dry-run', '--json'), {
      cwd,
    });
    expect(dry.exitCode).toBe(0);
    expect(simulator.exchanges).toEqual([]);
    await glassloop(runAgainst(simulator, 'Hi', '--temperature', '0'), { cwd });
    expect(JSON.parse(dry.stdout).request).toEqual(simulator.exchanges[0]?.request.body);
  });
});

describe('the trace file', () => {
  test('an earlier trace is replaced, and that is said', async () => {
    const cwd = await tempFolder();
    await glassloop(runAgainst(await simulate(LIST, ANSWER), 'Hi', '--trace', 'run.ndjson'), { cwd });
    const { stdout } = await glassloop(runAgainst(await simulate(ANSWER), 'Hi', '--trace', 'run.ndjson'), {
      cwd,
    });
    expect(stdout).toContain('run.ndjson held an earlier trace; it is replaced.');
    expect((await readTrace(cwd)).steps).toHaveLength(4);
  });

  test('a run that cannot start replaces nothing', async () => {
    const cwd = await tempFolder();
    await glassloop(runAgainst(await simulate(ANSWER), 'Hi', '--trace', 'run.ndjson'), { cwd });
    const before = await readFile(join(cwd, 'run.ndjson'), 'utf8');
    await glassloop(['run', 'Hi', '--provider', 'openai', '--model', 'm', '--trace', 'run.ndjson'], { cwd });
    await glassloop(
      ['run', 'Hi', '--provider', 'openai', '--model', 'm', '--trace', 'run.ndjson', '--tool', 'nope'],
      { cwd },
    );
    expect(await readFile(join(cwd, 'run.ndjson'), 'utf8')).toBe(before);
  });

  test('another file of that name is left alone', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'notes.md'), 'precious');
    const simulator = await simulate();
    const { stderr, exitCode } = await glassloop(runAgainst(simulator, 'Hi', '--trace', 'notes.md'), { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('exists and is not a trace');
    expect(await readFile(join(cwd, 'notes.md'), 'utf8')).toBe('precious');
    expect(simulator.exchanges).toEqual([]);
  });

  test('a file that cannot be written is said before anything is sent', async () => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, 'folder'));
    const simulator = await simulate();
    for (const name of ['nowhere/run.ndjson', 'folder']) {
      const { stderr, exitCode } = await glassloop(runAgainst(simulator, 'Hi', '--trace', name), { cwd });
      expect(exitCode).toBe(1);
      expect(stderr).toContain('Cannot write the trace file');
    }
    expect(simulator.exchanges).toEqual([]);
  });
});
