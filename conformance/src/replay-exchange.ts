import { isDeepStrictEqual } from 'node:util';
import { type Adapter, ToolOptions, type Usage } from '@glassloop/core';
import { AdapterError, type ModelResponse, parseArguments } from '@glassloop/core/adapter';
import { type ScriptedTurn, startSimulator, type WireFormat, wireFormats } from '@glassloop/simulator';
import { adapterNameFor, decodedBody, isStreamed, modelOf, type RecordedExchange } from './exchange.ts';
import { type ExpectedAnswer, expectedOf } from './expected-answer.ts';

/** Where an adapter and a recording disagree. */
export interface Difference {
  /** Such as `content`, `usage.promptTokens`, `calls`, `error.message`, `raw`. */
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface ReplayOptions {
  /** Default: as recorded. */
  readonly mode?: 'whole' | 'stream';
  /** Send the recorded body in pieces of this many bytes. */
  readonly splitBytes?: number;
  /** Also compare raw capture with the recorded body. */
  readonly capture?: boolean;
}

export type CreateAdapter = (settings: {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
}) => Adapter;

/** What a replay gives as key; it authorizes nothing. */
export const REPLAY_KEY = 'replay-key-0123456789';

/** The dialect a recording is in. */
export function wireFor(exchange: RecordedExchange): WireFormat {
  const wire = (wireFormats as { readonly [name: string]: WireFormat })[adapterNameFor(exchange)];
  if (wire === undefined) throw new TypeError(`No wire format for the provider of ${exchange.id}.`);
  return wire;
}

/** Serves the recorded answer to one small request of the adapter, and says what it made of it. None: all is right. */
export async function replayExchange(
  create: CreateAdapter,
  exchange: RecordedExchange,
  options: ReplayOptions = {},
): Promise<readonly Difference[]> {
  const { splitBytes, capture = false } = options;
  const streamed = options.mode === undefined ? isStreamed(exchange) : options.mode === 'stream';
  const turn: ScriptedTurn = { ...recordedReply(exchange), ...(splitBytes !== undefined && { splitBytes }) };
  const simulator = await startSimulator({ wire: wireFor(exchange), turns: [turn] });
  let deltas = '';
  try {
    const adapter = create({ baseURL: simulator.baseURL, apiKey: REPLAY_KEY, model: modelOf(exchange) });
    const response = await adapter
      .chat({
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [],
        options: new ToolOptions({}, capture).toCallOptions(),
        ...(streamed && {
          onDelta: (delta) => {
            if (delta.kind === 'text') deltas += delta.text;
          },
        }),
      })
      .catch((error: unknown) => error);
    const refused = simulator.exchanges.find(({ seen }) => seen === undefined);
    if (refused !== undefined)
      return [{ field: 'request', expected: 'accepted', actual: refused.reply?.body }];
    const differences = new Differences();
    if (response instanceof Error) compareError(exchange, response, streamed, differences);
    else compareAnswer(exchange, response as ModelResponse, differences);
    if (streamed && !(response instanceof Error)) {
      differences.compare('deltas', (response as ModelResponse).message.content, deltas);
    }
    if (capture) {
      const { metadata } = response as ModelResponse | AdapterError;
      differences.compare('raw', decodedBody(exchange), metadata?.['_raw']);
    }
    return differences.list;
  } finally {
    await simulator.close({ force: true });
  }
}

/** A Gemini stream that was recorded as one JSON array is served as events, the only form that SDKs read. */
export function recordedReply(exchange: RecordedExchange): ScriptedTurn {
  const { status, headers, contentType, framing, bodyText } = exchange.response;
  const array = framing === 'json-array' && status === 200;
  const type = array
    ? 'text/event-stream'
    : (contentType ??
      { sse: 'text/event-stream', ndjson: 'application/x-ndjson', text: 'text/plain' }[framing as string] ??
      'application/json');
  const chunks = array
    ? (JSON.parse(bodyText) as unknown[]).map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
    : [bodyText];
  return { reply: { status, headers: { ...headers, 'content-type': type }, chunks } };
}

class Differences {
  readonly list: Difference[] = [];

  compare(field: string, expected: unknown, actual: unknown): void {
    if (!isDeepStrictEqual(expected, actual)) this.list.push({ field, expected, actual });
  }
}

function compareAnswer(exchange: RecordedExchange, response: ModelResponse, differences: Differences): void {
  const expected = expectedOf(exchange);
  if (expected === undefined) {
    if (exchange.response.status >= 400) differences.compare('error', 'an error', undefined);
    return;
  }
  if (expected.error !== undefined) differences.compare('error', expected.error.message, undefined);
  differences.compare('content', expected.content, response.message.content);
  differences.compare('thinking', trimmed(expected.thinking), trimmed(response.thinking ?? ''));
  compareCalls(expected, response, differences);
  differences.compare('rawFinishReason', expected.rawFinishReason, response.rawFinishReason);
  differences.compare('model', expected.model, response.model);
  compareUsage(exchange, expected.usage, response.usage, differences);
}

function compareCalls({ calls }: ExpectedAnswer, response: ModelResponse, differences: Differences): void {
  const actual = response.message.toolCalls.map(({ id, name, argumentsJson }, index) => ({
    id: calls[index]?.id === undefined ? undefined : id,
    name,
    arguments: parseArguments(argumentsJson) ?? argumentsJson,
  }));
  differences.compare('calls', calls, actual);
  const ids = response.message.toolCalls.map(({ id }) => id);
  differences.compare('calls.ids', ids.length, new Set(ids).size);
}

function compareUsage(
  exchange: RecordedExchange,
  expected: Usage,
  actual: Usage,
  differences: Differences,
): void {
  const { usage } = exchange.expected ?? {};
  for (const count of [
    'promptTokens',
    'completionTokens',
    'totalTokens',
    'cacheReadTokens',
    'reasoningTokens',
  ] as const) {
    differences.compare(`usage.${count}`, expected[count], actual[count]);
  }
  // Only where the recording says whether there is one.
  if (usage?.cacheCreation !== undefined) {
    differences.compare('usage.cacheWriteTokens', expected.cacheWriteTokens, actual.cacheWriteTokens);
  }
  if (usage?.cost !== undefined) {
    differences.compare('usage.estimatedCost', expected.estimatedCost, actual.estimatedCost);
  }
}

function compareError(
  exchange: RecordedExchange,
  error: Error,
  streamed: boolean,
  differences: Differences,
): void {
  const expected = expectedOf(exchange);
  const { status } = exchange.response;
  if (!(error instanceof AdapterError)) {
    differences.compare('error.name', 'AdapterError', `${error.name}: ${error.message}`);
    return;
  }
  if (status >= 400) differences.compare('error.status', status, error.status);
  if (expected === undefined) {
    if (status < 400) differences.compare('error', undefined, error.message);
    return;
  }
  if (expected.error === undefined) {
    differences.compare('error', undefined, `${error.code}: ${error.message}`);
    return;
  }
  // Several complaints in one body are joined in the recordings; an adapter may put the place before each.
  const said = expected.error.message.split('; ').map((part) => part.slice(0, 200));
  if (!said.every((part) => error.message.includes(part))) {
    differences.compare('error.message', expected.error.message, error.message);
  }
  if (streamed && expected.content !== '') {
    differences.compare('error.partial', expected.content, error.partial ?? '');
  }
}

function trimmed(text: string): string {
  return text.trim();
}
