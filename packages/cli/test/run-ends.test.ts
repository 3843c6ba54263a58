import { describe, expect, test } from 'vitest';
import { glassloop, readTrace, runAgainst, simulate, start, tempFolder, until } from './command.ts';

const LIST = { callTools: [{ name: 'list_files' }] };
const ANSWER = { say: 'The largest file is big.txt.' };

describe('C129 how a run ended is visible', () => {
  test('C129 ended by length', async () => {
    const { stdout, exitCode } = await glassloop(
      runAgainst(await simulate({ say: 'Half an ans', finish: 'length' }), 'Hi'),
      { cwd: await tempFolder() },
    );
    expect(stdout).toContain('Half an ans');
    expect(stdout).toContain('ended    length: the answer was cut at the output limit');
    expect(exitCode).toBe(0);
  });

  test('C129 ended by the round cap', async () => {
    const simulator = await simulate(
      LIST,
      { callTools: [{ name: 'calculate', arguments: { expression: '1+1' } }] },
      ANSWER,
    );
    const { stdout, exitCode } = await glassloop(runAgainst(simulator, 'Hi', '--max-rounds', '2'), {
      cwd: await tempFolder(),
    });
    expect(stdout).toContain('ended    round limit: all rounds were used');
    expect(stdout).toContain('no tools offered');
    expect(exitCode).toBe(0);
  });

  test('C129 provider error in round 2: the steps done so far stay, and so does the trace', async () => {
    const cwd = await tempFolder();
    const simulator = await simulate(LIST, { fail: { status: 500, message: 'It broke.' } });
    const { stdout, stderr, exitCode } = await glassloop(
      runAgainst(simulator, 'Hi', '--trace', 'run.ndjson'),
      { cwd },
    );
    expect(stdout).toContain('list_files {}');
    expect(stdout).toMatch(/error {4}unavailable .*It broke\./);
    expect(stdout).toContain('ended    failed');
    expect(stdout).toContain('tokens   15:');
    expect(stderr).toContain('It broke.');
    expect(exitCode).toBe(1);
    expect((await readTrace(cwd)).problems).toEqual([]);
  });

  test('C129 the same as one JSON document', async () => {
    const simulator = await simulate(LIST, { fail: { status: 500, message: 'It broke.' } });
    const { stdout, exitCode } = await glassloop(runAgainst(simulator, 'Hi', '--json'), {
      cwd: await tempFolder(),
    });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      stopReason: 'failed',
      error: { code: 'unavailable', message: expect.stringContaining('It broke.'), hint: expect.any(String) },
      rounds: 1,
      toolCalls: 1,
      usage: { totalTokens: 15 },
    });
  });

  test('C129 usage of 0 is 0, no usage is unknown', async () => {
    const cwd = await tempFolder();
    const zero = await glassloop(
      runAgainst(await simulate({ ...ANSWER, usage: { prompt: 0, completion: 0 } }), 'Hi'),
      { cwd },
    );
    expect(zero.stdout).toContain('tokens   0: prompt 0');
    const unknown = await glassloop(runAgainst(await simulate({ ...ANSWER, usage: null }), 'Hi'), { cwd });
    expect(unknown.stdout).toContain('tokens   unknown: prompt unknown');
  });

  test('C129 an empty answer is no answer', async () => {
    const { stdout, exitCode } = await glassloop(runAgainst(await simulate({ say: '' }), 'Hi'), {
      cwd: await tempFolder(),
    });
    expect(stdout).toContain('The model answered with no text.');
    expect(exitCode).toBe(1);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('C129 aborted by %s while the model works', async (signal) => {
    const cwd = await tempFolder();
    const simulator = await simulate(LIST, { ...ANSWER, hang: 'before' });
    const { child, finished } = start(runAgainst(simulator, 'Hi', '--trace', 'run.ndjson'), { cwd });
    await until(() => simulator.exchanges.length === 2);
    child.kill(signal);
    const { stdout, exitCode } = await finished;
    expect(exitCode).toBe(1);
    expect(stdout).toContain('list_files {}');
    expect(stdout).toContain('ended    aborted');
    expect(stdout).toContain('rounds   1, with 1 tool call');
    const { steps, problems } = await readTrace(cwd);
    expect(problems).toEqual([]);
    expect(steps.at(-1)).toMatchObject({ kind: 'end', stopReason: 'aborted' });
  });

  test('C129 aborted, as one JSON document', async () => {
    const simulator = await simulate({ ...ANSWER, hang: 'before' });
    const { child, finished } = start(runAgainst(simulator, 'Hi', '--json'), { cwd: await tempFolder() });
    await until(() => simulator.exchanges.length === 1);
    child.kill('SIGINT');
    const { stdout, exitCode } = await finished;
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      stopReason: 'aborted',
      error: { code: 'aborted' },
      rounds: 0,
    });
  });
});

test('a trace can be read when the process is killed in the middle of a step', async () => {
  const cwd = await tempFolder();
  const simulator = await simulate(LIST, { ...ANSWER, hang: 'before' });
  const { child, finished } = start(runAgainst(simulator, 'Hi', '--trace', 'run.ndjson'), { cwd });
  await until(() => simulator.exchanges.length === 2);
  child.kill('SIGKILL');
  expect((await finished).exitCode).toBeNull();
  expect((await readTrace(cwd)).steps.map((step) => step.kind)).toEqual([
    'assembled',
    'request',
    'response',
    'tool',
    'request',
  ]);
  const inspected = await glassloop(['inspect', 'run.ndjson'], { cwd });
  expect(inspected.exitCode).toBe(0);
  expect(inspected.stderr).toContain('no end step');
});
