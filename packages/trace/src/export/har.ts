import type { ErrorStep, ResponseStep } from '@glassloop/core';
import { recordedBody } from '../recorded-body.ts';
import {
  type ExportedTrace,
  type ExportOptions,
  ListText,
  redacted,
  type TraceWriter,
  whole,
} from './trace-writer.ts';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** One exchange of HAR 1.2. */
export interface HarEntry {
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly Pair[];
    readonly headers: readonly Pair[];
    readonly queryString: readonly Pair[];
    readonly postData: { readonly mimeType: string; readonly text: string };
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly response: {
    /** 0: there was none. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly Pair[];
    readonly headers: readonly Pair[];
    readonly content: { readonly size: number; readonly mimeType: string; readonly text: string };
    readonly redirectURL: string;
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly cache: Record<string, never>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly comment: string;
}

export interface HarDocument {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

/** What went over the wire, as HAR 1.2: an entry for each request that was recorded as sent. None without raw capture. */
export function toHar(trace: ExportedTrace, options: ExportOptions = {}): HarDocument {
  return JSON.parse(whole(harWriter(options), trace.steps)) as HarDocument;
}

export function harWriter(options: ExportOptions): TraceWriter {
  const list = new ListText();
  let text = '{"log":{"version":"1.2","creator":{"name":"glassloop","version":"1"},"entries":[';
  const begin = () => {
    const begun = text;
    text = '';
    return begun;
  };
  return redacted(
    {
      add: (step) => {
        const entries = step.kind === 'response' || step.kind === 'error' ? entriesOf(step) : [];
        return begin() + list.add(entries);
      },
      end: () => `${begin()}\n]}}\n`,
    },
    options,
  );
}

type Outcome = (ResponseStep | ErrorStep) & { readonly round: number; readonly at: number };

function entriesOf(step: Outcome): readonly HarEntry[] {
  const wire = step.metadata?.['_wire'] as
    | { method?: unknown; url?: unknown; headers?: unknown; body?: unknown }
    | undefined;
  if (typeof wire !== 'object' || wire === null || typeof wire.url !== 'string') return [];
  const body = typeof wire.body === 'string' ? wire.body : '';
  const headers = pairs(wire.headers);
  const answer = step.raw === undefined ? undefined : recordedBody(step.raw);
  const answerText = answer?.pieces.join('') ?? '';
  const status = step.kind === 'response' ? 200 : (step.status ?? 0);
  const wait =
    step.kind === 'response' && step.firstTokenMs !== undefined ? step.firstTokenMs : step.durationMs;
  return [
    {
      startedDateTime: isoTime(step.at - step.durationMs),
      time: step.durationMs,
      request: {
        method: String(wire.method ?? 'POST'),
        url: wire.url,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers,
        queryString: queryOf(wire.url),
        postData: { mimeType: headerOf(headers, 'content-type') ?? 'application/json', text: body },
        headersSize: -1,
        bodySize: utf8Length(body),
      },
      response: {
        status,
        statusText: step.kind === 'response' ? 'OK' : step.code,
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: answer === undefined ? [] : [{ name: 'content-type', value: answer.contentType }],
        content: {
          size: utf8Length(answerText),
          mimeType: answer?.contentType ?? 'x-unknown',
          text: answerText,
        },
        redirectURL: '',
        headersSize: -1,
        bodySize: -1,
      },
      cache: {},
      timings: { send: 0, wait, receive: Math.max(0, step.durationMs - wait) },
      comment: `round ${step.round}`,
    },
  ];
}

function pairs(headers: unknown): Pair[] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
}

function headerOf(headers: readonly Pair[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

function queryOf(url: string): Pair[] {
  try {
    return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
  } catch {
    return [];
  }
}

function isoTime(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15
    ? new Date(ms).toISOString()
    : new Date(0).toISOString();
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
