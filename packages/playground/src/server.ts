/** The playground's HTTP interface as a fetch handler. See the table in README.md. */

import { randomUUID } from 'node:crypto';
import { RunError, type RunStep } from '@glassloop/core';
import { type Context, Hono } from 'hono';
import { catalogOf, EXPORT_FORMATS, MOST_BODY_BYTES, metaOf } from './catalog.ts';
import { answerTimes } from './history/answer-times.ts';
import { pageOf } from './history/query.ts';
import { Assets, NOT_BUILT } from './http/assets.ts';
import { bytesOf, checkType, jsonBody, objectBody } from './http/body.ts';
import { checkHost, checkOrigin, SECURITY_HEADERS } from './http/guard.ts';
import { invalid, ProblemError } from './http/problem.ts';
import type { TokenGate } from './http/token.ts';
import type { PlaygroundContents } from './options.ts';
import type {
  ExportRequest,
  MessagesAnswer,
  Redaction,
  Retention,
  RunDetail,
  RunPatch,
  StartedRun,
  StepAnswer,
  StepLine,
} from './protocol.ts';
import { assemble } from './runs/assemble.ts';
import { blobPlace, blobText, stepWithRefs } from './runs/blobs.ts';
import { eventStream } from './runs/events.ts';
import { readLine } from './runs/lines.ts';
import { addedMessages } from './runs/messages.ts';
import { prepareRun } from './runs/prepare.ts';
import { parseRunRequest } from './runs/run-request.ts';
import type { KnownRun, Runs } from './runs/runs.ts';
import type { Secrets } from './runs/secrets.ts';
import { exportRun } from './share/export.ts';

export interface ServerParts {
  readonly runs: Runs;
  readonly secrets: Secrets;
  readonly gate: TokenGate;
  readonly contents: () => Promise<PlaygroundContents>;
  /** The Host headers that are answered; asked each time, because the port is known late. */
  readonly hosts: () => ReadonlySet<string>;
  readonly trustedHosts: readonly string[];
  readonly version: string;
  readonly retention: Retention;
  readonly runningAtOnce: number;
  readonly log: (line: string) => void;
}

const NDJSON = 'application/x-ndjson; charset=utf-8';
const PATCH_BYTES = 64 * 1024;

