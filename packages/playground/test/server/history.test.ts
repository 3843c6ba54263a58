import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { EndStep, RunStep } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { describe, expect, it } from 'vitest';
import { surplus } from '../../src/history/retention.ts';
import { type BlobRef, REPORT_PLACEHOLDER, type RunSummary } from '../../src/protocol.ts';
import { depthOf } from '../../src/share/import.ts';
import { reportOfTrace } from '../../src/share/report.ts';
import { foreign, imported, kept, linesOf, playground, scripted, temporaryFolder } from './helpers.ts';

describe('history', () => {
  it('is there again after a restart; a run without an end is interrupted', async () => {
    const { folder, contents, server, ids } = await kept('one', 'two');
    await server.close();
    const day = join(folder, readdirSync(folder).find((name) => name.startsWith('20'))!);
    const whole = readFileSync(join(day, `${ids[0]}.ndjson`), 'utf8').split('\n');
    writeFileSync(join(day, 'cut.ndjson'), `${whole.slice(0, 3).join('\n')}\n${whole[3]!.slice(0, 40)}`);
    const { get, call } = await playground({ contents, history: { folder } });
    const { runs, total } = await get('/runs');
    expect(total).toBe(3);
    expect(runs.map(({ id, status }: RunSummary) => [id, status]).sort()).toEqual(
      [
        [ids[0], 'completed'],
        [ids[1], 'completed'],
        ['cut', 'interrupted'],
      ].sort(),
    );
    const lines = await linesOf(await call('/api/v1/runs/cut/events'));
    expect(lines.map(({ type, seq }) => [type, seq])).toEqual([
      ['run', 0],
      ['step', 1],
      ['step', 2],
      ['end', 2],
    ]);
    expect(lines.at(-1)).toMatchObject({ status: 'interrupted', detail: expect.stringContaining('no end') });
    expect((await get('/runs/cut')).problems).toMatchObject([
      { line: 4, message: 'The file ends in the middle of a step.' },
      { message: expect.stringContaining('no end step') },
    ]);
  });

  it('finds, pages and tells what it cannot read', async () => {
    const { get, call, ids } = await kept('alpha', 'beta', 'gamma');
    const page = await get('/runs?limit=2');
    expect([page.runs.length, page.total, page.all.runs, page.all.bytes > 1000]).toEqual([2, 3, 3, true]);
    const rest = await get(`/runs?limit=2&cursor=${page.nextCursor}`);
    expect(rest.runs.map(({ id }: RunSummary) => id)).toEqual([ids[0]]);
    expect(rest.nextCursor).toBeUndefined();
    expect((await get('/runs?q=say%20BETA')).runs.map(({ id }: RunSummary) => id)).toEqual([ids[1]]);
    expect((await get('/runs?status=failed')).total).toBe(0);
    expect((await get('/runs?model=gpt-x&status=completed')).total).toBe(3);
    expect((await get('/runs?tool=look_up')).total).toBe(0);
    expect((await get('/runs?to=2020-01-01')).total).toBe(0);
    expect((await get(`/runs?from=${new Date().toISOString().slice(0, 10)}`)).total).toBe(3);
    const wrong = await call('/api/v1/runs?limit=0&from=x&status=fine');
    const { fields } = await wrong.json();
    expect(fields.map(({ field }: { field: string }) => field)).toEqual(['limit', 'from', 'status']);
    const turned = await call('/api/v1/runs?from=2026-02-01&to=2026-01-01');
    expect([turned.status, (await turned.json()).fields[0].field]).toEqual([400, 'from']);
  });

  describe('filters', () => {
    const made = (id: string, facts: { model: string; tool?: string; at: string; stop?: string }) => {
      const at = Date.parse(facts.at);
      const steps: RunStep[] = [
        {
          kind: 'assembled',
          round: 0,
          at,
          settings: {
            adapter: 'stage',
            model: facts.model,
            options: {},
            maxRounds: 1,
            limits: { repeats: 5 },
            retry: { maxRetries: 2, baseDelayMs: 500, maxDelayMs: 60_000 },
            toolConcurrency: 8,
            toolTimeoutMs: 120_000,
          },
          added: [{ role: 'user', content: `prompt of ${id}` }],
          sources: [],
          dropped: [],
          tools: [],
          warnings: [],
        },
      ];
      if (facts.tool !== undefined) {
        const call = { id: 'c', name: facts.tool, argumentsJson: '{}' };
        steps.push({ kind: 'tool', round: 1, at, durationMs: 1, call, result: 'x', isError: false });
      }
      if (facts.stop !== undefined) {
        const end = { round: 1, at, durationMs: 1, rounds: 1, usage: {}, unpricedRounds: 0 };
        steps.push({ kind: 'end', stopReason: facts.stop as EndStep['stopReason'], ...end });
      }
      const header = encodeTraceHeader({ id, startedAt: facts.at, capturesRaw: false });
      return header + steps.map((step, index) => encodeStep(step, index + 1)).join('');
    };
    const FOLDER = {
      a: made('a', { model: 'small', tool: 'read', at: '2026-01-01T23:59:59.999Z', stop: 'completed' }),
      b: made('b', { model: 'large', tool: 'read', at: '2026-01-02T00:00:00.000Z', stop: 'failed' }),
      c: made('c', { model: 'large', tool: 'write', at: '2026-01-02T23:59:59.999Z', stop: 'repeat' }),
      d: made('d', { model: 'small', at: '2026-01-03T00:00:00.000Z' }),
    };

    it.each([
      ['', 'dcba'],
      ['status=completed', 'a'],
      ['status=interrupted', 'd'],
      ['status=repeat&status=failed', 'cb'],
      ['model=small', 'da'],
      ['model=smal', ''],
      ['model=small&model=large', 'dcba'],
      ['tool=read', 'ba'],
      ['tool=write&tool=read', 'cba'],
      ['from=2026-01-02', 'dcb'],
      ['to=2026-01-02', 'cba'],
      ['from=2026-01-02&to=2026-01-02', 'cb'],
      ['from=2026-01-02T12:00:00Z&to=2026-01-03T00:00:00Z', 'dc'],
      ['model=large&tool=read&status=failed&from=2026-01-01&to=2026-01-05&q=prompt', 'b'],
      ['model=large&tool=read&status=completed', ''],
      ['status=&model=&tool=&from=&to=&q=', 'dcba'],
    ])('%s', async (query, ids) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, '2026-01-01'));
      for (const [id, text] of Object.entries(FOLDER))
        writeFileSync(join(folder, '2026-01-01', `${id}.ndjson`), text);
      const { contents } = await scripted();
      const { get } = await playground({ contents, history: { folder, maxDays: 36_500 } });
      const page = await get(`/runs?${query}`);
      expect(page.runs.map(({ id }: RunSummary) => id).join('')).toBe(ids);
      expect(page.total).toBe(ids.length);
      expect(page.all).toMatchObject({ runs: 4, models: ['large', 'small'], tools: ['read', 'write'] });
      // By pages of one, and from the index that is written the first time.
      let [seen, cursor] = ['', ''];
      do {
        const next = await get(`/runs?${query}&limit=1&cursor=${cursor}`);
        seen += next.runs.map(({ id }: RunSummary) => id).join('');
        cursor = next.nextCursor ?? '';
      } while (cursor !== '');
      expect(seen).toBe(ids);
    });
  });

  it('keeps title, note, tags and pin; deletes for good', async () => {
    const { get, call, ids, folder, server, contents } = await kept('one');
    const patch = { title: 'A title', note: 'a note', tags: ['x'], pinned: true };
    const path = `/api/v1/runs/${ids[0]}`;
    expect(await (await call(path, { method: 'PATCH', json: patch })).json()).toMatchObject(patch);
    expect((await call(path, { method: 'PATCH', json: { tittle: 'x' } })).status).toBe(400);
    await call(path, { method: 'PATCH', json: { note: null } });
    await server.close();
    const again = await playground({ contents, history: { folder } });
    const { runs } = await again.get('/runs');
    expect(runs).toMatchObject([{ title: 'A title', tags: ['x'], pinned: true }]);
    expect(runs[0]).not.toHaveProperty('note');
    expect((await again.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await again.call(path)).status).toBe(410);
    expect((await again.get('/runs')).total).toBe(0);
    expect((await get('/runs').catch(() => undefined)) ?? 'closed').toBe('closed');
  });

  it('keeps nothing on disk when asked', async () => {
    const { get, folder } = await kept();
    const { contents } = await scripted({ say: 'x' });
    const other = await playground({ contents, history: { folder } });
    const { id } = await other.run({ prompt: 'secret', keep: false });
    expect((await other.get(`/runs/${id}`)).summary).toMatchObject({ kept: false, status: 'completed' });
    expect(readdirSync(folder)).toEqual(['.gitignore']);
    expect((await get('/runs')).total).toBe(0);
  });

  it('shows no file through a link', async () => {
    const { contents } = await scripted();
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'theirs.ndjson'), foreign(1));
    mkdirSync(join(outside, '2026-01-02'));
    writeFileSync(join(outside, '2026-01-02', 'more.ndjson'), foreign(1));
    mkdirSync(join(folder, '2026-01-01'));
    symlinkSync(join(outside, 'theirs.ndjson'), join(folder, '2026-01-01', 'theirs.ndjson'));
    symlinkSync(join(outside, '2026-01-02'), join(folder, '2026-01-02'));
    const { get, call } = await playground({ contents, history: { folder } });
    expect((await get('/runs')).total).toBe(0);
    expect((await call('/api/v1/runs/theirs')).status).toBe(404);
    expect((await call('/api/v1/runs/more')).status).toBe(404);
  });

  it('forgets by count, age and size, oldest first, but nothing pinned', () => {
    const day = 86_400_000;
    const now = 100 * day;
    const file = (id: string, age: number, pinned = false) => ({
      file: { id, path: id, bytes: 10, changedAt: now - age * day },
      pinned,
    });
    const files = [file('d', 40, true), file('a', 1), file('c', 30), file('b', 2)];
    const gone = (limits: object) =>
      surplus(files, { maxRuns: 100, maxDays: 100, maxBytes: 1000, ...limits }, now).map(({ id }) => id);
    expect(gone({})).toEqual([]);
    expect(gone({ maxRuns: 1 })).toEqual(['b', 'c']);
    expect(gone({ maxDays: 10 })).toEqual(['c']);
    expect(gone({ maxBytes: 25 })).toEqual(['c']);
  });

  it('old runs are gone when the server starts', async () => {
    const { folder, server, contents, ids } = await kept('one', 'two');
    await server.close();
    const day = join(folder, readdirSync(folder).find((name) => name.startsWith('20'))!);
    utimesSync(join(day, `${ids[0]}.ndjson`), 1, 1);
    const { get, call } = await playground({ contents, history: { folder, maxDays: 1 } });
    expect((await get('/runs')).runs.map(({ id }: RunSummary) => id)).toEqual([ids[1]]);
    expect((await call(`/api/v1/runs/${ids[0]}`)).status).toBe(410);
  });
});

