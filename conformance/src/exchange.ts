/** Recorded exchanges with real providers: one JSON file each, `FOLDER/PROVIDER/ID.json`. The format: docs/exchanges.md. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type RecordedProvider =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'mistral'
  | 'groq'
  | 'openrouter'
  | 'ollama';

export interface RecordedExchange {
  readonly id: string;
  readonly provider: RecordedProvider;
  /** What it shows, such as `stream`, `tool_call`, `error_400`. */
  readonly kind: readonly string[];
  /** Its place in one real conversation, counted from 1. */
  readonly conversation: { readonly id: string; readonly index: number; readonly count: number } | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: { readonly [name: string]: string };
    /** The decoded JSON; null where only the answer was kept. */
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    /** null where the recorder dropped the headers. */
    readonly contentType: string | null;
    readonly headers?: { readonly [name: string]: string };
    readonly framing: 'json' | 'sse' | 'ndjson' | 'json-array' | 'text';
    /** How far `bodyText` is the provider's own, byte for byte: `exact` is. */
    readonly fidelity: string;
    readonly bodyText: string;
  };
  /** What a correct reader gets out of `bodyText`, as the provider counts and names it; null: nobody has said. */
  readonly expected: RecordedExpectation | null;
}

export interface RecordedExpectation {
  readonly content: string | null;
  readonly thinking: string | null;
  readonly finishReason: string | null;
  readonly toolCalls: readonly {
    readonly id: string | null;
    readonly name: string;
    readonly arguments: unknown;
    readonly argumentsText?: string;
  }[];
  readonly usage: {
    readonly prompt: number | null;
    readonly completion: number | null;
    readonly total: number | null;
    readonly cached: number | null;
    readonly reasoning: number | null;
    readonly cacheCreation?: number | null;
    readonly cost?: number | null;
  } | null;
  readonly model: string | null;
  /** What the model said instead of an answer, where that has a field of its own. */
  readonly refusal?: string | null;
  /** A call in the shape that was there before tools. */
  readonly legacyFunctionCall?: { readonly name: string; readonly arguments: unknown } | null;
  readonly error: { readonly message?: string | null; readonly [fact: string]: unknown } | null;
}

/** All exchanges below a folder, by id. None when there is no such folder. */
export function readExchanges(folder: string): RecordedExchange[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as RecordedExchange)
    .filter((exchange) => typeof exchange.id === 'string' && typeof exchange.response?.bodyText === 'string')
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Those that an adapter must be able to have. Ollama's OpenAI-compatible side is served to the `openai` adapter. */
export function exchangesFor(
  adapterName: string,
  exchanges: readonly RecordedExchange[],
): RecordedExchange[] {
  return exchanges.filter((exchange) => adapterNameFor(exchange) === adapterName);
}

export function adapterNameFor({ provider, request }: RecordedExchange): string {
  return provider === 'ollama' && request.path.startsWith('/v1/') ? 'openai' : provider;
}

/** Whether the answer was asked for, or came, in pieces. */
export function isStreamed({ kind, request }: RecordedExchange): boolean {
  const { stream } = (request.body ?? {}) as { stream?: unknown };
  return kind.includes('stream') || stream === true || request.path.endsWith(':streamGenerateContent');
}

/** The model that was asked for. */
export function modelOf({ request }: RecordedExchange): string {
  const { model } = (request.body ?? {}) as { model?: unknown };
  const inPath = /\/models\/([^/:]+):/.exec(request.path)?.[1];
  return inPath ?? (typeof model === 'string' && model !== '' ? model : 'some-model');
}

/** The turns of each recorded conversation, in order; those that are complete and have more than one. */
export function conversations(exchanges: readonly RecordedExchange[]): RecordedExchange[][] {
  const byId = new Map<string, RecordedExchange[]>();
  for (const exchange of exchanges) {
    if (exchange.conversation === null) continue;
    const turns = byId.get(exchange.conversation.id) ?? [];
    byId.set(exchange.conversation.id, [...turns, exchange]);
  }
  return [...byId.values()]
    .map((turns) => turns.sort((a, b) => (a.conversation?.index ?? 0) - (b.conversation?.index ?? 0)))
    .filter((turns) => turns.length > 1 && turns.length === turns[0]?.conversation?.count);
}

/** The decoded body; for a stream the list of its decoded events. What raw capture must hand out. */
export function decodedBody({ response }: RecordedExchange): unknown {
  const { framing, bodyText } = response;
  if (framing === 'text') return bodyText;
  if (framing === 'json' || framing === 'json-array') return JSON.parse(bodyText);
  if (framing === 'ndjson') return linesOf(bodyText).map((line) => JSON.parse(line));
  return bodyText
    .replace(/^\uFEFF/, '')
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) =>
      linesOf(event)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data));
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}
