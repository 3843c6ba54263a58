import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeTrace } from '../packages/core/src/trace-file.ts';
import { demoModel, openaiChat, type Simulator, startSimulator } from '../packages/simulator/src/index.ts';

/** The examples as a user runs them: built packages, a process of their own, the key in the environment. */

const KEY = 'KEY-SENTINEL-7f3a';

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ wire: openaiChat, respond: demoModel });
  folder = await mkdtemp(join(tmpdir(), 'glassloop-example-'));
});

afterEach(async () => {
  await simulator.close({ force: true });
  await rm(folder, { recursive: true, force: true });
});

test.each(['one-tool', 'traced-run'])('%s answers by way of its tool', async (name) => {
  const { stdout, stderr, exitCode } = await start(name, {
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: simulator.baseURL,
  });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/18/);
  expect(simulator.exchanges).toHaveLength(2);
  expect(simulator.exchanges[1]?.seen?.messages.at(-1)).toMatchObject({
    role: 'tool',
    text: '{"city":"Lisbon","celsius":18,"sky":"clear"}',
  });
});

test('traced-run leaves a whole trace with raw bodies, and no key in it', async () => {
  await start('traced-run', { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: simulator.baseURL });
  const text = await readFile(join(folder, 'run.ndjson'), 'utf8');
  const { steps, problems } = decodeTrace(text);
  expect(problems).toEqual([]);
  expect(steps.map((step) => step.kind)).toEqual([
    'assembled',
    'request',
    'response',
    'tool',
    'request',
    'response',
    'end',
  ]);
  expect(steps.flatMap((step) => (step.kind === 'response' ? [step.raw] : []))).toEqual(
    simulator.exchanges.map((exchange) => exchange.reply?.body),
  );
  expect(text).not.toContain(KEY);
});

test.each(['one-tool', 'traced-run'])('%s says what to set when there is no key', async (name) => {
  const { stderr, exitCode } = await start(name, {});
  expect(stderr).toContain('Set OPENAI_API_KEY');
  expect(exitCode).toBe(1);
});

async function start(name: string, env: Record<string, string>) {
  const program = fileURLToPath(new URL(`./${name}/main.js`, import.meta.url));
  const built = new URL('../packages/openai/dist/index.js', import.meta.url);
  if (!existsSync(built))
    throw new Error('The examples run built packages: run `npx pnpm@10.34.9 build` first.');
  return new Promise<{ stdout: string; stderr: string; exitCode: number }>((resolve) => {
    execFile(
      process.execPath,
      [program],
      { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 20_000 },
      (error, stdout, stderr) =>
        resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code ?? -1) }),
    );
  });
}
