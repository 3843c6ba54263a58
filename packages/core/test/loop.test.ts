import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AdapterError,
  defineTool,
  type Message,
  messagesSent,
  RunError,
  type RunStep,
  RunTrace,
  runLoop,
  ToolError,
  ToolOptions,
} from '@glassloop/core';
import { describe, expect, it, vi } from 'vitest';
import { responseOf, scripted } from './scripted-adapter.ts';

const user = (content: string): Message => ({ role: 'user', content });
const hi = [user('hi')];

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: { type: 'object', properties: { t: { type: 'string' } } },
  execute: (input: { t?: string }) => input.t ?? 'nothing',
});

function toolResults(messages: readonly Message[]) {
  return messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
}

async function rejected(promise: Promise<unknown>): Promise<RunError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RunError);
  return error as RunError;
}

describe('arguments of calls', () => {
  it('C001 broken JSON in one of two parallel calls goes back as an error result and never runs', async () => {
    const add = vi.fn(() => 'sum');
    const adapter = scripted([
      {
        calls: [
          { id: 'a1', name: 'add', args: '{"x": 1, "y": ' },
          { id: 'a2', name: 'echo', args: { t: 'hi' } },
        ],
      },
      { text: 'done' },
    ]);
    const trace = new RunTrace();
    const tools = [defineTool({ name: 'add', description: '', execute: add }), echo];
    const result = await runLoop({ adapter, messages: hi, tools }, trace);
    expect(add).not.toHaveBeenCalled();
    const [first, second] = toolResults(adapter.requests[1]!.messages);
    expect(first).toMatchObject({ toolCallId: 'a1', isError: true });
    expect(first!.content).toMatch(/not valid JSON/);
    expect(second).toMatchObject({ toolCallId: 'a2', content: 'hi', isError: false });
    expect(result.content).toBe('done');
    expect(trace.steps.filter((step) => step.kind === 'tool').map((step) => step.isError)).toEqual([
      true,
      false,
    ]);
  });

  it.each(['[1,2]', '"text"', '3', 'true', '{"a":1}{"b":2}', 'undefined'])(
    'C001 sibling: %s is no object, so nothing runs',
    async (args) => {
      const run = vi.fn();
      const adapter = scripted([{ calls: [{ name: 'now', args }] }, { text: 'ok' }]);
      await runLoop({
        adapter,
        messages: hi,
        tools: [defineTool({ name: 'now', description: '', execute: run })],
      });
      expect(run).not.toHaveBeenCalled();
      expect(toolResults(adapter.requests[1]!.messages)[0]).toMatchObject({ isError: true });
    },
  );

  it.each(['', '   ', '\n'])('C002 empty arguments %j mean no arguments', async (args) => {
    const run = vi.fn((_input: unknown) => 'noon');
    const adapter = scripted([{ calls: [{ name: 'now', args }] }, { text: 'ok' }]);
    await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'now', description: '', execute: run })],
    });
    expect(run.mock.calls[0]![0]).toEqual({});
  });

  it('C003 null arguments: run without required fields, an error result with them', async () => {
    const free = vi.fn(() => 'noon');
    const strict = vi.fn(() => 'never');
    const adapter = scripted([
      {
        calls: [
          { name: 'free', args: 'null' },
          { name: 'strict', args: 'null' },
        ],
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [
        defineTool({ name: 'free', description: '', execute: free }),
        defineTool({
          name: 'strict',
          description: '',
          input: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
          execute: strict,
        }),
      ],
    });
    expect(free).toHaveBeenCalledOnce();
    expect(strict).not.toHaveBeenCalled();
    expect(toolResults(adapter.requests[1]!.messages)[1]!.content).toMatch(/"q" is missing/);
    expect(result.content).toBe('ok');
  });

  it('C115 names from Object.prototype are unknown tools, unless registered', async () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
    const adapter = scripted([{ calls: names.map((name) => ({ name })) }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(toolResults(adapter.requests[1]!.messages).map(({ isError }) => isError)).toEqual(
      names.map(() => true),
    );

    const own = scripted([{ calls: [{ name: 'toString' }, { name: '__proto__' }] }, { text: 'ok' }]);
    const tools = ['toString', '__proto__'].map((name) =>
      defineTool({ name, description: '', execute: () => `ran ${name}` }),
    );
    await runLoop({ adapter: own, messages: hi, tools });
    expect(toolResults(own.requests[1]!.messages).map(({ content }) => content)).toEqual([
      'ran toString',
      'ran __proto__',
    ]);
  });

  it('C116 __proto__ inside arguments pollutes nothing, at any depth', async () => {
    let seen: Record<string, unknown> = {};
    const adapter = scripted([
      {
        calls: [
          { name: 'take', args: '{"__proto__":{"isAdmin":true},"a":1,"in":{"__proto__":{"isAdmin":true}}}' },
        ],
      },
      { text: 'ok' },
    ]);
    const take = defineTool({
      name: 'take',
      description: '',
      execute: (input: Record<string, unknown>) => {
        seen = input;
        return 'x';
      },
    });
    await runLoop({ adapter, messages: hi, tools: [take] });
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(seen['isAdmin']).toBeUndefined();
    expect((seen['in'] as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(seen['a']).toBe(1);
  });

  it('C123 NUL and control characters reach the tool and come back', async () => {
    let seen: unknown;
    const adapter = scripted([{ calls: [{ name: 'take', args: '{"s":"a\\u0000b"}' }] }, { text: 'ok' }]);
    const take = defineTool({
      name: 'take',
      description: '',
      execute: (input: { s: string }) => {
        seen = input.s;
        return 'x\u0000y\u001b[31m';
      },
    });
    await runLoop({ adapter, messages: hi, tools: [take] });
    expect(seen).toBe('a\u0000b');
    expect(toolResults(adapter.requests[1]!.messages)[0]!.content).toBe('x\u0000y\u001b[31m');
  });
});

describe('rounds', () => {
  it('C004 the round cap gives one closing round without tools, and says so', async () => {
    const list = vi.fn(() => 'nothing');
    const adapter = scripted([{ calls: [{ name: 'list' }] }], { text: 'Found nothing new.' });
    const trace = new RunTrace();
    const result = await runLoop(
      {
        adapter,
        messages: hi,
        maxRounds: 3,
        tools: [defineTool({ name: 'list', description: '', execute: list })],
      },
      trace,
    );
    expect(adapter.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
    expect(result).toMatchObject({ content: 'Found nothing new.', stopReason: 'round_limit', rounds: 4 });
    expect(result.stopDetail).toMatch(/All 3 rounds were used/);
    expect(list).toHaveBeenCalledTimes(3);
    const ids = result.messages.flatMap((m) =>
      m.role === 'assistant' ? m.toolCalls.map(({ id }) => id) : [],
    );
    expect(toolResults(result.messages).map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(trace.steps.findLast((step) => step.kind === 'request')).toMatchObject({
      round: 4,
      toolsOffered: [],
    });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['other', 'incomplete'],
  ] as const)('C005 calls in an answer that ended with %s are not run', async (finishReason, stopReason) => {
    const write = vi.fn();
    const adapter = scripted([{ finishReason, calls: [{ name: 'write', args: { path: 'a.md' } }] }]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'write', description: '', execute: write })],
    });
    expect(write).not.toHaveBeenCalled();
    expect(result.stopReason).toBe(stopReason);
    expect(result.stopDetail).toBeTruthy();
    // The conversation can be continued: the call has its result.
    expect(toolResults(result.messages)).toMatchObject([{ isError: true }]);
    await expect(
      runLoop({ adapter: scripted([{ text: 'on' }]), messages: result.messages }),
    ).resolves.toMatchObject({ content: 'on' });
  });

  it('C006 an unknown tool is an error result that names it, and the run goes on', async () => {
    const adapter = scripted([
      {
        calls: [
          { id: 'u1', name: 'serach' },
          { id: 'u2', name: 'search', args: { q: 'x' } },
        ],
      },
      { text: 'ok' },
    ]);
    const search = vi.fn(() => 'found');
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [defineTool({ name: 'search', description: '', execute: search })],
    });
    expect(search).toHaveBeenCalledOnce();
    expect(toolResults(adapter.requests[1]!.messages)).toMatchObject([
      { toolCallId: 'u1', isError: true, content: expect.stringContaining('serach') },
      { toolCallId: 'u2', isError: false, content: 'found' },
    ]);
    expect(result.rounds).toBe(2);
  });

  it('C118 a registered tool that is not offered is not run', async () => {
    const remove = vi.fn();
    const adapter = scripted([
      { calls: [{ name: 'delete' }] },
      { calls: [{ name: 'delete' }] },
      { text: 'ok' },
    ]);
    const tools = [
      defineTool({ name: 'read', description: '', execute: () => 'r' }),
      defineTool({ name: 'delete', description: '', execute: remove }),
    ];
    await runLoop({ adapter, messages: hi, tools, allowedTools: ['read'] });
    expect(remove).not.toHaveBeenCalled();
    expect(adapter.requests[0]!.tools.map(({ name }) => name)).toEqual(['read']);
    for (const { content, isError } of toolResults(adapter.requests[2]!.messages)) {
      expect(isError).toBe(true);
      expect(content).toMatch(/not available/);
    }
  });

  it('allowedTools: null offers all, an empty list none, unknown names are reported', async () => {
    const all = scripted([{ text: 'ok' }]);
    await runLoop({ adapter: all, messages: hi, tools: [echo], allowedTools: null });
    expect(all.requests[0]!.tools).toHaveLength(1);
    const none = scripted([{ text: 'ok' }]);
    const options = new ToolOptions({ temperature: 0.5, toolChoice: 'auto', parallelToolCalls: false });
    const result = await runLoop({ adapter: none, messages: hi, tools: [echo], allowedTools: [], options });
    expect(none.requests).toHaveLength(1);
    expect(none.requests[0]!).toMatchObject({ tools: [], options: { temperature: 0.5 } });
    expect(none.requests[0]!.options).not.toHaveProperty('toolChoice');
    expect(none.requests[0]!.options).not.toHaveProperty('parallelToolCalls');
    expect(result.stopReason).toBe('completed');
    const unknown = await runLoop({
      adapter: scripted([{ text: 'ok' }]),
      messages: hi,
      tools: [echo],
      allowedTools: ['ech0'],
    });
    expect(unknown.warnings.join()).toMatch(/ech0/);
  });

  it('C008 results keep the order of the calls, whatever finishes first', async () => {
    const adapter = scripted([
      {
        calls: [
          { id: 's', name: 'slow' },
          { id: 'f', name: 'fast' },
        ],
      },
      { text: 'ok' },
    ]);
    const slow = defineTool({ name: 'slow', description: '', execute: () => sleep(30).then(() => 'slow') });
    const fast = defineTool({ name: 'fast', description: '', execute: () => 'fast' });
    const trace = new RunTrace();
    await runLoop({ adapter, messages: hi, tools: [slow, fast] }, trace);
    expect(toolResults(adapter.requests[1]!.messages).map(({ toolCallId }) => toolCallId)).toEqual([
      's',
      'f',
    ]);
    expect(trace.steps.flatMap((step) => (step.kind === 'tool' ? [step.call.id] : []))).toEqual(['f', 's']);
  });

  it('C127 tools of one round run side by side, failures included; toolConcurrency 1 runs them in order', async () => {
    let running = 0;
    let most = 0;
    const finished: string[] = [];
    const tools = ['a', 'b', 'c'].map((name) =>
      defineTool({
        name,
        description: '',
        execute: async () => {
          most = Math.max(most, ++running);
          await sleep(name === 'b' ? 1 : 20);
          running--;
          finished.push(name);
          if (name === 'b') throw new Error('no');
          return name;
        },
      }),
    );
    const calls = tools.map(({ name }) => ({ name }));
    const adapter = scripted([{ calls }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools });
    expect(most).toBe(3);
    expect(running).toBe(0);
    expect(toolResults(adapter.requests[1]!.messages).map(({ isError }) => isError)).toEqual([
      false,
      true,
      false,
    ]);
    most = 0;
    finished.length = 0;
    await runLoop({
      adapter: scripted([{ calls }, { text: 'ok' }]),
      messages: hi,
      tools,
      toolConcurrency: 1,
    });
    expect(most).toBe(1);
    expect(finished).toEqual(['a', 'b', 'c']);
  });

  it.each(['required', { tool: 'echo' }] as const)(
    'C011 a forced tool choice (%j) holds for the first round only',
    async (toolChoice) => {
      const adapter = scripted([{ calls: [{ name: 'echo' }] }, { text: 'Two tables.' }]);
      const options = new ToolOptions({ toolChoice });
      const result = await runLoop({ adapter, messages: hi, tools: [echo], options });
      expect(adapter.requests.map((request) => request.options.toolChoice)).toEqual([toolChoice, 'auto']);
      expect(result).toMatchObject({ content: 'Two tables.', rounds: 2 });
      const capped = scripted([{ calls: [{ name: 'echo' }] }], { text: 'end' });
      await runLoop({ adapter: capped, messages: hi, tools: [echo], options, maxRounds: 1 });
      expect(capped.requests[1]!.options).not.toHaveProperty('toolChoice');
    },
  );

  it('C012 nothing the caller gave is changed, and a second run sends the same', async () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const messages = freeze<Message[]>([{ role: 'system', content: 'S' }, user('hi')]);
    const before = structuredClone(messages);
    const adapter = scripted([
      { calls: [{ name: 'echo', args: { t: 'x' } }] },
      { text: 'ok' },
      { text: 'ok' },
    ]);
    const run = { adapter, messages, tools: freeze([echo]), options: new ToolOptions({ temperature: 0 }) };
    await runLoop(run);
    await runLoop(run);
    expect(messages).toEqual(before);
    const [first, , third] = adapter.requests;
    expect(JSON.stringify(third)).toBe(JSON.stringify(first));
  });

  it('C013 an empty last answer stays empty', async () => {
    const adapter = scripted([
      { text: 'Let me look.', calls: [{ name: 'echo' }] },
      { text: '', thinking: 'hm' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result).toMatchObject({
      content: '',
      thinking: 'hm',
      stopReason: 'completed',
      finishReason: 'stop',
    });
    expect(result.stopDetail).toMatch(/no text/);
  });

  it('C015 every call of a large turn has one result; a limit leaves the rest unrun and says so', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => ({
      id: `k${index}`,
      name: 'echo',
      args: { t: String(index) },
    }));
    const adapter = scripted([{ calls }, { text: 'ok' }]);
    await runLoop({ adapter, messages: hi, tools: [echo], maxRounds: 2 });
    expect(toolResults(adapter.requests[1]!.messages).map(({ content }) => content)).toEqual(
      calls.map(({ args }) => args.t),
    );
    const limited = scripted([{ calls }], { text: 'closing' });
    const result = await runLoop({ adapter: limited, messages: hi, tools: [echo], limits: { toolCalls: 5 } });
    expect(toolResults(limited.requests[1]!.messages).filter(({ isError }) => isError)).toHaveLength(35);
    expect(result).toMatchObject({ stopReason: 'limit', content: 'closing' });
  });

  it.each([1_000_000, Number.POSITIVE_INFINITY, Number.NaN, 0, -3, 2.7, '5' as never, 1001])(
    'C120 maxRounds %s is refused before anything is sent',
    async (maxRounds) => {
      const adapter = scripted([{ text: 'ok' }]);
      await expect(runLoop({ adapter, messages: hi, maxRounds })).rejects.toThrow(
        /maxRounds must be a whole number from 1 to 1000/,
      );
      expect(adapter.requests).toHaveLength(0);
    },
  );

  it('the same calls with the same results again and again end the run', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }], { text: 'given up' });
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [echo],
      maxRounds: 50,
      limits: { repeats: 3 },
    });
    expect(result).toMatchObject({ stopReason: 'repeat', content: 'given up', rounds: 4 });
    let count = 0;
    const poll = defineTool({ name: 'poll', description: '', execute: () => `try ${++count}` });
    const changing = scripted([{ calls: [{ name: 'poll' }] }], { text: 'end' });
    expect(await runLoop({ adapter: changing, messages: hi, tools: [poll], maxRounds: 8 })).toMatchObject({
      stopReason: 'round_limit',
    });
  });

  it('limits on tokens and cost end the run before the next call and keep the conversation complete', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo' }] }]);
    const tokens = await runLoop({ adapter, messages: hi, tools: [echo], limits: { totalTokens: 20 } });
    expect(tokens).toMatchObject({ stopReason: 'limit', rounds: 2 });
    expect(tokens.stopDetail).toMatch(/20 tokens/);
    expect(toolResults(tokens.messages)).toHaveLength(2);
    const prices = { fresh: 1e6, output: 1e6 };
    const cost = await runLoop({ adapter, messages: hi, tools: [echo], prices, limits: { cost: 5 } });
    expect(cost).toMatchObject({ stopReason: 'limit', rounds: 1, usage: { estimatedCost: 12 } });
  });

  it('ids that come again in a later round are told apart', async () => {
    const adapter = scripted([
      { calls: [{ id: 'call_0', name: 'echo', args: { t: '1' } }] },
      {
        calls: [
          { id: 'call_0', name: 'echo', args: { t: '2' } },
          { id: 'call_0', name: 'echo', args: { t: '3' } },
        ],
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    const ids = toolResults(result.messages).map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(3);
    expect(toolResults(result.messages).map(({ content }) => content)).toEqual(['1', '2', '3']);
  });
});

describe('tools that fail', () => {
  it('C007 throwing in any way is an error result without a stack, and what was thrown stays in the trace', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const adapter = scripted([
      { calls: [{ name: 't1' }, { name: 't2' }, { name: 't3' }, { name: 't4' }] },
      { text: 'ok' },
    ]);
    const tools = [
      defineTool({
        name: 't1',
        description: '',
        execute: () => {
          throw new Error('boom, password=hunter2');
        },
      }),
      defineTool({ name: 't2', description: '', execute: () => Promise.reject(undefined) }),
      defineTool({
        name: 't3',
        description: '',
        execute: () => {
          throw 'plain string';
        },
      }),
      defineTool({
        name: 't4',
        description: '',
        execute: () => {
          throw new ToolError('Say which city.');
        },
      }),
    ];
    const trace = new RunTrace();
    const result = await runLoop({ adapter, messages: hi, tools }, trace);
    await sleep(5);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    const results = toolResults(adapter.requests[1]!.messages);
    expect(results).toHaveLength(4);
    for (const { content, isError } of results) {
      expect(isError).toBe(true);
      expect(content).not.toBe('');
      expect(content).not.toMatch(/hunter2|at .*\.ts/);
    }
    expect(results[3]!.content).toBe('Say which city.');
    expect(trace.steps.find((step) => step.kind === 'tool')).toMatchObject({
      thrown: 'Error: boom, password=hunter2',
    });
    expect(result.content).toBe('ok');
  });

  it('a tool that never settles ends at its own time limit, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const hang = defineTool({
      name: 'hang',
      description: '',
      execute: (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const adapter = scripted([{ calls: [{ name: 'hang' }] }, { text: 'ok' }]);
    const result = await runLoop({ adapter, messages: hi, tools: [hang], toolTimeoutMs: 20 });
    expect(toolResults(result.messages)[0]).toMatchObject({
      isError: true,
      content: expect.stringContaining('20 ms'),
    });
    expect(signal!.aborted).toBe(true);
    expect(result.content).toBe('ok');
  });
});

