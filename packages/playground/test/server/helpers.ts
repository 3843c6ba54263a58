import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { openai } from '@glassloop/openai';
import { openaiChat, type ScriptedTurn, startSimulator } from '@glassloop/simulator';
import { onTestFinished } from 'vitest';
import type { PlaygroundContents, PlaygroundOptions, PlaygroundTool } from '../../src/options.ts';
import { type Playground, startPlayground } from '../../src/playground.ts';
import type { RunRequest, StreamLine } from '../../src/protocol.ts';

export const KEY = 'sk-canary-1234567890abcdef';

export const lookUp: PlaygroundTool = {
  tool: defineTool({
    name: 'look_up',
    description: 'Looks a word up.',
    effect: 'reads',
    input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    execute: (input: { word: string }) => `${input.word}: a thing`,
  }),
  group: 'words',
};

const save: PlaygroundTool = {
  tool: defineTool({ name: 'save', description: 'Saves.', execute: () => 'saved' }),
};

/** A provider through the OpenAI adapter and a scripted server. */
export async function scripted(...turns: readonly ScriptedTurn[]) {
  const simulator = await startSimulator({ wire: openaiChat, turns });
  onTestFinished(() => simulator.close({ force: true }));
  const contents: PlaygroundContents = {
    providers: [
      {
        name: 'openai',
        ready: true,
        models: [{ id: 'gpt-x', prices: { fresh: 1, output: 2, asOf: '2026-01-01' } }],
        takesAnyModel: true,
        capabilities: null,
        create: (model) => openai({ model, apiKey: KEY, baseURL: simulator.baseURL }),
      },
      {
        name: 'mistral',
        ready: false,
        notReady: { code: 'no_key', variable: 'MISTRAL_API_KEY', text: 'MISTRAL_API_KEY is not set.' },
        models: [],
        takesAnyModel: true,
        capabilities: null,
        create: () => {
          throw new Error('must not be made');
        },
      },
    ],
    configurations: [
      {
        id: 'ops',
        provider: 'openai',
        model: 'gpt-x',
        systemPrompt: 'Be brief.',
        skills: ['triage'],
        snippets: ['tone'],
        options: { temperature: 0.5, maxTokens: 100 },
        maxRounds: 3,
      },
    ],
    tools: [lookUp, save],
    skills: new Map([['triage', { id: 'triage', name: 'Triage', body: 'First look at the time.' }]]),
    snippets: new Map([
      ['tone', { id: 'tone', name: 'Tone', text: 'Friendly.' }],
      ['legal', { id: 'legal', name: 'Legal', text: 'No promises.' }],
    ]),
  };
  return { simulator, contents };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function playground(options: Partial<PlaygroundOptions> & Pick<PlaygroundOptions, 'contents'>) {
  const server = await startPlayground({ port: 0, version: '0.0.0', secrets: [KEY], ...options });
  onTestFinished(() => server.close());
  return client(server);
}

export type Client = ReturnType<typeof client>;

function client(server: Playground) {
  const headers = { authorization: `Bearer ${server.token}` };
  const call = (path: string, init: RequestInit & { json?: unknown } = {}) => {
    const { json, ...rest } = init;
    return fetch(`${server.origin}${path}`, {
      ...rest,
      headers: {
        ...headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(rest.headers as Record<string, string> | undefined),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  };
  return {
    server,
    call,
    get: async (path: string) => (await call(`/api/v1${path}`)).json(),
    post: async (path: string, json: unknown) => {
      const response = await call(`/api/v1${path}`, { method: 'POST', json });
      return { status: response.status, body: await response.json() };
    },
    /** Starts a run and reads it to its end. */
    run: async (request: RunRequest) => {
      const response = await call('/api/v1/runs', { method: 'POST', json: request });
      const body = await response.json();
      if (response.status !== 201) throw new Error(JSON.stringify(body));
      const id: string = body.runId;
      return { id, lines: await linesOf(await call(`/api/v1/runs/${id}/events`)) };
    },
  };
}

export async function linesOf(response: Response): Promise<StreamLine[]> {
  const text = await response.text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Reads a stream line by line, until `enough` says so; then leaves. */
export async function readUntil(
  response: Response,
  enough: (line: StreamLine) => boolean,
): Promise<StreamLine[]> {
  const lines: StreamLine[] = [];
  let rest = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return lines;
    const parts = (rest + value).split('\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const line = JSON.parse(part) as StreamLine;
      lines.push(line);
      if (enough(line)) {
        await reader.cancel();
        return lines;
      }
    }
  }
}

/** A request with exactly these headers; `fetch` would set its own Host. */
export function raw(
  origin: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method: options.method ?? 'GET',
        headers: { host: `127.0.0.1:${port}`, ...options.headers },
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

/** A playground that has kept a run for each of the answers. */
export async function kept(...says: string[]) {
  const { contents } = await scripted(...says.map((say) => ({ say })));
  const folder = temporaryFolder();
  const client = await playground({ contents, history: { folder } });
  const ids: string[] = [];
  for (const say of says) ids.push((await client.run({ prompt: `Say ${say}`, configuration: 'ops' })).id);
  return { ...client, folder, contents, ids };
}

/** A trace of so many response steps, as another program wrote it. */
export function foreign(steps: number, text = 'x'): string {
  const header = encodeTraceHeader({
    id: 'theirs',
    startedAt: '2026-01-01T00:00:00.000Z',
    capturesRaw: false,
  });
  const message = { role: 'assistant' as const, content: text, toolCalls: [] };
  const lines = Array.from({ length: steps }, (_, index) =>
    encodeStep(
      { kind: 'response', round: index + 1, at: 1, durationMs: 1, message, finishReason: 'stop', usage: {} },
      index + 1,
    ),
  );
  return header + lines.join('');
}

export function imported({ call }: Client, body: string) {
  return call('/api/v1/imports', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
}
