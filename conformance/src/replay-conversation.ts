import {
  defineTool,
  type JsonSchema,
  type Message,
  RunError,
  runLoop,
  type Tool,
  ToolOptions,
  type UserMessage,
} from '@glassloop/core';
import {
  type RecordedRequest,
  type SeenMessage,
  type SeenRequest,
  startSimulator,
  type WireFormat,
} from '@glassloop/simulator';
import { compareRequests } from './compare-requests.ts';
import { isStreamed, modelOf, type RecordedExchange } from './exchange.ts';
import { type CreateAdapter, type Difference, REPLAY_KEY, recordedReply } from './replay-exchange.ts';

type SeenTool = Extract<SeenMessage, { role: 'tool' }>;

/**
 * Plays a recorded conversation through core's loop: the recorded answers are served in order, tools give the results
 * that the next recorded request has. Compares by meaning what the adapter sent with what the recorded client sent.
 */
export async function replayConversation(
  create: CreateAdapter,
  wire: WireFormat,
  turns: readonly RecordedExchange[],
): Promise<readonly Difference[]> {
  const first = turns[0];
  if (first === undefined) return [];
  const recorded = turns.map((turn) => readRecorded(wire, turn));
  const unread = recorded.find((seen) => typeof seen === 'string');
  if (unread !== undefined) return [{ field: 'recorded request', expected: 'readable', actual: unread }];
  const requests = recorded as SeenRequest[];
  const simulator = await startSimulator({ wire, turns: turns.map(recordedReply) });
  try {
    const adapter = create({
      baseURL: simulator.baseURL,
      apiKey: REPLAY_KEY,
      model: modelOf(first),
    });
    const failure = await play(adapter, turns, requests, () => simulator.exchanges.length);
    const differences: Difference[] = failure === undefined ? [] : [failure];
    for (const [index, request] of requests.entries()) {
      const exchange = simulator.exchanges[index];
      if (exchange === undefined) {
        if (failure === undefined)
          differences.push({ field: `turn ${index + 1}`, expected: 'sent', actual: 'not sent' });
        break;
      }
      if (exchange.seen === undefined) {
        differences.push({ field: `turn ${index + 1}`, expected: 'accepted', actual: exchange.reply?.body });
        break;
      }
      // A client that changes its system prompt on the way is not followed.
      const expected = { ...request, system: requests[0]?.system ?? [] };
      differences.push(...compareRequests(`turn ${index + 1}`, expected, exchange.seen, wire));
    }
    return differences;
  } finally {
    await simulator.close({ force: true });
  }
}