describe('stopping', () => {
  it('C009 abort while a tool never settles: settles at once, keeps what there is', async () => {
    const controller = new AbortController();
    let toolSignal: AbortSignal | undefined;
    const hang = defineTool({
      name: 'hang',
      description: '',
      execute: (_, context) => {
        toolSignal = context.signal;
        return new Promise(() => {});
      },
    });
    const adapter = scripted([{ calls: [{ id: 'x', name: 'hang' }] }]);
    const trace = new RunTrace();
    setTimeout(() => controller.abort(), 20);
    const error = await rejected(
      runLoop({ adapter, messages: hi, tools: [hang], signal: controller.signal }, trace),
    );
    expect(error).toMatchObject({ code: 'aborted', name: 'AbortError', cause: controller.signal.reason });
    expect(error.result.usage).toMatchObject({ promptTokens: 10 });
    expect(toolResults(error.result.messages)).toMatchObject([{ toolCallId: 'x', isError: true }]);
    expect(toolSignal!.aborted).toBe(true);
    expect(adapter.requests).toHaveLength(1);
    expect(trace.steps.at(-1)).toMatchObject({ kind: 'end', stopReason: 'aborted' });
  });

  it('C010 abort between rounds: the next request is never made, the reason is the caller’s', async () => {
    const controller = new AbortController();
    const reason = { why: 'changed my mind' };
    const t = defineTool({
      name: 't',
      description: '',
      execute: () => {
        controller.abort(reason);
        return 'ok';
      },
    });
    const adapter = scripted([{ calls: [{ name: 't' }] }, { text: 'final' }]);
    const error = await rejected(runLoop({ adapter, messages: hi, tools: [t], signal: controller.signal }));
    expect(error.cause).toBe(reason);
    expect(error.code).toBe('aborted');
    expect(adapter.requests).toHaveLength(1);
  });

  it('settles at once at every point: before, while the model is asked, while waiting to try again', async () => {
    const before = scripted([{ text: 'ok' }]);
    expect(
      (await rejected(runLoop({ adapter: before, messages: hi, signal: AbortSignal.abort('no') }))).cause,
    ).toBe('no');
    expect(before.requests).toHaveLength(0);

    const asking = new AbortController();
    setTimeout(() => asking.abort(), 10);
    const deaf = scripted([() => new Promise(() => {})]);
    expect((await rejected(runLoop({ adapter: deaf, messages: hi, signal: asking.signal }))).code).toBe(
      'aborted',
    );

    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 10);
    const busy = scripted([
      () => {
        throw new AdapterError('rate_limited', 'slow down', { retryAfterMs: 30_000 });
      },
    ]);
    expect((await rejected(runLoop({ adapter: busy, messages: hi, signal: waiting.signal }))).code).toBe(
      'aborted',
    );
    expect(busy.requests).toHaveLength(1);
  });

  it('C103 a caller’s time-out signal is a time-out, the run’s own limit ends it with a result, and no timer stays', async () => {
    const deaf = scripted([() => new Promise(() => {})]);
    const error = await rejected(runLoop({ adapter: deaf, messages: hi, signal: AbortSignal.timeout(10) }));
    expect(error).toMatchObject({ code: 'timeout', name: 'TimeoutError' });
    const slow = scripted([{ text: 'step', calls: [{ name: 'hang' }] }]);
    const hang = defineTool({ name: 'hang', description: '', execute: () => new Promise(() => {}) });
    const result = await runLoop({ adapter: slow, messages: hi, tools: [hang], limits: { durationMs: 20 } });
    expect(result).toMatchObject({ stopReason: 'limit', content: 'step' });
    expect(result.stopDetail).toMatch(/20 ms/);
  });

  it('limits too long for a timer are no limits, instead of firing at once', async () => {
    const slow = defineTool({ name: 'slow', description: '', execute: () => sleep(5).then(() => 'done') });
    const adapter = scripted([{ calls: [{ name: 'slow' }] }, { text: 'ok' }]);
    const result = await runLoop({
      adapter,
      messages: hi,
      tools: [slow],
      toolTimeoutMs: 1e12,
      limits: { durationMs: 1e12 },
    });
    expect(result).toMatchObject({ stopReason: 'completed' });
    expect(toolResults(result.messages)[0]!.content).toBe('done');
  });

  it('C125 no listener is left on the caller’s signal after 20 runs of 60 rounds', async () => {
    const { signal } = new AbortController();
    const warnings = vi.fn();
    process.on('warning', warnings);
    let count = 0;
    const tick = defineTool({
      name: 'tick',
      description: '',
      execute: (_, context) => (context.signal.aborted ? 'no' : `${++count}`),
    });
    for (let run = 0; run < 20; run++) {
      const adapter = scripted([{ calls: [{ name: 'tick' }] }], { text: 'end' });
      await runLoop({ adapter, messages: hi, tools: [tick], maxRounds: 60, signal });
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await sleep(5);
    process.off('warning', warnings);
    expect(warnings).not.toHaveBeenCalled();
  });

  it('hands over the text of an answer that was cut off while streaming', async () => {
    const controller = new AbortController();
    const adapter = scripted([
      ({ onDelta }) => {
        onDelta?.({ kind: 'text', text: 'Half of' });
        setTimeout(() => controller.abort(), 5);
        return new Promise(() => {});
      },
    ]);
    const error = await rejected(
      runLoop({ adapter, messages: hi, signal: controller.signal, onDelta: () => {} }),
    );
    expect(error.result.partial).toBe('Half of');
  });
});

