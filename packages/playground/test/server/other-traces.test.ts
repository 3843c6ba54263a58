import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { describe, expect, it } from 'vitest';
import { foreign, imported, kept, playground, scripted, temporaryFolder } from './helpers.ts';

describe('how long answers of a model usually take', () => {
  const withTimes = (id: string, model: string, ...times: number[]) => {
    let [text, seq] = [
      encodeTraceHeader({ id, startedAt: '2026-01-01T00:00:00.000Z', capturesRaw: false }),
      0,
    ];
    const settings = {
      adapter: 'stage',
      model,
      options: {},
      maxRounds: 1,
      limits: { repeats: 5 },
      retry: { maxRetries: 2, baseDelayMs: 500, maxDelayMs: 60_000 },
      toolConcurrency: 8,
      toolTimeoutMs: 120_000,
    };
    const assembled = { added: [], sources: [], dropped: [], tools: [], warnings: [], settings };
    text += encodeStep({ kind: 'assembled', round: 0, at: 1, ...assembled }, ++seq);
    const message = { role: 'assistant' as const, content: '', toolCalls: [] };
    for (const durationMs of times) {
      const answer = { message, finishReason: 'stop' as const, usage: {}, durationMs };
      text += encodeStep({ kind: 'response', round: seq, at: 1, ...answer }, ++seq);
    }
    return text;
  };

  it('is the middle half of those in the newest runs, and not said of too few', async () => {
    const { contents } = await scripted();
    const folder = temporaryFolder();
    mkdirSync(join(folder, '2026-01-01'));
    const write = (id: string, text: string) =>
      writeFileSync(join(folder, '2026-01-01', `${id}.ndjson`), text);
    write('a', withTimes('a', 'm/1', 4000, 1000, 2000));
    write('b', withTimes('b', 'm/1', 3000, 90_000));
    write('c', withTimes('c', 'other', 1, 1, 1));
    write('d', withTimes('d', 'long', ...Array.from({ length: 500 }, () => 5)));
    const { get, call } = await playground({ contents, history: { folder } });
    // Only what the index holds already counts: nothing is read for it.
    expect(await get('/answer-times?model=m%2F1')).toEqual({ answers: 0 });
    await get('/runs');
    expect(await get('/answer-times?model=m%2F1')).toEqual({ answers: 5, middle: [2000, 4000] });
    expect(await get('/answer-times?model=other')).toEqual({ answers: 3 });
    expect(await get('/answer-times?model=long')).toEqual({ answers: 20, middle: [5, 5] });
    expect((await call('/api/v1/answer-times')).status).toBe(400);
  });

  it('counts runs of this server, too, and summaries from before there were times', async () => {
    const { get, ids, folder } = await kept('1', '2', '3', '4');
    const { answers, middle } = await get('/answer-times?model=gpt-x');
    expect([answers, middle.length]).toEqual([4, 2]);
    const day = join(folder, readdirSync(folder).find((name) => name.startsWith('20'))!);
    const path = join(day, `${ids[0]}.json`);
    const { summary, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
    const { answerMs: _, ...old } = summary;
    writeFileSync(path, JSON.stringify({ ...rest, summary: old }));
    expect(await get('/answer-times?model=gpt-x')).toEqual({ answers: 3 });
  });
});

describe('a trace of a newer version', () => {
  const newer = foreign(2).replace('"version":1', '"version":2');
  const inFolder = async (text: string) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '2026-01-01'));
    const path = join(folder, '2026-01-01', 'theirs.ndjson');
    writeFileSync(path, text);
    const { contents } = await scripted();
    return { ...(await playground({ contents, history: { folder } })), path };
  };

  it('is listed, and shown line by line as it is', async () => {
    const text = `${newer}\n{"type":"end"}\nno JSON ${'x'.repeat(70_000)}`;
    const { get, call, path } = await inFolder(text);
    expect((await get('/runs')).runs).toMatchObject([
      { id: 'theirs', status: 'newer', steps: 0, prompt: '', detail: expect.stringContaining('version 2') },
    ]);
    expect((await get('/runs?status=newer')).total).toBe(1);
    const stream = await (await call('/api/v1/runs/theirs/events?bodies=refs')).text();
    const end = '{"type":"end","seq":4,"t":0,"status":"newer","detail":"';
    expect(stream.slice(0, stream.indexOf(end))).toBe(
      `${newer}{"type":"end"}\nno JSON ${'x'.repeat(70_000)}\n`,
    );
    expect(stream).toContain(end);
    // A reader that comes back gets what it has not seen.
    const rest = await (await call('/api/v1/runs/theirs/events?after=2')).text();
    expect(rest.startsWith('{"type":"end"}\n')).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['GET', '/steps/1'],
    ['GET', '/messages'],
    ['GET', '/blobs/WzEsIm1lc3NhZ2UiXQ'],
    ['POST', '/export', { format: 'html' }],
    ['POST', '/export', { format: 'ndjson', redact: 'none' }],
  ])('is not read by %s %s', async (method, path, json?: unknown) => {
    const { call } = await inFolder(newer);
    const answer = await call(`/api/v1/runs/theirs${path}`, {
      method,
      ...(json === undefined ? {} : { json }),
    });
    const problem = await answer.json();
    expect([answer.status, problem.code, problem.hint]).toEqual([
      422,
      'invalid_trace',
      expect.stringContaining('Update glassloop'),
    ]);
  });

  it('is not taken into the history as if it were of this one', async () => {
    const client = await kept();
    const answer = await imported(client, newer);
    expect([answer.status, (await answer.json()).detail]).toEqual([
      422,
      expect.stringContaining('version 2'),
    ]);
    expect((await client.get('/runs')).total).toBe(0);
  });

  it.each([
    ['no time', { startedAt: undefined }],
    ['a time that is none', { startedAt: 7, capturesRaw: 'yes' }],
    ['a request that is none', { request: 'hello' }],
    ['a request of odd parts', { request: { prompt: 7, model: {}, configuration: [], forkedFrom: 1 } }],
    ['a newer version and odd parts', { version: 9, startedAt: {}, request: [] }],
  ])('or any other with %s in its header does not take the list away', async (_, odd) => {
    const [first, ...rest] = foreign(1).split('\n');
    const { get, call } = await inFolder(
      [JSON.stringify({ ...JSON.parse(first!), ...odd }), ...rest].join('\n'),
    );
    for (let time = 0; time < 2; time++) {
      const { runs } = await get('/runs?q=zzz');
      expect(runs).toEqual([]);
      expect((await get('/runs')).runs).toMatchObject([
        { id: 'theirs', startedAt: expect.stringMatching(/^20/) },
      ]);
    }
    expect((await call('/api/v1/runs/theirs/events')).status).toBe(200);
  });
});