function readRecorded(wire: WireFormat, { request }: RecordedExchange): SeenRequest | string {
  const body = tidied(request.body);
  const bodyText = JSON.stringify(body);
  const recorded: RecordedRequest = {
    method: request.method,
    path: request.path,
    query: new URLSearchParams(request.query ?? {}).toString(),
    // The recordings have no headers; this one is demanded.
    rawHeaders: [['anthropic-version', '2023-06-01']],
    bodyBytes: new TextEncoder().encode(bodyText),
    bodyText,
    body,
  };
  try {
    return wire.read(recorded);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Adds what the providers let recorded clients leave out, but our strict readers do not. */
function tidied(body: unknown): unknown {
  const { messages, tools } = (body ?? {}) as { messages?: Fields[]; tools?: Fields[] };
  if (!Array.isArray(messages)) return body;
  const names = new Map<unknown, unknown>();
  return {
    ...(body as Fields),
    ...(Array.isArray(tools) && {
      tools: tools.map((tool) => ('function' in tool ? { type: 'function', ...tool } : tool)),
    }),
    messages: messages.map((message) => {
      const { tool_calls: calls, ...given } = message as Fields & { tool_calls?: Fields[] };
      const empty = Array.isArray(given['content']) && given['content'].length === 0;
      const rest: Fields = empty ? { ...given, content: '' } : given;
      if (!Array.isArray(calls)) {
        const name = rest['role'] === 'tool' ? names.get(rest['tool_call_id']) : undefined;
        return name === undefined ? rest : { name, ...rest };
      }
      for (const call of calls) names.set(call['id'], (call['function'] as Fields | undefined)?.['name']);
      return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
    }),
  };
}

type Fields = { readonly [field: string]: unknown };

/** Runs the loop until all turns are served; again for each new message of the user. */
async function play(
  adapter: ReturnType<CreateAdapter>,
  turns: readonly RecordedExchange[],
  requests: readonly SeenRequest[],
  sent: () => number,
): Promise<Difference | undefined> {
  const first = requests[0] as SeenRequest;
  const over = new AbortController();
  const results = new Results(requests);
  try {
    const tools = first.tools.map((tool) =>
      defineTool({
        name: tool.name,
        description: tool.description,
        input: lowerCaseTypes(tool.parameters ?? {}) as JsonSchema,
        execute(_, { toolCallId }) {
          const result = results.take(sent(), tool.name, toolCallId);
          // The recording ends with this call.
          if (result === undefined) over.abort();
          return result ?? '';
        },
      }),
    );
    const system: Message[] = first.system.map((content) => ({ role: 'system', content }));
    let messages: readonly Message[] = [...system, ...toMessages(first.messages)];
    while (sent() < turns.length) {
      const before = sent();
      const result = await runLoop({
        adapter,
        messages,
        tools: tools as Tool[],
        options: optionsOf(first),
        // One more than is recorded, so that no closing round is asked for.
        maxRounds: turns.length - before + 1,
        toolConcurrency: 1,
        retry: { maxRetries: 0 },
        limits: { repeats: Number.POSITIVE_INFINITY },
        signal: over.signal,
        ...(isStreamed(turns[before] as RecordedExchange) && { onDelta: () => {} }),
      });
      if (sent() === before) return { field: 'run', expected: 'a request', actual: result.stopReason };
      const next = requests[sent()];
      if (next === undefined) return undefined;
      const added = addedAtTheEnd(next);
      if (added.length === 0) {
        return {
          field: `turn ${sent() + 1}`,
          expected: 'a tool result',
          actual: `run ended: ${result.stopReason}`,
        };
      }
      messages = [...result.messages, ...toMessages(added)];
    }
    return undefined;
  } catch (error) {
    if (over.signal.aborted) return undefined;
    // A recorded error at the very end is the end of that conversation too.
    if (error instanceof RunError && sent() === turns.length && isFailure(turns.at(-1))) return undefined;
    return {
      field: 'run',
      expected: 'no error',
      actual: error instanceof Error ? error.message : String(error),
    };
  }
}

function isFailure(exchange: RecordedExchange | undefined): boolean {
  return (exchange?.response.status ?? 200) >= 400 || exchange?.kind.includes('error') === true;
}

/** Hands out the recorded result of each call, once. */
class Results {
  readonly #byTurn: (SeenTool | undefined)[][];

  constructor(requests: readonly SeenRequest[]) {
    this.#byTurn = requests.map(({ messages }) => {
      const last = messages.findLastIndex((message) => message.role === 'assistant');
      return messages.slice(last + 1).filter((message) => message.role === 'tool');
    });
  }

  /** `turn` counts the requests sent so far: the results are in the next one. */
  take(turn: number, name: string, callId: string): string | undefined {
    const results = this.#byTurn[turn] ?? [];
    let at = results.findIndex((result) => result?.callId === callId);
    if (at === -1) at = results.findIndex((result) => result?.name === name);
    if (at === -1) at = results.findIndex((result) => result !== undefined && result.name === undefined);
    const result = results[at];
    if (result !== undefined) results[at] = undefined;
    return result?.text;
  }
}

function addedAtTheEnd({ messages }: SeenRequest): readonly SeenMessage[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return messages.slice(last + 1).filter((message) => message.role === 'user' || message.role === 'system');
}

/** Only what the comparison needs; everything else is the provider's default. */
function optionsOf({ maxTokens, thinking, toolChoice }: SeenRequest): ToolOptions {
  return new ToolOptions({
    ...(maxTokens !== undefined && { maxTokens }),
    ...(thinking === true && { thinking }),
    ...(toolChoice !== undefined && typeof toolChoice === 'object' && { toolChoice }),
  });
}

function toMessages(seen: readonly SeenMessage[]): Message[] {
  const open: OpenCall[] = [];
  return seen.map((message, index) => toMessage(message, index, open));
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/** `open`: the calls that have no result yet. */
function toMessage(message: SeenMessage, index: number, open: OpenCall[]): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return userMessage(message);
    case 'assistant': {
      const toolCalls = message.calls.map((call, place) => ({
        id: call.id ?? `call${index}x${place}`,
        name: call.name,
        argumentsJson: JSON.stringify(call.arguments),
      }));
      open.splice(0, open.length, ...toolCalls);
      return { role: 'assistant', content: message.text, toolCalls };
    }
    case 'tool': {
      const call = open.find(({ id }) => id === message.callId) ?? open[0];
      if (call !== undefined) open.splice(open.indexOf(call), 1);
      return {
        role: 'tool',
        toolCallId: call?.id ?? '',
        toolName: call?.name ?? '',
        content: message.text,
        isError: message.isError === true,
      };
    }
  }
}

function userMessage({ text, images }: Extract<SeenMessage, { role: 'user' }>): UserMessage {
  if (images.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...images.map(({ data, mediaType = 'image/png' }) => ({ type: 'image' as const, data, mediaType })),
    ],
  };
}

/** Gemini clients write `OBJECT` where JSON Schema has `object`. */
function lowerCaseTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerCaseTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : lowerCaseTypes(value),
    ]),
  );
}