describe('failures and retries', () => {
  const fails =
    (code: 'rate_limited' | 'auth' | 'unavailable', facts = {}) =>
    () => {
      throw new AdapterError(code, `it is ${code}`, facts);
    };

  it('C023 the request is recorded before the call, also when the call fails; the error hands over what there is', async () => {
    const seen: RunStep[] = [];
    let stepsAtCall = 0;
    const adapter = scripted([
      () => {
        stepsAtCall = seen.length;
        throw new AdapterError('unavailable', 'HTTP 500', { status: 500 });
      },
    ]);
    const trace = new RunTrace({ onRecord: (step) => void seen.push(step) });
    const error = await rejected(
      runLoop({ adapter, messages: hi, tools: [echo], retry: { maxRetries: 0 } }, trace),
    );
    expect(seen.slice(0, stepsAtCall).at(-1)).toMatchObject({
      kind: 'request',
      round: 1,
      toolsOffered: ['echo'],
    });
    expect(seen.find((step) => step.kind === 'error')).toMatchObject({
      code: 'unavailable',
      status: 500,
      durationMs: expect.any(Number),
    });
    expect(seen.at(-1)).toMatchObject({ kind: 'end', stopReason: 'failed' });
    expect(error).toMatchObject({ code: 'unavailable', hint: expect.any(String), result: { rounds: 0 } });
    expect(error.cause).toBeInstanceOf(AdapterError);
  });

  it('a failure in a later round keeps everything before it', async () => {
    const adapter = scripted([{ calls: [{ name: 'echo', args: { t: 'x' } }] }, fails('auth')]);
    const error = await rejected(runLoop({ adapter, messages: hi, tools: [echo] }));
    expect(error.result).toMatchObject({ rounds: 1, usage: { totalTokens: 12 } });
    expect(error.result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])(
    'C108 maxRetries %i makes %i attempts, each failed one a step that says when the next starts',
    async (maxRetries, attempts) => {
      const adapter = scripted([fails('unavailable')]);
      const trace = new RunTrace();
      await rejected(runLoop({ adapter, messages: hi, retry: { maxRetries, baseDelayMs: 1 } }, trace));
      expect(adapter.requests).toHaveLength(attempts);
      const errors = trace.steps.filter((step) => step.kind === 'error');
      expect(errors.map(({ retryInMs }) => retryInMs !== undefined)).toEqual(
        Array.from({ length: attempts }, (_, i) => i < attempts - 1),
      );
      expect(trace.steps.flatMap((step) => (step.kind === 'request' ? [step.attempt] : []))).toEqual(
        Array.from({ length: attempts }, (_, i) => i + 1),
      );
    },
  );

  it('C108 a negative maxRetries is refused; what cannot get better is never tried again', async () => {
    await expect(
      runLoop({ adapter: scripted([{}]), messages: hi, retry: { maxRetries: -1 } }),
    ).rejects.toThrow(/maxRetries/);
    for (const code of [
      'auth',
      'billing',
      'invalid_request',
      'not_found',
      'context_exceeded',
      'content_filter',
      'timeout',
      'unsupported',
    ] as const) {
      const adapter = scripted([
        () => {
          throw new AdapterError(code, code);
        },
      ]);
      await rejected(runLoop({ adapter, messages: hi }));
      expect(adapter.requests).toHaveLength(1);
    }
  });

  it('C101 waits as long as the provider asks, and fails at once when that is too long', async () => {
    const adapter = scripted([fails('rate_limited', { retryAfterMs: 60 }), { text: 'ok' }]);
    const trace = new RunTrace();
    await runLoop({ adapter, messages: hi }, trace);
    const [first, second] = trace.steps.flatMap((step) => (step.kind === 'request' ? [step.at] : []));
    expect(second! - first!).toBeGreaterThanOrEqual(55);
    const long = scripted([fails('rate_limited', { retryAfterMs: 120_000 })]);
    const error = await rejected(runLoop({ adapter: long, messages: hi }));
    expect(error.code).toBe('rate_limited');
    expect(long.requests).toHaveLength(1);
  });

  it('an adapter that throws something of its own, or returns no message, is an internal failure', async () => {
    const error = await rejected(
      runLoop({
        adapter: scripted([
          () => {
            throw new TypeError('x is undefined');
          },
        ]),
        messages: hi,
      }),
    );
    expect(error).toMatchObject({ code: 'internal' });
    const nothing = await rejected(runLoop({ adapter: scripted([() => undefined as never]), messages: hi }));
    expect(nothing.code).toBe('internal');
  });

  it('a retry after streamed text tells the watcher to start over', async () => {
    const deltas: string[] = [];
    const adapter = scripted([
      ({ onDelta }) => {
        onDelta?.({ kind: 'text', text: 'Hal' });
        throw new AdapterError('network', 'gone', { partial: 'Hal' });
      },
      (request) => {
        request.onDelta?.({ kind: 'text', text: 'Half' });
        return responseOf({ text: 'Half' });
      },
    ]);
    await runLoop({
      adapter,
      messages: hi,
      retry: { baseDelayMs: 1 },
      onDelta: (delta) => void deltas.push(delta.kind === 'text' ? delta.text : delta.kind),
    });
    expect(deltas).toEqual(['Hal', 'restart', 'Half']);
  });
});

describe('usage', () => {
  it('C109 rounds without usage are counted as rounds, and sums stay numbers', async () => {
    const calls = [{ name: 'echo' }];
    const adapter = scripted([
      { calls },
      { calls, usage: {} },
      { calls, usage: {} },
      { text: 'ok', usage: {} },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result.usage).toEqual({ promptTokens: 10, completionTokens: 2, totalTokens: 12 });
    expect(result).toMatchObject({ rounds: 4, uncountedRounds: 3 });
  });

  it('C111 cached tokens are not paid twice, and never give a negative cost', async () => {
    const prices = { fresh: 0.5, cacheRead: 0.05, output: 3 };
    const usage = { promptTokens: 20212, cacheReadTokens: 16298, completionTokens: 931, totalTokens: 21143 };
    const result = await runLoop({ adapter: scripted([{ text: 'ok', usage }]), messages: hi, prices });
    expect(result.usage.estimatedCost).toBeCloseTo(0.0055649, 10);
    const odd = { promptTokens: 5, cacheReadTokens: 50, completionTokens: 0 };
    const none = await runLoop({ adapter: scripted([{ text: 'ok', usage: odd }]), messages: hi, prices });
    expect(none.usage.estimatedCost).toBeGreaterThanOrEqual(0);
  });

  it('C112 sums over all rounds, the closing one included, and starts from zero each time', async () => {
    const round = (p: number, c: number) => ({ promptTokens: p, completionTokens: c, totalTokens: p + c });
    const calls = [{ name: 'echo' }];
    const make = () =>
      scripted(
        [
          { calls, usage: round(10, 2) },
          { calls, usage: round(20, 3) },
        ],
        { text: 'ok', usage: round(30, 4) },
      );
    const trace = new RunTrace();
    const result = await runLoop({ adapter: make(), messages: hi, tools: [echo], maxRounds: 2 }, trace);
    expect(result.usage).toEqual(round(60, 9));
    expect(trace.steps.flatMap((step) => (step.kind === 'response' ? [step.usage] : []))).toEqual([
      round(10, 2),
      round(20, 3),
      round(30, 4),
    ]);
    expect((await runLoop({ adapter: make(), messages: hi, tools: [echo], maxRounds: 2 })).usage).toEqual(
      round(60, 9),
    );
  });

  it('counts what a failed answer cost, retried or not, and never a failed answer that cost nothing', async () => {
    const usage = { promptTokens: 5, completionTokens: 1, totalTokens: 6 };
    const malformed = () => {
      throw new AdapterError('bad_response', 'malformed call', { usage });
    };
    const trace = new RunTrace();
    const retry = { baseDelayMs: 1 };
    const result = await runLoop(
      { adapter: scripted([malformed, { text: 'ok' }]), messages: hi, retry },
      trace,
    );
    expect(result.usage).toEqual({ promptTokens: 15, completionTokens: 3, totalTokens: 18 });
    expect(trace.steps.find((step) => step.kind === 'error')).toMatchObject({ usage });
    const error = await rejected(
      runLoop({ adapter: scripted([malformed]), messages: hi, retry: { maxRetries: 0 } }),
    );
    expect(error.result.usage).toEqual(usage);
    const free = await rejected(
      runLoop({
        adapter: scripted([
          () => {
            throw new AdapterError('auth', 'no');
          },
        ]),
        messages: hi,
      }),
    );
    expect(free.result.usage).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
  });

  it('C114 without a price the cost is unknown, and a sum with an unknown part says so', async () => {
    expect((await runLoop({ adapter: scripted([{ text: 'ok' }]), messages: hi })).usage).not.toHaveProperty(
      'estimatedCost',
    );
    const adapter = scripted([
      {
        calls: [{ name: 'echo' }],
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2, estimatedCost: 0.5 },
      },
      { text: 'ok' },
    ]);
    const result = await runLoop({ adapter, messages: hi, tools: [echo] });
    expect(result.usage.estimatedCost).toBe(0.5);
    expect(result.unpricedRounds).toBe(1);
  });

  it('C093 a cost of 0 from the provider is kept as 0, whatever the prices say', async () => {
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, estimatedCost: 0 };
    const result = await runLoop({
      adapter: scripted([{ text: 'ok', usage }]),
      messages: hi,
      prices: { fresh: 1, output: 1 },
    });
    expect(result.usage.estimatedCost).toBe(0);
  });
});

