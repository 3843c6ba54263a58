import { anthropic } from '@glassloop/anthropic';
import type { Adapter, AdapterSettings } from '@glassloop/core';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import {
  anthropicMessages,
  googleGenerateContent,
  groqChat,
  mistralChat,
  ollamaChat,
  openaiChat,
  openrouterChat,
  startSimulator,
  type WireFormat,
} from '@glassloop/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY, lookUp, playground } from './helpers.ts';

const ADAPTERS: readonly (readonly [string, (settings: AdapterSettings) => Adapter, WireFormat])[] = [
  ['openai', openai, openaiChat],
  ['anthropic', anthropic, anthropicMessages],
  ['google', google, googleGenerateContent],
  ['mistral', mistral, mistralChat],
  ['ollama', ollama, ollamaChat],
  ['groq', groq, groqChat],
  ['openrouter', openrouter, openrouterChat],
];

describe.each(ADAPTERS)('%s', (name, create, wire) => {
  async function started(...turns: NonNullable<Parameters<typeof startSimulator>[0]['turns']>) {
    const simulator = await startSimulator({ wire, turns });
    onTestFinished(() => simulator.close({ force: true }));
    const provider = {
      name,
      ready: true,
      models: [{ id: 'model-x' }],
      takesAnyModel: true,
      capabilities: null,
      create: (model: string) => create({ model, apiKey: KEY, baseURL: simulator.baseURL }),
    };
    return { simulator, ...(await playground({ contents: { providers: [provider], tools: [lookUp] } })) };
  }

  it('is watched to the end, pieces first', async () => {
    const { run, get } = await started(
      { callTools: [{ name: 'look_up', arguments: { word: 'owl' } }] },
      { say: 'An owl is a thing.' },
    );
    const { id, lines } = await run({ prompt: 'owl?', captureRaw: true });
    const kinds = lines.flatMap((line) => (line.type === 'step' ? [line.step.kind] : []));
    expect(kinds).toEqual(['assembled', 'request', 'response', 'tool', 'request', 'response', 'end']);
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'completed' });
    const response = lines.findLast((line) => line.type === 'step' && line.step.kind === 'response');
    expect(response).toMatchObject({
      step: { message: { content: 'An owl is a thing.' }, raw: expect.anything() },
    });
    expect((await get(`/runs/${id}`)).summary).toMatchObject({
      provider: name,
      model: 'model-x',
      toolCalls: 1,
    });
  });

  it('a cancelled run ends its request, and keeps what came', async () => {
    const { simulator, call, post } = await started({
      say: 'This text never comes to its end.',
      hang: 'midway',
    });
    const { body } = await post('/runs', { prompt: 'go on' });
    await expect.poll(() => simulator.exchanges.length).toBe(1);
    // Give the first piece, where the format sends one, the time to arrive.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await post(`/runs/${body.runId}/cancel`, {})).status).toBe(202);
    const lines = (await (await call(body.events)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'aborted' });
    expect(lines.map((line) => line.step?.kind).filter(Boolean)).toEqual([
      'assembled',
      'request',
      'error',
      'end',
    ]);
    expect(await simulator.exchanges[0]!.clientLeft).toBe(true);
    expect((await post(`/runs/${body.runId}/cancel`, {})).status).toBe(202);
  });
});
