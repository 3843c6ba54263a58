/**
 * Capture that is off is capture that is not there: results and requests of each adapter equal, byte for byte, those
 * of a copy from which the code of raw capture has been cut out.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { anthropic } from '../packages/anthropic/src/index.ts';
import type { Adapter, AdapterSettings, ModelRequest } from '../packages/core/src/adapter/adapter.ts';
import { google } from '../packages/google/src/index.ts';
import { groq } from '../packages/groq/src/index.ts';
import { mistral } from '../packages/mistral/src/index.ts';
import { ollama } from '../packages/ollama/src/index.ts';
import { openai } from '../packages/openai/src/index.ts';
import { openrouter } from '../packages/openrouter/src/index.ts';
import { type ScriptedTurn, startSimulator, wireFormats } from '../packages/simulator/src/index.ts';
import { type AdapterName, adapterCopy, adapterNames, MODELS, removeCopies } from './testing/adapter-copy.ts';

afterAll(removeCopies);

const FACTORIES: { readonly [adapter in AdapterName]: (settings: AdapterSettings) => Adapter } = {
  openai,
  anthropic,
  google,
  mistral,
  ollama,
  groq,
  openrouter,
};

/** Everything that captures, gone: nothing is tapped, kept or added to metadata. */
function withoutCapture(source: string): string {
  const start = source.indexOf('export function rawResponseMetadata');
  if (start === -1) throw new Error('rawResponseMetadata is not where it was.');
  return `import type { CallOptions } from '../options.ts';
import type { Metadata } from './adapter.ts';
export interface Exchange {}
export interface WireRequest {}
export function rawResponseMetadata(_options: CallOptions, _body: unknown, existing?: Metadata) { return existing; }
export function exchangeFor(_options: CallOptions): undefined { return undefined; }
export function tapFetch(base: typeof fetch): typeof fetch { return base; }
export function exchangeMetadata(_o: CallOptions, _e: unknown, _s: readonly string[], existing?: Metadata) { return existing; }
`;
}

const NOW = { name: 'now', description: 'The time.', parameters: { type: 'object', properties: {} } };

const SCENES: readonly (readonly [
  name: string,
  turn: (adapter: AdapterName) => ScriptedTurn,
  tools: boolean,
])[] = [
  ['text', () => ({ say: 'Grüße 👋, this is the answer.' }), false],
  ['calls', () => ({ say: 'Looking.', callTools: [{ id: 'abc123XYZ', name: 'now' }] }), true],
  [
    'thinking',
    (adapter) => ({
      say: 'Four.',
      ...(wireFormats[adapter].can.thinking ? { think: 'two and two' } : {}),
      ...(wireFormats[adapter].can.opaque ? { opaque: 'OPAQUE' } : {}),
    }),
    false,
  ],
  [
    'a failure',
    () => ({ fail: { status: 429, message: 'slow down', headers: { 'retry-after': '3' } } }),
    false,
  ],
];

async function outcome(
  adapter: AdapterName,
  factory: (settings: AdapterSettings) => Adapter,
  turn: ScriptedTurn,
  request: ModelRequest,
) {
  const simulator = await startSimulator({ wire: wireFormats[adapter], turns: [turn] });
  const subject = factory({ model: MODELS[adapter], apiKey: 'test-key', baseURL: simulator.baseURL });
  const result = await subject.chat(request).catch(({ message, ...facts }: Error) => ({ message, ...facts }));
  const { rawHeaders, bodyText } = simulator.exchanges[0]!.request;
  await simulator.close({ force: true });
  const headers = rawHeaders.map(([name, value]) => [name, name.toLowerCase() === 'host' ? 'host' : value]);
  return { result: JSON.stringify(result), request: JSON.stringify([headers, bodyText]) };
}

describe.each(adapterNames)('%s', (adapter) => {
  it.each([
    ['whole', false],
    ['streamed', true],
  ] as const)('without capture is what it is without the code of capture, %s', async (_, stream) => {
    const bare = await adapterCopy(adapter, { file: /core\/src\/adapter\/raw\.ts$/, edit: withoutCapture });
    for (const [name, turn, hasTools] of SCENES) {
      const request: ModelRequest = {
        messages: [{ role: 'user', content: 'Hello?' }],
        tools: hasTools ? [NOW] : [],
        options: {},
        ...(stream ? { onDelta: () => {} } : {}),
      };
      const ours = await outcome(adapter, FACTORIES[adapter], turn(adapter), request);
      const theirs = await outcome(adapter, bare, turn(adapter), request);
      // Ids that an adapter makes up are new each time.
      const comparable = (text: string) => text.replace(/"id":"[a-zA-Z0-9]{9}"/g, '"id":"made-up"');
      expect(comparable(ours.result), name).toBe(comparable(theirs.result));
      expect(ours.request, name).toBe(theirs.request);
    }
  });
});
