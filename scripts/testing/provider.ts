/** What the tests of every adapter begin with: a provider that answers by script, and what it is asked. */

import { afterEach, expect, vi } from 'vitest';
import type {
  Adapter,
  AdapterError,
  AdapterSettings,
  AssistantMessage,
  Delta,
  Message,
  ModelRequest,
  ToolMessage,
  ToolSpec,
} from '../../packages/core/src/adapter/index.ts';
import {
  type ScriptedTurn,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../packages/simulator/src/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into bodies
export type Body = any;

/**
 * A function that starts a provider which gives these answers, one per call, and an adapter that talks to it. A
 * test fails when it leaves answers over, or asks for more.
 */
export function scriptedProvider<Settings extends object, Made extends Adapter>(
  { wire }: Pick<SimulatorOptions, 'wire'>,
  create: (settings: Partial<Settings> & { readonly baseURL: string }) => Made,
) {
  const running: Simulator[] = [];
  afterEach(async () => {
    for (const simulator of running.splice(0)) await simulator.close();
  });
  return async (
    turns: readonly ScriptedTurn[],
    settings: Partial<Settings> = {},
    options: Partial<SimulatorOptions> = {},
  ) => {
    const simulator = await startSimulator({ wire, turns, ...options });
    running.push(simulator);
    const request = (index: number) => simulator.exchanges[index]?.request;
    return {
      simulator,
      adapter: create({ baseURL: simulator.baseURL, ...settings }),
      /** The body of a request, by its number. */
      body: (index = 0): Body => request(index)?.body,
      header: (name: string, index = 0) =>
        request(index)?.rawHeaders.find(([key]) => key.toLowerCase() === name)?.[1],
    };
  };
}

/** What tests that suit every adapter are given. */
export type Scripted = ReturnType<typeof scriptedProvider<AdapterSettings, Adapter>>;

/** Whole and streamed, for `each`. */
export const modes = [
  ['whole', undefined],
  ['streamed', () => {}],
] as const satisfies readonly (readonly [string, Mode])[];
export type Mode = ((delta: Delta) => void) | undefined;

/** The request without an `onDelta` key where there is none. */
export function mode(onDelta: Mode): Partial<Pick<ModelRequest, 'onDelta'>> {
  return onDelta === undefined ? {} : { onDelta };
}

export const user: Message = { role: 'user', content: 'hi' };

export function asking(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [user], tools: [], options: {}, ...more };
}

export function tool(
  name: string,
  parameters: Record<string, unknown> = { type: 'object', properties: {} },
): ToolSpec {
  return { name, description: `The tool ${name}.`, parameters };
}

export function called(
  calls: readonly (readonly [id: string, name: string, argumentsJson: string])[],
  content = '',
): AssistantMessage {
  const toolCalls = calls.map(([id, name, argumentsJson]) => ({ id, name, argumentsJson }));
  return { role: 'assistant', content, toolCalls };
}

export function result(toolCallId: string, toolName: string, content: string, isError = false): ToolMessage {
  return { role: 'tool', toolCallId, toolName, content, isError };
}

/** The value, which throws from now on when something in it is changed. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** An answer of these chunks, byte for byte. */
export function reply(
  chunks: readonly string[],
  type: string,
  status = 200,
  headers: Record<string, string> = {},
): Extract<ScriptedTurn, { reply: unknown }> {
  return { reply: { status, headers: { 'content-type': type, ...headers }, chunks } };
}

/** A whole answer: this JSON body, or this very text. */
export function json(body: unknown, status?: number, headers?: Record<string, string>) {
  return reply([textOf(body)], 'application/json', status, headers);
}

/** A stream of exactly these events. */
export function sse(...bodies: readonly unknown[]) {
  return reply(bodies.map(event), 'text/event-stream');
}

/** A stream of these events as chat completions end it; with an empty `end`, as if the connection had been lost. */
export function events(bodies: readonly unknown[], end = 'data: [DONE]\n\n') {
  return reply([...bodies.map(event), end], 'text/event-stream');
}

const event = (body: unknown) => `data: ${textOf(body)}\n\n`;

/** A stream of JSON lines. */
export function lines(...bodies: readonly unknown[]) {
  return reply(
    bodies.map((body) => `${textOf(body)}\n`),
    'application/x-ndjson',
  );
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Aborts as soon as the provider has the first request: an abort by the clock may come before there is any. */
export async function abortOnArrival(
  { exchanges }: Pick<Simulator, 'exchanges'>,
  controller: AbortController,
  reason: unknown,
): Promise<void> {
  await vi.waitFor(() => expect(exchanges).toHaveLength(1), { interval: 1, timeout: 10_000 });
  controller.abort(reason);
}

/** What `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<AdapterError> {
  try {
    await promise;
  } catch (error) {
    return error as AdapterError;
  }
  throw new Error('expected a rejection');
}

/** What goes to the console from now on, in place of it. */
export function consoleOutput(): readonly unknown[] {
  const output: unknown[] = [];
  for (const method of ['log', 'warn', 'error', 'info', 'debug', 'group'] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => void output.push(values));
  }
  return output;
}