describe('wrong arguments', () => {
  const adapter = scripted([{ text: 'ok' }]);
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['no adapter', { messages: hi }, /adapter must be an adapter.*got undefined/],
    ['messages no list', { adapter, messages: 'hi' }, /messages must be a list; got "hi"/],
    ['no messages', { adapter, messages: [] }, /at least one message/],
    ['unknown role', { adapter, messages: [{ role: 'bot', content: 'x' }] }, /messages\[0\]\.role/],
    [
      'content no text',
      { adapter, messages: [{ role: 'user', content: 3 }] },
      /messages\[0\]\.content must be a text; got 3/,
    ],
    [
      'unknown part',
      { adapter, messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      /messages\[0\]\.content\[0\]/,
    ],
    [
      'call without result',
      {
        adapter,
        messages: [
          user('a'),
          { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'e', argumentsJson: '{}' }] },
          user('b'),
        ],
      },
      /call "x" of messages\[1\] has no result/,
    ],
    [
      'result without call',
      {
        adapter,
        messages: [user('a'), { role: 'tool', toolCallId: 'y', toolName: 'e', content: '', isError: false }],
      },
      /answers call "y"/,
    ],
    ['unknown argument', { adapter, messages: hi, maxTurns: 3 }, /unknown argument "maxTurns"/],
    ['two tools of one name', { adapter, messages: hi, tools: [echo, echo] }, /two tools are called "echo"/],
    [
      'plain options',
      { adapter, messages: hi, options: { temperature: 1 } },
      /options must be a ToolOptions/,
    ],
    [
      'a tool choice of no tool',
      { adapter, messages: hi, tools: [echo], options: new ToolOptions({ toolChoice: { tool: 'nope' } }) },
      /toolChoice must be one of the tools \(echo\)/,
    ],
    [
      'negative limit',
      { adapter, messages: hi, limits: { cost: -1 } },
      /limits\.cost must be a number > 0; got -1/,
    ],
  ];
  it.each(cases)('%s', async (_, run, message) => {
    await expect(runLoop(run as never)).rejects.toThrow(message);
    expect(adapter.requests).toHaveLength(0);
  });

  it.each([
    [{ temperature: 3 }, /temperature must be a number from 0 to 2; got 3/],
    [{ maxTokens: 0 }, /maxTokens must be a whole number ≥ 1; got 0/],
    [{ stop: [''] }, /stop must be a list of texts/],
    [{ toolChoice: 'maybe' }, /toolChoice must be/],
    [{ maxToken: 3 }, /unknown option "maxToken"/],
    [{ thinking: 'yes' }, /thinking must be true or false/],
  ])('ToolOptions %j', (values, message) => {
    expect(() => new ToolOptions(values as never)).toThrow(message);
  });

  it.each(['fs.read', 'weather today', 'größe', '', '9lives', 'a'.repeat(65)])(
    'C119 the tool name %j is refused with the allowed form',
    (name) => {
      expect(() => defineTool({ name, description: '', execute: () => '' })).toThrow(
        /Use 1 to 64 of a-z A-Z 0-9 _ -/,
      );
    },
  );

  it('messagesSent gives the list of each round', async () => {
    const trace = new RunTrace();
    const chat = scripted([{ calls: [{ name: 'echo' }] }, { text: 'ok' }]);
    await runLoop({ adapter: chat, messages: hi, tools: [echo] }, trace);
    expect(messagesSent(trace.steps, 1)).toEqual(chat.requests[0]!.messages);
    expect(messagesSent(trace.steps, 2)).toEqual(chat.requests[1]!.messages);
    expect(messagesSent(trace.steps, 3)).toEqual([]);
  });
});
