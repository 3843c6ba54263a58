import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { appendFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Message, RunStep } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { beforeEach, describe, expect, test } from 'vitest';
import { glassloop, tempFolder } from './command.ts';

/** Size of the long traces in MB. The promise is about 200: LONG_TRACE_MB=200 npx vitest run packages/cli/test/long-traces.test.ts */
const MEGABYTES = Number(process.env['LONG_TRACE_MB'] ?? 12);
/** What Node takes with all its garbage, and what the index of a trace of so many MB may take; together 200 MB for 200. */
const MOST_RSS_MB = 130 + 0.35 * MEGABYTES;
const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

let cwd: string;
beforeEach(async () => {
  cwd = await tempFolder();
});

/** What the tool of a round says. */
type Results = (round: number) => string;
const KINDS: Readonly<Record<string, Results>> = {
  'large results': (round) => `line ${round} of "text" with Ünicode\n`.repeat(1500).slice(0, 45_000),
  'tiny steps': String,
};

interface Edits {
  /** Put into the result of so many rounds, from the seventh on. */
  readonly change?: string;
  readonly every?: number;
  /** A call more in this round. */
  readonly extraIn?: number;
}

/** A run with rounds of one call each, written in pieces. */
function writeLongTrace(file: string, results: Results, edits: Edits = {}): void {
  const { change = '', every = Number.POSITIVE_INFINITY, extraIn } = edits;
  const fd = openSync(file, 'w');
  let seq = 0;
  let written = 0;
  let lines = '';
  const flush = (): void => {
    written += writeSync(fd, lines);
    lines = '';
  };
  const put = (step: object): void => {
    lines += encodeStep({ at: 1_772_356_442_000 + seq, ...step } as RunStep, ++seq);
    if (lines.length > 500_000) flush();
  };
  writeSync(fd, encodeTraceHeader({ id: 'long', startedAt: '2026-03-01T09:14:02.113Z', capturesRaw: false }));
  put({
    kind: 'assembled',
    round: 0,
    settings: { adapter: 'openai', model: 'm', options: {}, maxRounds: 1000 },
    added: [{ role: 'user', content: 'Read all of it.' }],
    sources: [{ kind: 'caller', message: 0, bytes: 15 }],
    dropped: [],
    tools: [{ name: 'read', description: 'Reads', parameters: { type: 'object', properties: {} } }],
    warnings: [],
  });
  let added: readonly Message[] = [];
  let length = 1;
  let round = 1;
  for (; written < MEGABYTES * 1e6; round++) {
    length += added.length;
    put({ kind: 'request', round, added, sent: [[0, length]], toolsOffered: ['read'], attempt: 1 });
    const names = round === extraIn ? ['read', 'look'] : ['read'];
    const toolCalls = names.map((name) => ({
      id: `${name}_${round}`,
      name,
      argumentsJson: `{"page":${round}}`,
    }));
    const message: Message = { role: 'assistant', content: '', toolCalls };
    const usage = { promptTokens: round };
    put({ kind: 'response', round, durationMs: 5, message, finishReason: 'tool_calls', usage });
    const result = `${round % every === 7 ? change : ''}${results(round)}`;
    for (const call of toolCalls) put({ kind: 'tool', round, durationMs: 1, call, result, isError: false });
    const answers = toolCalls.map(({ id, name }) => ({
      role: 'tool' as const,
      toolCallId: id,
      toolName: name,
      content: result,
      isError: false,
    }));
    added = [message, ...answers];
  }
  put({
    kind: 'end',
    round,
    durationMs: 9,
    stopReason: 'completed',
    rounds: 1,
    usage: {},
    unpricedRounds: 1,
  });
  flush();
  closeSync(fd);
}