describe('bodies', () => {
  it('over 64 KB are left out of a step and fetched by range', async () => {
    const long = 'äöü'.repeat(30_000);
    const { get, call, ids } = await kept(long);
    const { step } = await get(`/runs/${ids[0]}/steps/3`);
    const ref: BlobRef = step.message.content;
    expect(ref).toMatchObject({ bytes: 180_000, is: 'text', head: long.slice(0, 2000) });
    const blob = await call(`/api/v1/runs/${ids[0]}/blobs/${ref.$blob}`);
    expect(Object.fromEntries(blob.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment',
    });
    expect(await blob.text()).toBe(long);
    const part = await call(`/api/v1/runs/${ids[0]}/blobs/${ref.$blob}`, { headers: { range: 'bytes=0-5' } });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      'äöü',
      'bytes 0-5/180000',
    ]);
    expect((await call(`/api/v1/runs/${ids[0]}/blobs/nothing`)).status).toBe(404);
    const [lines, whole] = await Promise.all(
      ['?bodies=refs', ''].map(async (query) => (await call(`/api/v1/runs/${ids[0]}/events${query}`)).text()),
    );
    // The header keeps what was asked, whole.
    expect(lines!.length).toBeLessThan(110_000);
    expect(whole!.length).toBeGreaterThan(270_000);
  });

  it('messages come by ranges of the whole list', async () => {
    const { get, call, ids } = await kept('one');
    const all = await get(`/runs/${ids[0]}/messages`);
    expect(all.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    expect(await get(`/runs/${ids[0]}/messages?from=1&to=2`)).toEqual({
      from: 1,
      total: 2,
      messages: [all.messages[1]],
    });
    expect((await call(`/api/v1/runs/${ids[0]}/messages?from=2&to=1`)).status).toBe(400);
  });
});

