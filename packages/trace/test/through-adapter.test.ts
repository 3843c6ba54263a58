import { anthropic } from '@glassloop/anthropic';
import {
  type Adapter,
  type AdapterSettings,
  defineTool,
  type Run,
  type RunStep,
  RunTrace,
  runLoop,
} from '@glassloop/core';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import { type ScriptedTurn, startSimulator, wireFormats } from '@glassloop/simulator';
import { describe, expect, it } from 'vitest';
import { replay } from '../src/index.ts';

const ADAPTERS = { openai, anthropic, google, groq, mistral, ollama, openrouter };
const TURNS: readonly ScriptedTurn[] = [
  { fail: { status: 429, message: 'Slow down' } },
  {
    think: 'Hm.',
    callTools: [
      { name: 'look', arguments: { at: 1 } },
      { name: 'look', arguments: { at: 'ü' } },
    ],
  },
  { say: 'Lines\nand "quotes" and 🙂.' },
];

function runOf(adapter: Adapter, streams: boolean, execute: () => unknown = () => 'seen'): Run {
  return {
    adapter,
    systemPrompt: 'Be brief.',
    messages: [{ role: 'user', content: 'Look.' }],
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks',
        input: { type: 'object', properties: { at: {} } },
        execute,
      }),
    ],
    retry: { baseDelayMs: 1 },
    ...(streams ? { onDelta: () => {} } : {}),
  };
}

async function recorded(
  name: keyof typeof ADAPTERS,
  streams: boolean,
): Promise<{ steps: readonly RunStep[]; baseURL: string }> {
  const simulator = await startSimulator({ wire: wireFormats[name], turns: TURNS });
  try {
    const { baseURL } = simulator;
    const trace = new RunTrace({ captureRaw: true });
    await runLoop(
      runOf(ADAPTERS[name]({ model: 'm-1', apiKey: 'sk-test-0123456789', baseURL }), streams),
      trace,
    );
    return { steps: JSON.parse(JSON.stringify(trace.steps)), baseURL };
  } finally {
    await simulator.close();
  }
}

describe.each(Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[])('through the %s adapter', (name) => {
  describe.each([
    ['whole', false],
    ['streamed', true],
  ] as const)('%s', (_, streams) => {
    const make =
      (baseURL: string, more: Partial<AdapterSettings> = {}) =>
      (fetch: typeof globalThis.fetch) =>
        ADAPTERS[name]({ model: 'm-1', apiKey: 'sk-other-0123456789', baseURL, fetch, ...more });

    it('records the request as it was sent', async () => {
      const { steps } = await recorded(name, streams);
      const answers = steps.filter((step) => step.kind === 'response' || step.kind === 'error');
      expect(answers).toHaveLength(3);
      for (const { metadata, raw } of answers) {
        expect(raw).toBeDefined();
        expect(metadata?.['_wire']).toMatchObject({ method: 'POST', body: expect.stringContaining('Look.') });
        expect(JSON.stringify(metadata)).not.toContain('sk-test-0123456789');
      }
    });

    it('the recorded bodies give the recorded answers', async () => {
      const { steps, baseURL } = await recorded(name, streams);
      const run = runOf(make(baseURL)(fetch), streams, () => {
        throw new Error('executed');
      });
      const outcome = await replay(steps, run, { throughAdapter: make(baseURL) });
      expect(outcome.divergence).toBeUndefined();
      expect(outcome.diff?.steps).toEqual([]);
      expect(outcome.status).toBe('same');
    });

    it('an adapter that sends something else is stopped where it does', async () => {
      const { steps, baseURL } = await recorded(name, streams);
      const changed = make(baseURL);
      const outcome = await replay(steps, undefined, {
        throughAdapter: (fetch) =>
          changed(async (input, init) => {
            const request = new Request(input, init);
            const body = (await request.text()).replace('Look.', 'Look!');
            return fetch(request.url, { method: request.method, headers: request.headers, body });
          }),
      });
      expect(outcome.divergence).toMatchObject({
        round: 1,
        attempt: 1,
        where: 'wire',
        old: 'Look.',
        new: 'Look!',
      });
    });
  });
});
