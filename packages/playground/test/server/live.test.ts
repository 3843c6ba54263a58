import { type Adapter, type Delta, defineTool } from '@glassloop/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlaygroundContents, PlaygroundTool } from '../../src/options.ts';
import type { StreamLine } from '../../src/protocol.ts';
import { events } from '../../src/runs/events.ts';
import { LiveRun } from '../../src/runs/live-run.ts';
import { Secrets } from '../../src/runs/secrets.ts';
import { linesOf, playground, readUntil } from './helpers.ts';

const SECRET = 'sk-live-secret-0123456789';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** An adapter that is led by the test: it says what it is told to, and answers when it is told to. */
function led() {
  let deliver: ((delta: Delta) => void) | undefined;
  let answer: ((text: string) => void) | undefined;
  let signal: AbortSignal | undefined;
  const adapter: Adapter = {
    name: 'led',
    model: 'm',
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: false,
      cost: false,
    },
    chat: (request) => {
      deliver = request.onDelta;
      signal = request.signal;
      return new Promise((resolve, reject) => {
        answer = (content) =>
          resolve({
            message: { role: 'assistant', content, toolCalls: [] },
            finishReason: 'stop',
            usage: {},
          });
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason));
      });
    },
  };
  return {
    adapter,
    say: (text: string, kind: 'text' | 'thinking' = 'text') => deliver!({ kind, text }),
    deliver: (delta: Delta) => deliver!(delta),
    answer: (text: string) => answer!(text),
    get aborted() {
      return signal?.aborted;
    },
  };
}

function contentsWith(adapter: Adapter, tools: readonly PlaygroundTool[] = []): PlaygroundContents {
  const provider = {
    name: 'led',
    ready: true,
    models: [{ id: 'm' }],
    takesAnyModel: true,
    capabilities: null,
  };
  return { providers: [{ ...provider, create: () => adapter }], tools };
}

const textOf = (lines: readonly StreamLine[], channel = 'text') => {
  let text = '';
  for (const line of lines) {
    if (line.type !== 'delta' || line.channel !== channel) continue;
    text = line.reset === true ? line.text : text + line.text;
  }
  return text;
};