describe('import', () => {
  it('makes a run of a foreign trace, and says what it left out', async () => {
    const client = await kept();
    const answer = await imported(client, `${foreign(3)}{"type":"new"}\nno json\n`);
    expect(answer.status).toBe(201);
    const { runId, problems } = await answer.json();
    expect(problems.map(({ line }: { line: number }) => line)).toEqual([5, 6, 6]);
    const lines = await linesOf(await client.call(`/api/v1/runs/${runId}/events`));
    expect(lines.map(({ type, seq }) => `${type} ${seq}`)).toEqual([
      'run 0',
      'step 1',
      'step 2',
      'step 3',
      'end 3',
    ]);
    expect(lines[0]).toMatchObject({ id: runId });
  });

  it.each([
    ['no trace', '{"a":1}\n', 422, 'invalid_trace'],
    ['nothing', '', 422, 'invalid_trace'],
    ['a step first', foreign(1).split('\n').slice(1).join('\n'), 422, 'invalid_trace'],
    [
      'a deep line',
      `${foreign(0)}{"type":"step","seq":1,"step":${'['.repeat(300)}${']'.repeat(300)}}\n`,
      413,
      'too_large',
    ],
    ['a long line', `${foreign(0)}"${'x'.repeat(33 * 1024 * 1024)}"\n`, 413, 'too_large'],
  ])('refuses %s, and keeps nothing of it', async (_, body, status, code) => {
    const client = await kept();
    const answer = await imported(client, body);
    expect([answer.status, (await answer.json()).code]).toEqual([status, code]);
    expect((await client.get('/runs')).total).toBe(0);
  });

  it('leaves keys of objects alone that would change objects', async () => {
    const client = await kept();
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const line = `{"type":"step","seq":1,"step":{"kind":"error","round":1,"at":1,"durationMs":1,"code":"internal","message":"m","raw":${evil}}}\n`;
    const { runId } = await (await imported(client, foreign(0) + line)).json();
    const text = await (await client.call(`/api/v1/runs/${runId}/steps/1`)).text();
    expect(text).toContain('"__proto__":{"polluted":1}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('depth is counted without parsing', () => {
    expect(depthOf('{"a":[1,{"b":"[[[\\"[["}]}')).toBe(3);
    expect(depthOf('"{"')).toBe(0);
  });
});

describe('reports', () => {
  const template = `<html><script type="application/json" id="glassloop-report">${REPORT_PLACEHOLDER}</script></html>`;

  it('hold the trace, packed and redacted', () => {
    const key = 'sk-ant-0123456789abcdefghij';
    const html = reportOfTrace(foreign(2, `the key ${key}`), {
      version: '1',
      template,
      name: '</script><b>',
    });
    const json = /id="glassloop-report">(.*)<\/script><\/html>$/.exec(html)![1]!;
    expect(json).not.toContain('<');
    const data = JSON.parse(json);
    expect(data).toMatchObject({ redaction: 'secrets', version: '1', name: '</script><b>' });
    const trace = gunzipSync(Buffer.from(data.gzip, 'base64')).toString();
    expect(trace.split('\n')).toHaveLength(4);
    expect(Buffer.byteLength(trace)).toBe(data.bytes);
    expect(trace).not.toContain(key);
    const open = reportOfTrace(foreign(2, key), { version: '1', template, redact: 'none' });
    const packed = JSON.parse(/report">(.*)<\/script><\/html>$/.exec(open)![1]!).gzip;
    expect(gunzipSync(Buffer.from(packed, 'base64')).toString()).toContain(key);
  });

  it('refuse what is no trace', () => {
    expect(() => reportOfTrace('{}', { version: '1', template })).toThrow(/no header/);
  });
});

it('a file that grows under another program is read anew', async () => {
  const { contents } = await scripted();
  const folder = temporaryFolder();
  const { get } = await playground({ contents, history: { folder } });
  mkdirSync(join(folder, '2026-01-01'));
  const path = join(folder, '2026-01-01', 'theirs.ndjson');
  writeFileSync(path, foreign(1));
  expect((await get('/runs')).runs).toMatchObject([{ id: 'theirs', steps: 1, status: 'interrupted' }]);
  appendFileSync(path, foreign(2).split('\n')[2]!);
  expect((await get('/runs')).runs).toMatchObject([{ steps: 2 }]);
});
