import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { glassloop, tempFolder } from './command.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await tempFolder();
  await writeFile(join(cwd, 'a.txt'), "It's the text of a.");
  const { exitCode } = await glassloop(['demo', '--trace', 'run.ndjson'], { cwd });
  expect(exitCode).toBe(0);
});

describe('replay', () => {
  test('the demo run gives the same trace, also through its adapter', async () => {
    for (const flags of [[], ['--through-adapter']]) {
      const { stdout, exitCode } = await glassloop(
        ['replay', 'run.ndjson', '--trace', 'again.ndjson', ...flags],
        { cwd },
      );
      expect({ exitCode, said: stdout.includes('the same run again') }).toEqual({ exitCode: 0, said: true });
      const { exitCode: differs } = await glassloop(
        ['diff', 'run.ndjson', 'again.ndjson', '--ids', '--opaque'],
        { cwd },
      );
      expect(differs).toBe(0);
    }
  });

  test('names the first request that differs', async () => {
    const { stdout, exitCode } = await glassloop(['replay', 'run.ndjson', '--system', 'Other.', '--json'], {
      cwd,
    });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'diverged',
      divergence: { round: 1, where: 'message', message: 0, path: 'content', new: 'Other.' },
    });
  });

  test('--live-tools executes the tools, and names the result that has changed', async () => {
    await writeFile(join(cwd, 'another.txt'), 'It was not there before.');
    const { stdout } = await glassloop(['replay', 'run.ndjson', '--live-tools', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      divergence: { round: 2, where: 'message', path: 'content' },
    });
  });

  test('--from-round goes on live', async () => {
    const { stdout, exitCode } = await glassloop(
      ['replay', 'run.ndjson', '--from-round', '3', '--provider', 'demo', '--json'],
      { cwd },
    );
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      status: 'live',
      stopReason: 'completed',
    });
  });

  test('a cut trace is replayed as far as it goes', async () => {
    const lines = (await readFile(join(cwd, 'run.ndjson'), 'utf8')).split('\n');
    await writeFile(join(cwd, 'cut.ndjson'), `${lines.slice(0, 6).join('\n')}\n`);
    const { stdout, exitCode } = await glassloop(['replay', 'cut.ndjson'], { cwd });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringContaining('up to here it is the same'),
    });
  });
});

describe('diff', () => {
  test('shows settings, then steps, and exits with 1; --json for machines', async () => {
    const text = await readFile(join(cwd, 'run.ndjson'), 'utf8');
    await writeFile(
      join(cwd, 'b.ndjson'),
      text.replace('"maxRounds":5', '"maxRounds":6').replace('17% of', '18% of'),
    );
    const { stdout, exitCode } = await glassloop(['diff', 'run.ndjson', 'b.ndjson'], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^settings\n {2}settings\.maxRounds\n {4}- 5\n {4}\+ 6\nassembled\n {2}added\[1\]\.content\n/,
    );
    const document = JSON.parse(
      (await glassloop(['diff', 'run.ndjson', 'b.ndjson', '--json'], { cwd })).stdout,
    );
    expect(document).toMatchObject({
      same: false,
      settings: [{ path: 'settings.maxRounds', old: 5, new: 6 }],
    });
    const same = await glassloop(['diff', 'run.ndjson', 'run.ndjson', '--json'], { cwd });
    expect({ exitCode: same.exitCode, ...JSON.parse(same.stdout) }).toEqual({
      exitCode: 0,
      settings: [],
      steps: [],
      same: true,
    });
  });
});

describe('export', () => {
  test.each(['otlp', 'openinference', 'har', 'json'])('writes %s that parses', async (form) => {
    const { stdout, exitCode, stderr } = await glassloop(['export', 'run.ndjson', '--to', form], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(Object.keys(JSON.parse(stdout))).toHaveLength(form === 'json' ? 2 : 1);
  });

  test('writes Markdown to a file that only its owner may read, and not over the trace', async () => {
    expect((await glassloop(['export', 'run.ndjson', '--to', 'md', '-o', 'run.md'], { cwd })).exitCode).toBe(
      0,
    );
    expect(await readFile(join(cwd, 'run.md'), 'utf8')).toMatch(/^# Run [\s\S]*## End: completed/);
    expect((await stat(join(cwd, 'run.md'))).mode & 0o777).toBe(0o600);
    const over = await glassloop(['export', 'run.ndjson', '--to', 'md', '-o', 'run.ndjson'], { cwd });
    expect({ exitCode: over.exitCode, stderr: over.stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('is the trace itself'),
    });
  });

  test('blacks out the values of the key variables', async () => {
    const env = { MISTRAL_API_KEY: "It's the text of a" };
    for (const form of ['otlp', 'openinference', 'har', 'md', 'json']) {
      await glassloop(
        ['export', 'run.ndjson', '--to', form, '-o', form, ...(form.startsWith('o') ? ['--content'] : [])],
        { cwd, env },
      );
      expect(await readFile(join(cwd, form), 'utf8'), form).not.toContain('the text of a');
    }
  });

  test('sends spans to a collector', async () => {
    const received: { url: string | undefined; header: unknown; spans: number }[] = [];
    let status = 200;
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request.setEncoding('utf8')) text += piece;
      const { spans } = JSON.parse(text).resourceSpans[0].scopeSpans[0];
      received.push({ url: request.url, header: request.headers['x-team'], spans: spans.length });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ['export', 'run.ndjson', '--to', 'otlp', '--endpoint', endpoint];
    const { exitCode, stderr } = await glassloop(args, {
      cwd,
      env: { OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b' },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('8 spans sent') });
    expect(received).toEqual([{ url: '/v1/traces', header: 'a b', spans: 8 }]);
    status = 503;
    expect(await glassloop(args, { cwd })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('answered 503'),
    });
    await new Promise((resolve) => server.close(resolve));
    expect(await glassloop(args, { cwd })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('inspect', () => {
  test('--wire shows the request as it was sent', async () => {
    const { stdout } = await glassloop(['inspect', 'run.ndjson', '--round', '2', '--wire'], { cwd });
    expect(stdout).toMatch(/^round 2\nPOST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions\n/);
    expect(stdout).toContain('"model": "demo-model"');
  });

  test('--curl is a command that sends the very bytes', async () => {
    const { stdout } = await glassloop(['inspect', 'run.ndjson', '--round', '3', '--curl'], { cwd });
    const recorded = (await readFile(join(cwd, 'run.ndjson'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const wire = recorded.findLast(({ step }) => step?.kind === 'response').step.metadata._wire;
    expect(wire.body).toContain("It's the text");
    expect(stdout).toContain('--header "authorization: Bearer $KEY"');
    // A shell takes the command apart; printf shows what curl would get.
    const script = stdout.replace(/^curl/m, `printf '%s\\0'`);
    const run = await promisify(execFile)('sh', ['-c', script], {
      env: { KEY: 'sk-1', PATH: process.env['PATH'] },
    });
    const words = run.stdout.split('\0');
    expect(words).toContain('authorization: Bearer sk-1');
    expect(words).toContain(wire.url);
    expect(words[words.indexOf('--data-raw') + 1]).toBe(wire.body);
  });
});
