/** The server's API, with the token in a header. */

import { signal } from '@preact/signals';
import type {
  AnswerTimes,
  AssembleAnswer,
  Catalog,
  ExportRequest,
  ImportAnswer,
  MessagesAnswer,
  Meta,
  Problem,
  RunDetail,
  RunPatch,
  RunRequest,
  RunsPage,
  StartedRun,
  StepAnswer,
} from '../protocol.ts';
import { token } from './token.ts';

/** Set when the server does not take the token: the page locks itself. */
export const isLocked = signal(false);

/** What the server answered instead of what was asked for. */
export class ApiProblem extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiProblem';
    this.problem = problem;
  }
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token()}`);
  if (typeof init.body === 'string' && !headers.has('content-type'))
    headers.set('content-type', 'application/json');
  const response = await fetch(`/api/v1${path}`, {
    ...init,
    headers,
    credentials: 'omit',
    cache: 'no-store',
  });
  if (response.status === 401) isLocked.value = true;
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  const known = (await response.json().catch(() => undefined)) as Problem | undefined;
  if (typeof known?.code === 'string') return known;
  return {
    type: 'about:blank',
    title: `HTTP ${response.status}`,
    status: response.status,
    code: 'internal',
    requestId: '',
  };
}

async function json<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  return (await send(path, init)).json() as Promise<Answer>;
}

function post(body: unknown, init: RequestInit = {}): RequestInit {
  return { ...init, method: 'POST', body: JSON.stringify(body) };
}

export const api = {
  meta: () => json<Meta>('/meta'),
  catalog: () => json<Catalog>('/catalog'),
  assemble: (request: RunRequest, signal: AbortSignal) =>
    json<AssembleAnswer>('/assemble', post(request, { signal })),
  start: (request: RunRequest, key: string) =>
    json<StartedRun>('/runs', post(request, { headers: { 'idempotency-key': key } })),
  cancel: (id: string) => send(`/runs/${encodeURIComponent(id)}/cancel`, post({})),
  runs: (query: URLSearchParams, signal?: AbortSignal) =>
    json<RunsPage>(`/runs?${query}`, signal === undefined ? {} : { signal }),
  answerTimes: (model: string) => json<AnswerTimes>(`/answer-times?model=${encodeURIComponent(model)}`),
  run: (id: string) => json<RunDetail>(`/runs/${encodeURIComponent(id)}`),
  /** Whole, but for values over 64 KB. */
  step: async <Step>(id: string, seq: number) =>
    (await json<StepAnswer>(`/runs/${encodeURIComponent(id)}/steps/${seq}`)).step as unknown as Step,
  messages: (id: string) => json<MessagesAnswer>(`/runs/${encodeURIComponent(id)}/messages`),
  patch: (id: string, patch: RunPatch) =>
    send(`/runs/${encodeURIComponent(id)}`, { method: 'PATCH', body: JSON.stringify(patch) }),
  remove: (id: string) => send(`/runs/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  /** `after`: seq of the last line that is known; undefined: none is. */
  events: (id: string, after: number | undefined, signal: AbortSignal) =>
    send(
      `/runs/${encodeURIComponent(id)}/events?${after === undefined ? '' : `after=${after}&`}bodies=refs`,
      {
        signal,
        headers: { accept: 'application/x-ndjson' },
      },
    ),
  blob: async (id: string, hash: string) =>
    (await send(`/runs/${encodeURIComponent(id)}/blobs/${encodeURIComponent(hash)}`)).text(),
  export: async (id: string, request: ExportRequest) =>
    (await send(`/runs/${encodeURIComponent(id)}/export`, post(request))).blob(),
  import: (body: Blob) =>
    json<ImportAnswer>('/imports', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-ndjson' },
    }),
};
