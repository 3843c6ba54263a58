import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTrace } from '@glassloop/core/trace-file';
import { describe, expect, it } from 'vitest';
import type { StepLine } from '../../src/protocol.ts';
import { linesOf, playground, readUntil, scripted, temporaryFolder } from './helpers.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a run', () => {
  it('is streamed as its trace file, with what only exists live in between, and kept', async () => {
    const { contents } = await scripted(
      { callTools: [{ name: 'look_up', arguments: { word: 'owl' } }] },
      { say: 'An owl is a thing.' },
    );
    const folder = temporaryFolder();
    const { run, get, server } = await playground({ contents, history: { folder } });
    const { id, lines } = await run({ configuration: 'ops', prompt: 'What is an owl?' });
    const kinds = lines.map((line) => (line.type === 'step' ? line.step.kind : line.type));
    expect(kinds.filter((kind) => !['delta', 'running'].includes(kind))).toEqual([
      'run',
      'assembled',
      'request',
      'response',
      'tool',
      'request',
      'response',
      'end',
      'end',
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'completed', seq: 7 });
    await wait(50);
    const day = new Date().toISOString().slice(0, 10);
    const file = join(folder, day, `${id}.ndjson`);
    const saved = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    expect(saved.map((line) => JSON.parse(line))).toEqual(
      lines.filter((line) => line.type === 'run' || line.type === 'step'),
    );
    expect(decodeTrace(readFileSync(file, 'utf8')).problems).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const { runs } = await get('/runs');
    expect(runs).toMatchObject([
      { id, status: 'completed', rounds: 2, toolCalls: 1, kept: true, configuration: 'ops' },
    ]);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}$/);
  });

  it('streams at once when asked by Accept', async () => {
    const { contents } = await scripted({ say: 'Hello there.' });
    const { call } = await playground({ contents });
    const response = await call('/api/v1/runs', {
      method: 'POST',
      json: { prompt: 'hi' },
      headers: { accept: 'application/x-ndjson' },
    });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = await linesOf(response);
    expect(lines[0]).toMatchObject({ type: 'run', seq: 0, request: { prompt: 'hi' } });
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'completed' });
    expect(existsSync('runs')).toBe(false);
  });

  it('shows pieces of the answer before the answer, joined, and again to whoever comes back', async () => {
    const { contents } = await scripted({
      say: 'Slowly, slowly, this text comes.',
      splitBytes: 40,
      hang: 'midway',
    });
    const { call, post } = await playground({ contents });
    const { body } = await post('/runs', { prompt: 'hi' });
    // Nothing is received after the first chunk, so the run waits until it is cancelled.
    const first = await readUntil(
      await call(body.events),
      (line) => line.type === 'step' && line.step.kind === 'request',
    );
    expect(first.at(-1)).toMatchObject({ type: 'step' });
    const cancelled = await post(`/runs/${body.runId}/cancel`, {});
    expect(cancelled.status).toBe(202);
    const rest = await linesOf(await call(`${body.events}?after=2`));
    expect(rest.at(-1)).toMatchObject({ type: 'end', status: 'aborted' });
    expect((rest[0] as StepLine).seq).toBe(3);
  });
});