/** Runs the command and watches the memory it takes. */
async function measured(
  args: readonly string[],
): Promise<{ exitCode: number | null; peakMB: number; stderr: string; stdoutBytes: number }> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { PATH: process.env['PATH'] ?? '' } });
  let peakKB = 0;
  const look = (): void => {
    try {
      // The kernel's own high-water mark; nothing between two looks is missed.
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      peakKB = Math.max(peakKB, Number(peak ?? 0));
    } catch {
      // It has ended, or this is no Linux.
    }
  };
  const timer = setInterval(look, 20);
  let stderr = '';
  let stdoutBytes = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.on('data', (bytes: Buffer) => {
    stdoutBytes += bytes.length;
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(timer);
  return { exitCode, peakMB: peakKB / 1024, stderr, stdoutBytes };
}

const isLinux = process.platform === 'linux';

describe.each(Object.entries(KINDS))(`a trace of ${MEGABYTES} MB, %s`, (_, results) => {
  test.skipIf(!isLinux)(
    `is inspected, compared and exported in ${MOST_RSS_MB} MB of memory`,
    { timeout: 900_000 },
    async () => {
      writeLongTrace(join(cwd, 'a.ndjson'), results);
      writeLongTrace(join(cwd, 'changed.ndjson'), results, { change: 'else ' });
      writeLongTrace(join(cwd, 'often.ndjson'), results, { change: 'else ', every: 50 });
      writeLongTrace(join(cwd, 'longer.ndjson'), results, { extraIn: 40, change: 'else ', every: 50 });
      expect((await stat(join(cwd, 'a.ndjson'))).size).toBeGreaterThan(MEGABYTES * 0.99e6);
      const commands: readonly (readonly [readonly string[], number])[] = [
        [['inspect', 'a.ndjson'], 0],
        [['inspect', 'a.ndjson', '--json'], 0],
        [['inspect', 'a.ndjson', '--round', '50', '--full'], 0],
        [['diff', 'a.ndjson', 'changed.ndjson'], 1],
        [['diff', 'a.ndjson', 'often.ndjson', '--json'], 1],
        [['diff', 'a.ndjson', 'longer.ndjson'], 1],
        [['export', 'a.ndjson', '--to', 'otlp', '--content', '-o', 'otlp.json'], 0],
        [['export', 'a.ndjson', '--to', 'openinference'], 0],
        [['export', 'a.ndjson', '--to', 'har', '-o', 'out.har'], 0],
        [['export', 'a.ndjson', '--to', 'md', '-o', 'out.md'], 0],
        [['export', 'a.ndjson', '--to', 'json', '--redact', 'content', '-o', 'out.json'], 0],
        [['export', 'a.ndjson', '--to', 'json'], 0],
      ];
      for (const [args, expected] of commands) {
        const { exitCode, peakMB, stderr } = await measured(args);
        expect(exitCode, `${args.join(' ')}: ${stderr}`).toBe(expected);
        expect(peakMB, args.join(' ')).toBeGreaterThan(20);
        expect(peakMB, args.join(' ')).toBeLessThanOrEqual(MOST_RSS_MB);
        if (process.env['LONG_TRACE_MB'] !== undefined)
          console.log(`${args.join(' ')}: ${Math.round(peakMB)} MB`);
      }
    },
  );
});

describe('a file that is not whole', () => {
  const small = async (edit: (text: string) => string): Promise<void> => {
    const added: Message[] = [{ role: 'user', content: 'Hi' }];
    const settings = { adapter: 'openai', model: 'm', options: {}, maxRounds: 5 };
    const steps = [
      {
        kind: 'assembled',
        round: 0,
        at: 1,
        settings,
        added,
        sources: [],
        dropped: [],
        tools: [],
        warnings: [],
      },
      { kind: 'request', round: 1, at: 2, added: [], sent: [[0, 1]], toolsOffered: [], attempt: 1 },
      {
        kind: 'response',
        round: 1,
        at: 3,
        durationMs: 1,
        message: { role: 'assistant', content: 'Ho', toolCalls: [] },
        finishReason: 'stop',
        usage: {},
      },
      {
        kind: 'end',
        round: 1,
        at: 4,
        durationMs: 3,
        stopReason: 'completed',
        rounds: 1,
        usage: {},
        unpricedRounds: 1,
      },
    ] as unknown as RunStep[];
    const header = encodeTraceHeader({
      id: 'small',
      startedAt: '2026-03-01T09:14:02.113Z',
      capturesRaw: false,
    });
    await writeFile(
      join(cwd, 'run.ndjson'),
      edit(header + steps.map((step, at) => encodeStep(step, at + 1)).join('')),
    );
  };

  test.each([
    ['cut', (text: string) => text.slice(0, -20), 'line 5: The file ends in the middle of a step'],
    [
      'edited',
      (text: string) => text.replace('{"type":"step","seq":2', '{"type":"step,"seq":2'),
      'line 3: This line is no JSON',
    ],
    ['newer', (text: string) => text.replace('"version":1', '"version":9'), 'line 1: Written in version 9'],
    [
      'with a step kind of tomorrow',
      (text: string) => text.replace('"kind":"response"', '"kind":"thought"'),
      'line 4: Unknown step kind "thought"',
    ],
  ])('%s: is opened as far as it goes, with line numbers', async (_, edit, problem) => {
    await small(edit);
    for (const args of [
      ['inspect', 'run.ndjson'],
      ['diff', 'run.ndjson', 'run.ndjson'],
      ['export', 'run.ndjson', '--to', 'otlp'],
      ['export', 'run.ndjson', '--to', 'md'],
    ]) {
      const { exitCode, stderr, stdout } = await glassloop(args, { cwd });
      expect({ args, exitCode }).toEqual({ args, exitCode: 0 });
      expect(stderr).toContain(problem);
      expect(stdout).not.toBe('');
    }
  });

  test('a line longer than any step is left out and named', { timeout: 60_000 }, async () => {
    await small((text) => text);
    await appendFile(join(cwd, 'run.ndjson'), `{"type":"step","seq":5,"step":"${'x'.repeat(40_000_000)}"}\n`);
    const { exitCode, stderr } = await glassloop(['inspect', 'run.ndjson'], { cwd });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/line 6: This line is 40 MB long/),
    });
  });

  test('no trace at all is a failure, and says so', async () => {
    await writeFile(join(cwd, 'run.ndjson'), 'Dear diary\n');
    for (const [args, code] of [
      [['inspect', 'run.ndjson'], 1],
      [['export', 'run.ndjson', '--to', 'json'], 1],
      [['diff', 'run.ndjson', 'run.ndjson'], 2],
      [['diff', 'nowhere.ndjson', 'run.ndjson'], 2],
    ] as const) {
      const { exitCode, stderr } = await glassloop(args, { cwd });
      expect({ args, exitCode }).toEqual({ args, exitCode: code });
      expect(stderr).toMatch(/no trace of glassloop|no such file/);
    }
  });
});