export function playgroundServer(parts: ServerParts): (request: Request) => Promise<Response> {
  const { runs, secrets, gate, version, log } = parts;
  const assets = new Assets(new URL('../dist/client/', import.meta.url));
  const app = new Hono<{ Variables: { requestId: string } }>();

  const json = (c: Context, value: unknown, status: 200 | 201 | 202 = 200) =>
    c.body(secrets.clean(JSON.stringify(value)), status, {
      'content-type': 'application/json; charset=utf-8',
    });
  const step = async (run: KnownRun, seq: number): Promise<RunStep> =>
    (JSON.parse(await readLine(run.lines, seq)) as StepLine).step;
  const seqOf = (text: string, run: KnownRun) => {
    const seq = Number(text);
    if (Number.isInteger(seq) && seq >= 1 && seq < run.lines.count) return seq;
    throw new ProblemError('not_found', { detail: `The run has the steps 1 to ${run.lines.count - 1}.` });
  };

  app.use(async (c, next) => {
    c.set('requestId', randomUUID());
    checkHost(c.req.header('host'), parts.hosts());
    checkOrigin(c.req.raw.headers, parts.trustedHosts);
    if (c.req.method === 'OPTIONS') throw new ProblemError('method_not_allowed');
    if (c.req.path === '/api' || c.req.path.startsWith('/api/')) {
      c.header('cache-control', 'no-store');
      await gate.check(c.req.header('authorization') ?? null);
    }
    await next();
  });

  /* The page. It holds no data. */

  const shell = (name: string) => (c: Context) => {
    const asset = assets.get(name) ?? assets.get('index.html');
    c.header('cache-control', 'no-cache');
    if (asset === undefined) return c.html(NOT_BUILT, 503);
    return c.body(asset.body, 200, { 'content-type': asset.type });
  };
  app.get('/', shell('index.html'));
  app.get('/viewer', shell('viewer.html'));
  app.get('/assets/*', (c) => {
    const asset = assets.get(c.req.path.slice(1));
    if (asset === undefined) throw new ProblemError('not_found');
    return c.body(asset.body, 200, {
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });
  app.get('/:name{[a-z-]+\\.(?:js|svg|ico|png)}', (c) => {
    const asset = assets.get(c.req.param('name'));
    if (asset === undefined) throw new ProblemError('not_found');
    return c.body(asset.body, 200, { 'content-type': asset.type, 'cache-control': 'no-cache' });
  });

  /* What there is. */

  app.get('/api/v1/meta', async (c) =>
    json(
      c,
      metaOf({
        version,
        contents: await parts.contents(),
        retention: parts.retention,
        keeps: runs.folder !== undefined,
        runningAtOnce: parts.runningAtOnce,
      }),
    ),
  );
  app.get('/api/v1/catalog', async (c) => json(c, catalogOf(await parts.contents())));

  /* Runs. */

  app.post('/api/v1/assemble', async (c) => {
    const { value } = await jsonBody(c.req.raw, MOST_BODY_BYTES);
    return json(c, await assemble(parseRunRequest(value), await parts.contents()));
  });

  app.post('/api/v1/runs', async (c) => {
    const { text, value } = await jsonBody(c.req.raw, MOST_BODY_BYTES);
    const key = c.req.header('idempotency-key');
    if (key !== undefined && (key === '' || key.length > 200)) {
      throw invalid([{ field: 'Idempotency-Key', rule: '1 to 200 characters.' }]);
    }
    const start = async () => {
      const request = parseRunRequest(value);
      const { run } = await prepareRun(request, await parts.contents());
      return runs.start(run, request);
    };
    const live = await (key === undefined ? start() : runs.once(key, text, start));
    if ((c.req.header('accept') ?? '').includes('application/x-ndjson')) {
      const body = eventStream(
        { lines: live.lines, live, status: live.status },
        { after: -1, refs: false, secrets },
      );
      return c.body(body, 200, { 'content-type': NDJSON, 'cache-control': 'no-store, no-transform' });
    }
    const started: StartedRun = { runId: live.id, events: `/api/v1/runs/${live.id}/events` };
    return json(c, started, 201);
  });

  app.get('/api/v1/runs', async (c) =>
    json(c, pageOf(await runs.summaries(), new URL(c.req.url).searchParams)),
  );

  app.get('/api/v1/answer-times', async (c) => {
    const model = c.req.query('model') ?? '';
    if (model === '') throw invalid([{ field: 'model', rule: 'The name of a model.' }]);
    return json(c, answerTimes(await runs.newestSummaries(), model));
  });

  app.get('/api/v1/runs/:id', async (c) => {
    const { header, summary, rows, problems } = await runs.find(c.req.param('id'));
    return json(c, { header, summary, rows, problems } satisfies RunDetail);
  });

  app.get('/api/v1/runs/:id/events', async (c) => {
    const run = await runs.find(c.req.param('id'));
    const after = Number(c.req.query('after') ?? -1);
    if (!(Number.isInteger(after) && after >= -1)) {
      throw invalid([{ field: 'after', rule: 'The seq of the last line received; -1, or absent, for all.' }]);
    }
    // Lines of a newer version go out as they are.
    const refs = c.req.query('bodies') === 'refs' && run.status !== 'newer';
    c.header('cache-control', 'no-store, no-transform');
    return c.body(eventStream(run, { after, refs, secrets }), 200, { 'content-type': NDJSON });
  });

  app.post('/api/v1/runs/:id/cancel', async (c) => {
    checkType(c.req.raw, 'application/json');
    await runs.cancel(c.req.param('id'));
    return json(c, {}, 202);
  });

  app.get('/api/v1/runs/:id/steps/:seq', async (c) => {
    const run = await runs.findReadable(c.req.param('id'));
    const seq = seqOf(c.req.param('seq'), run);
    const answer: StepAnswer = { seq, step: stepWithRefs(await step(run, seq), seq) as RunStep };
    return json(c, answer);
  });

  app.get('/api/v1/runs/:id/messages', async (c) => {
    const run = await runs.findReadable(c.req.param('id'));
    const all = await addedMessages(run);
    const [from, to] = [Number(c.req.query('from') ?? 0), Number(c.req.query('to') ?? all.length)];
    if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && to >= from)) {
      throw invalid([{ field: 'from', rule: 'Whole numbers, 0 ≤ from ≤ to.' }]);
    }
    return json(c, { from, messages: all.slice(from, to), total: all.length } satisfies MessagesAnswer);
  });

  app.get('/api/v1/runs/:id/blobs/:blob', async (c) => {
    const run = await runs.findReadable(c.req.param('id'));
    const place = blobPlace(c.req.param('blob'));
    const text =
      place === undefined || place.seq >= run.lines.count
        ? undefined
        : blobText(await step(run, place.seq), place.path);
    if (text === undefined) throw new ProblemError('not_found');
    return blobAnswer(c, Buffer.from(secrets.clean(text)));
  });

  app.patch('/api/v1/runs/:id', async (c) => {
    const { value } = await jsonBody(c.req.raw, PATCH_BYTES);
    const patch = objectBody(value, {
      title: (entry) => entry === null || (typeof entry === 'string' && entry.length <= 200),
      note: (entry) => entry === null || (typeof entry === 'string' && entry.length <= 10_000),
      tags: (entry) =>
        Array.isArray(entry) &&
        entry.length <= 50 &&
        entry.every((tag) => typeof tag === 'string' && tag.length <= 100),
      pinned: (entry) => typeof entry === 'boolean',
    });
    return json(c, await runs.patch(c.req.param('id'), patch as RunPatch));
  });

  app.delete('/api/v1/runs/:id', async (c) => {
    await runs.delete(c.req.param('id'));
    return c.body(null, 204);
  });

  /* Files. */

  app.post('/api/v1/runs/:id/export', async (c) => {
    const { value } = await jsonBody(c.req.raw, PATCH_BYTES);
    const { format, redact = 'secrets' } = objectBody(value, {
      format: (entry) => (EXPORT_FORMATS as readonly unknown[]).includes(entry),
      redact: (entry) => ['secrets', 'content', 'none'].includes(entry as string),
    }) as unknown as ExportRequest & { redact?: Redaction };
    if (format === undefined)
      throw invalid([{ field: 'format', rule: `One of ${EXPORT_FORMATS.join(', ')}.` }]);
    const run = await runs.findReadable(c.req.param('id'));
    const { type, extension, body } = await exportRun(run, { format, redact }, version, secrets.list());
    return c.body(typeof body === 'string' ? secrets.clean(body) : body, 200, {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="glassloop-${run.id}.${extension}"`,
    });
  });

  app.post('/api/v1/imports', async (c) => {
    checkType(c.req.raw, 'application/x-ndjson');
    return json(c, await runs.import(bytesOf(c.req.raw)), 201);
  });

  app.notFound(() => {
    throw new ProblemError('not_found');
  });

  app.onError((error, c) => {
    const problem = problemOf(error);
    const requestId = c.get('requestId');
    if (problem.code === 'internal')
      log(secrets.clean(`${requestId} ${c.req.method} ${c.req.path}: ${error.stack}`));
    const body = secrets.clean(JSON.stringify(problem.toProblem(requestId)));
    return new Response(body, {
      status: problem.status,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    });
  });

  return async (request) => {
    const response = await app.fetch(request);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
    return response;
  };
}

/** Anything thrown, as what may be told: a wrong argument that only core could see is a wrong request. */
function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof RunError) return new ProblemError('invalid_request', { detail: error.message });
  if (
    error instanceof TypeError &&
    /^(runLoop|messages|Message|Tool|ToolOptions|assemble)/.test(error.message)
  ) {
    return new ProblemError('invalid_request', { detail: error.message });
  }
  if (error instanceof RangeError && /^(runLoop|ToolOptions)/.test(error.message)) {
    return new ProblemError('invalid_request', { detail: error.message });
  }
  return new ProblemError('internal', { hint: 'The log of the server says more, under this requestId.' });
}

/** Text to save or show as text; never something a browser would run. Answers one range. */
function blobAnswer(c: Context, bytes: Buffer): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment',
    'accept-ranges': 'bytes',
  };
  const range = /^bytes=(\d+)-(\d*)$/.exec(c.req.header('range') ?? '');
  if (range === null) return c.body(new Uint8Array(bytes), 200, headers);
  const start = Number(range[1]);
  const end = Math.min(range[2] === '' ? bytes.length - 1 : Number(range[2]), bytes.length - 1);
  if (start > end) return c.body(null, 416, { 'content-range': `bytes */${bytes.length}` });
  return c.body(new Uint8Array(bytes.subarray(start, end + 1)), 206, {
    ...headers,
    'content-range': `bytes ${start}-${end}/${bytes.length}`,
  });
}
