/** Core in a page: bundled for browsers, and run where there is nothing but the language and what every browser has. */

import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** A page's program, with a scripted adapter: it asks for the clock, then answers with what it was told. */
const PAGE = `
import { defineTool, RunTrace, runLoop } from '@glassloop/core';
import { AdapterError, callWithin, checkSettings, newCallId, usageOf } from '@glassloop/core/adapter';
import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';

const { model } = checkSettings('scripted', { model: 'm', apiKey: 'k' });
const usage = usageOf({ prompt: 10, completion: 5 });
const adapter = {
  name: 'scripted',
  model,
  capabilities: { streaming: true, parallelToolCalls: true, requiredToolChoice: true, thinking: true, images: true, cost: false },
  chat: ({ messages, signal, onDelta }) =>
    callWithin({ provider: 'scripted', signal, timeoutMs: 1000 }, async () => {
      const last = messages.at(-1);
      const content = last.role === 'tool' ? 'It is ' + last.content + '.' : '';
      onDelta?.({ kind: 'text', text: content });
      const toolCalls = last.role === 'tool' ? [] : [{ id: newCallId(), name: 'clock', argumentsJson: '{}' }];
      return { message: { role: 'assistant', content, toolCalls }, finishReason: last.role === 'tool' ? 'stop' : 'tool_calls', usage };
    }),
};
const clock = defineTool({ name: 'clock', description: 'The time.', execute: () => 'noon' });

export async function run() {
  const trace = new RunTrace();
  let streamed = '';
  const { content, stopReason, rounds } = await runLoop(
    { adapter, messages: [{ role: 'user', content: 'What time is it?' }], tools: [clock], onDelta: (delta) => (streamed += delta.text ?? '') },
    trace,
  );
  const refused = await runLoop({ adapter: { ...adapter, chat: async () => { throw new AdapterError('auth', 'no'); } }, messages: [{ role: 'user', content: 'Hi' }] })
    .catch((error) => error.code);
  const stopped = await runLoop({ adapter, messages: [{ role: 'user', content: 'Hi' }], signal: AbortSignal.abort() }).catch((error) => error.code);
  const kinds = trace.steps.map(({ kind }) => kind);
  return JSON.stringify({ content, stopReason, rounds, streamed, refused, stopped, kinds, doors: [typeof decodeTrace, typeof encodeStep, typeof encodeTraceHeader] });
}
`;

/** Of what pages have, what core may use. Nothing of Node is here: no process, Buffer, require, setImmediate or global. */
const WEB = {
  AbortController,
  AbortSignal,
  DOMException,
  Event,
  EventTarget,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  // A number, as in a page: not the object of Node, with its ref and unref.
  setTimeout: (callback: () => void, ms?: number) => Number(setTimeout(callback, ms)),
  console,
  crypto,
  performance,
  queueMicrotask,
  structuredClone,
};

it('core, bundled for browsers, runs a loop where there is no Node', async () => {
  const { outputFiles, warnings } = await build({
    stdin: { contents: PAGE, resolveDir: fileURLToPath(new URL('../packages/cli', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'page',
    target: 'es2022',
    conditions: ['@glassloop/source'],
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  const code = outputFiles[0]!.text;
  expect(code).not.toMatch(/\brequire\(|["']node:/);

  const page = createContext({ ...WEB });
  runInContext(`var self = this;\n${code}`, page);
  const result: unknown = JSON.parse(await runInContext('page.run()', page, { timeout: 10_000 }));
  expect(result).toEqual({
    content: 'It is noon.',
    stopReason: 'completed',
    rounds: 2,
    streamed: 'It is noon.',
    refused: 'auth',
    stopped: 'aborted',
    kinds: ['assembled', 'request', 'response', 'tool', 'request', 'response', 'end'],
    doors: ['function', 'function', 'function'],
  });
});
