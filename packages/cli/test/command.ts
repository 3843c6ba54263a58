import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DecodedTrace, decodeTrace } from '@glassloop/core/trace-file';
import {
  openaiChat,
  type ScriptedTurn,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@glassloop/simulator';
import { afterEach, beforeAll } from 'vitest';
import { keyValues } from '../src/adapters.ts';
import { Output } from '../src/output.ts';
import { runProgram } from '../src/program.ts';

/** The command, in a folder of its own and with a bare environment: within this process, or as a user starts it. */

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

export const KEY = 'KEY-SENTINEL-7f3a';

beforeAll(() => {
  if (!existsSync(BIN)) {
    throw new Error(
      `${BIN} is missing. These tests run the built command: run \`npx pnpm@10.34.9 build\` first.`,
    );
  }
});

const leftovers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of leftovers.splice(0)) await clean();
});

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'glassloop-cli-'));
  leftovers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function simulate(...turns: readonly ScriptedTurn[]): Promise<Simulator> {
  return simulateWith({ wire: openaiChat, turns });
}

async function simulateWith(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  leftovers.push(() => simulator.close({ force: true }));
  return simulator;
}

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** null: ended by a signal. */
  readonly exitCode: number | null;
}

export interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What has come on stdout and stderr so far. */
  output(): string;
}

export interface Setting {
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  readonly input?: string;
  readonly bin?: string;
}

/** The built command in a process of its own. */
export function start(args: readonly string[], { cwd, env = {}, input = '', bin = BIN }: Setting): Started {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 25_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined).end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (exitCode) => resolve({ stdout, stderr, exitCode }));
  });
  return { child, finished, output: () => stdout + stderr };
}

/**
 * The same command without a process of its own, which takes a tenth of the time: for all that does not depend on
 * signals, pipes, memory or the built files. With `bin` it is started all the same.
 */
export async function glassloop(args: readonly string[], setting: Setting): Promise<Finished> {
  if (setting.bin !== undefined) return start(args, setting).finished;
  const { cwd, env = {}, input = '' } = setting;
  const written = { stdout: '', stderr: '' };
  const streamFor = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const secrets = keyValues(env);
  const exitCode = await runProgram(args, {
    output: new Output({ stdout: streamFor('stdout'), stderr: streamFor('stderr'), env, secrets }),
    env,
    cwd,
    secrets,
    readInput: async () => input,
    onInterrupt: () => () => undefined,
  });
  return { ...written, exitCode };
}

export async function readTrace(folder: string): Promise<DecodedTrace> {
  return decodeTrace(await readFile(join(folder, 'run.ndjson'), 'utf8'));
}

/** The arguments of a run against `simulator`. */
export function runAgainst(simulator: Simulator, prompt: string, ...flags: readonly string[]): string[] {
  return [
    'run',
    prompt,
    '--provider',
    'openai',
    '--model',
    'gpt-4o',
    '--base-url',
    simulator.baseURL,
    '--retries',
    '0',
    ...flags,
  ];
}

/** Waits until `condition` holds, at most ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It did not happen within ten seconds.');
}