describe('pieces of an answer', () => {
  it('are joined to at most 20 lines a second', async () => {
    const { adapter, say, answer } = led();
    const { call, post } = await playground({ contents: contentsWith(adapter) });
    const { body } = await post('/runs', { prompt: 'hi' });
    const reading = call(body.events).then(linesOf);
    await wait(50);
    for (let i = 0; i < 300; i++) {
      say(`${i} `);
      if (i % 10 === 0) await wait(10);
    }
    await wait(120);
    answer('done');
    const deltas = (await reading).filter((line) => line.type === 'delta');
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.length).toBeLessThan(20);
    expect(textOf(deltas)).toBe(Array.from({ length: 300 }, (_, i) => `${i} `).join(''));
  });

  it('come again, whole and marked, to a reader that comes back', async () => {
    const { adapter, say, deliver, answer } = led();
    const { call, post } = await playground({ contents: contentsWith(adapter) });
    const { body } = await post('/runs', { prompt: 'hi' });
    await wait(20);
    say('Hmm. ', 'thinking');
    say('One ');
    const first = await readUntil(
      await call(body.events),
      (line) => line.type === 'delta' && line.channel === 'text',
    );
    expect(textOf(first)).toBe('One ');
    say('two ');
    deliver({ kind: 'tool_call', index: 0, id: 'c1', name: 'look', argumentsText: '{"a"' });
    const again = await readUntil(
      await call(`${body.events}?after=${first.at(-1)!.seq}`),
      (line) => line.type === 'delta' && line.channel === 'args',
    );
    expect(again.every((line) => line.type === 'delta' && line.reset === true)).toBe(true);
    expect(textOf(again)).toBe('One two ');
    expect(textOf(again, 'thinking')).toBe('Hmm. ');
    expect(again.at(-1)).toMatchObject({
      call: 0,
      callId: 'c1',
      name: 'look',
      text: '{"a"',
      round: 1,
      seq: 2,
    });
    answer('One two three');
    expect((await linesOf(await call(`${body.events}?after=2`))).map(({ type }) => type)).toEqual([
      'step',
      'step',
      'end',
    ]);
  });

  it('never show a secret, wherever it is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', SECRET, SECRET.slice(0, 9), ' sk-', '\u{1f989}'), { maxLength: 6 }),
        fc.array(fc.nat(12), { minLength: 1, maxLength: 20 }),
        async (words, cuts) => {
          const { adapter, say, answer } = led();
          const secrets = new Secrets([SECRET]);
          const run = new LiveRun({
            id: 'r',
            run: { adapter, messages: [{ role: 'user', content: 'x' }] },
            request: { prompt: 'x' },
            secrets,
          });
          await run.started;
          await wait(0);
          const text = words.join('');
          const { signal } = new AbortController();
          const lines: StreamLine[] = [];
          const reading = (async () => {
            for await (const line of events(
              { lines: run.lines, live: run, status: 'running' },
              { after: 2, refs: false, secrets, signal },
            ))
              lines.push(JSON.parse(line));
          })();
          let at = 0;
          for (const cut of cuts) {
            say(text.slice(at, at + cut));
            at += cut;
            if (cut % 4 === 0) await wait(cut * 5);
          }
          await wait(60);
          answer(text);
          await reading;
          expect(JSON.stringify(lines)).not.toContain(SECRET);
          expect(secrets.clean(text).startsWith(textOf(lines))).toBe(true);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('the stream', () => {
  it('gives the same trace lines from any point on, however often a reader comes back', async () => {
    const { adapter, say, answer } = led();
    const { call, post } = await playground({ contents: contentsWith(adapter) });
    const { body } = await post('/runs', { prompt: 'hi' });
    await wait(20);
    say('Hello ');
    const live = call(body.events).then(linesOf);
    await wait(30);
    answer('Hello you');
    const isTrace = (line: StreamLine) => line.type === 'run' || line.type === 'step';
    const whole = (await live).filter(isTrace);
    expect(whole.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 5 }), async (reads) => {
        const got: StreamLine[] = [];
        const last = () => got.at(-1)?.seq ?? -1;
        for (const read of reads) {
          let left = read;
          const lines = await readUntil(await call(`${body.events}?after=${last()}`), () => --left === 0);
          got.push(...lines.filter(isTrace));
        }
        got.push(...(await linesOf(await call(`${body.events}?after=${last()}`))).filter(isTrace));
        expect(got).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  it('says that a tool runs, at once and to whoever comes later', async () => {
    let finish: (text: string) => void = () => {};
    const slow: PlaygroundTool = {
      tool: defineTool({
        name: 'slow',
        description: '',
        effect: 'reads',
        execute: () =>
          new Promise((resolve) => {
            finish = resolve as (text: string) => void;
          }),
      }),
    };
    let calls = 0;
    const { adapter } = led();
    const asking: Adapter = {
      ...adapter,
      chat: async () => ({
        message: {
          role: 'assistant',
          content: '',
          toolCalls: calls++ === 0 ? [{ id: 'c1', name: 'slow', argumentsJson: '{}' }] : [],
        },
        finishReason: calls === 1 ? 'tool_calls' : 'stop',
        usage: {},
      }),
    };
    const { call, post } = await playground({ contents: contentsWith(asking, [slow]) });
    const { body } = await post('/runs', { prompt: 'hi' });
    const isRunning = (line: StreamLine) => line.type === 'running';
    for (const after of [-1, 3]) {
      const lines = await readUntil(await call(`${body.events}?after=${after}`), isRunning);
      expect(lines.at(-1)).toMatchObject({ type: 'running', callId: 'c1', name: 'slow', round: 1, seq: 3 });
    }
    finish('ok');
    expect((await linesOf(await call(body.events))).at(-1)).toMatchObject({
      type: 'end',
      status: 'completed',
    });
  });

  it('a reader that leaves stops nothing; Stop reaches provider and tools', async () => {
    const it = led();
    const { call, post, get } = await playground({ contents: contentsWith(it.adapter) });
    const { body } = await post('/runs', { prompt: 'hi' });
    await wait(20);
    it.say('Half a ');
    await readUntil(await call(body.events), (line) => line.type === 'delta');
    await wait(20);
    expect(it.aborted).toBe(false);
    expect((await get(`/runs/${body.runId}`)).summary.status).toBe('running');
    expect((await call(`/api/v1/runs/${body.runId}`, { method: 'DELETE' })).status).toBe(409);
    await post(`/runs/${body.runId}/cancel`, {});
    expect(it.aborted).toBe(true);
    const lines = await linesOf(await call(body.events));
    expect(lines.find((line) => line.type === 'step' && line.step.kind === 'error')).toMatchObject({
      step: { code: 'aborted', partial: 'Half a ' },
    });
  });

  it('only so many runs go on at once; closing the server ends and records them', async () => {
    const { adapter } = led();
    const { post, server, call } = await playground({ contents: contentsWith(adapter), runningAtOnce: 1 });
    const { body } = await post('/runs', { prompt: 'hi' });
    expect(await post('/runs', { prompt: 'hi' })).toMatchObject({
      status: 429,
      body: { code: 'too_many_running' },
    });
    const reading = call(body.events).then(linesOf);
    await wait(50);
    await server.close();
    expect((await reading).at(-1)).toMatchObject({ type: 'end', status: 'aborted' });
  });
});
