import { defineTool, runLoop } from '@glassloop/core';
import type { Message } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { NO_SIGNATURE } from '../src/contents.ts';
import { answer, asking, continued, events, json, scripted, sse, tool, user, watching } from './helpers.ts';

const call = (name: string, args?: object, more: object = {}) => ({
  functionCall: { name, ...(args === undefined ? {} : { args }), ...more },
});
const done = json(answer([{ text: 'done' }]));
const question: Message[] = [{ role: 'user', content: 'Weather?' }];

function named(name: string, execute: (input: never) => unknown, parameters?: Record<string, unknown>) {
  return defineTool({ name, description: name, ...(parameters && { input: parameters }), execute });
}

function answering<T>(seen: T[], result: string): (input: never) => string {
  return (input: T) => {
    seen.push(input);
    return result;
  };
}

describe('tool calls', () => {
  for (const how of ['whole', 'streamed'] as const) {
    it(`C053 parallel calls to one function without ids, ${how}`, async () => {
      const parts = [call('w', { c: 'Oslo' }), call('w', { c: 'Rome' })];
      const first = how === 'whole' ? json(answer(parts)) : sse(answer(parts));
      const second = how === 'whole' ? done : sse(answer([{ text: 'done' }]));
      const { adapter, body } = await scripted([first, second]);
      const w = named('w', async ({ c }: { c: string }) => {
        await new Promise((resolve) => setTimeout(resolve, c === 'Oslo' ? 40 : 0));
        return c === 'Oslo' ? 'cold' : 'warm';
      });
      const result = await runLoop({
        adapter,
        messages: question,
        tools: [w],
        ...(how === 'streamed' && { onDelta: () => {} }),
      });
      expect(result.content).toBe('done');
      const answered = result.messages.find((message) => message.role === 'assistant')!;
      const [a, b] = answered.role === 'assistant' ? answered.toolCalls : [];
      expect(a!.id).not.toBe(b!.id);
      const contents = body(1).contents;
      expect(contents).toHaveLength(3);
      expect(contents[1]).toEqual({ role: 'model', parts });
      expect(contents[2]).toEqual({
        role: 'user',
        parts: [
          { functionResponse: { name: 'w', response: { output: 'cold' } } },
          { functionResponse: { name: 'w', response: { output: 'warm' } } },
        ],
      });
    });
  }

  it('C054 as many responses as calls, in one turn', async () => {
    const { adapter, body } = await scripted([
      json(answer([call('ok', {}), call('bad', {}), call('none', {})])),
      done,
    ]);
    await runLoop({
      adapter,
      messages: question,
      tools: [
        named('ok', () => 'fine'),
        named('bad', () => {
          throw new Error('no');
        }),
      ],
    });
    const { contents } = body(1);
    expect(contents).toHaveLength(3);
    expect(contents[2].role).toBe('user');
    const responses = contents[2].parts.map((part: { functionResponse: object }) => part.functionResponse);
    expect(responses).toMatchObject([
      { name: 'ok', response: { output: 'fine' } },
      { name: 'bad', response: { error: expect.any(String) } },
      { name: 'none', response: { error: expect.any(String) } },
    ]);
  });

  it('C054 a user message behind the results is a content of its own, and two assistant messages are one', async () => {
    const { adapter, body } = await scripted([json(answer([call('a', {})])), done]);
    const response = await adapter.chat(asking({ tools: [tool('a')] }));
    const talk: Message = { role: 'assistant', content: 'One moment.', toolCalls: [] };
    await adapter.chat(
      asking({
        messages: [
          user,
          talk,
          ...continued(response, [{ content: 'r' }], []),
          { role: 'user', content: 'and now?' },
        ],
      }),
    );
    expect(body(1).contents.map((content: { role: string }) => content.role)).toEqual([
      'user',
      'model',
      'user',
      'user',
    ]);
    expect(body(1).contents[1].parts).toEqual([{ text: 'One moment.' }, call('a', {})]);
  });

  for (const kept of ['as it is', 'stored as JSON'] as const) {
    it(`C055 a real id is echoed, an invented one stays inside, transcript ${kept}`, async () => {
      const parts = [call('a', {}, { id: 'g-77' }), call('b', {})];
      const { adapter, body } = await scripted([json(answer(parts)), done]);
      const response = await adapter.chat(asking({ tools: [tool('a'), tool('b')] }));
      const [a, b] = response.message.toolCalls;
      expect(a!.id).toBe('g-77');
      expect(b!.id).toMatch(/^[A-Za-z0-9]{9}$/);
      const messages = continued(response, [{ content: '1' }, { content: '2' }]);
      await adapter.chat(
        asking({ messages: kept === 'as it is' ? messages : JSON.parse(JSON.stringify(messages)) }),
      );
      expect(body(1).contents[1].parts).toEqual(parts);
      expect(body(1).contents[2].parts).toEqual([
        { functionResponse: { id: 'g-77', name: 'a', response: { output: '1' } } },
        { functionResponse: { name: 'b', response: { output: '2' } } },
      ]);
      expect(JSON.stringify(body(1))).not.toContain(b!.id);
    });
  }

  it('C055 ids that a server counts anew each round still go back as it gave them', async () => {
    const asks = json(answer([{ ...call('a', { n: 1 }, { id: '1' }), thoughtSignature: 'UzE=' }]));
    const { adapter, body } = await scripted([asks, asks, done]);
    const result = await runLoop({ adapter, messages: question, tools: [named('a', () => 'r')] });
    const ids = result.messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(2);
    const { contents } = body(2);
    for (const place of [1, 3]) {
      expect(contents[place].parts).toEqual([
        { ...call('a', { n: 1 }, { id: '1' }), thoughtSignature: 'UzE=' },
      ]);
      expect(contents[place + 1].parts[0].functionResponse.id).toBe('1');
    }
  });

  it('C055 a message edited since it was received loses its state', async () => {
    const { adapter, body } = await scripted([
      json(answer([{ text: 'secret' }, { ...call('a', {}, { id: 'g-1' }), thoughtSignature: 'UzE=' }])),
      done,
    ]);
    const response = await adapter.chat(asking({ tools: [tool('a')] }));
    const message = { ...response.message, content: 'redacted' };
    await adapter.chat(asking({ messages: continued({ ...response, message }, [{ content: 'r' }]) }));
    expect(body(1).contents[1].parts).toEqual([{ text: 'redacted' }, call('a', {})]);
    expect(body(1).contents[2].parts[0].functionResponse).not.toHaveProperty('id');
  });

  for (const how of ['whole', 'streamed'] as const) {
    it(`C056 the thought signature goes round beside functionCall, also when the tool fails, ${how}`, async () => {
      const part = { ...call('echo', { a: 1 }), thoughtSignature: 'U0lHMQ==' };
      const ending = { text: '', thoughtSignature: 'RU5E' };
      const { adapter, body } = await scripted(
        how === 'whole'
          ? [json(answer([part])), done]
          : [sse(...events([part, ending])), sse(answer([{ text: 'done' }]))],
        { model: 'gemini-3-flash-preview' },
      );
      const result = await runLoop({
        adapter,
        messages: question,
        tools: [
          named('echo', () => {
            throw new Error('no');
          }),
        ],
        ...(how === 'streamed' && { onDelta: () => {} }),
      });
      expect(body(1).contents[1].parts).toEqual(how === 'whole' ? [part] : [part, ending]);
      expect(body(1).contents[2].parts[0].functionResponse.response).toHaveProperty('error');
      expect(result.messages.map(({ content }) => content).join()).not.toContain('U0lHMQ');
    });
  }

  it('C056 a signature on text goes back too, and only there', async () => {
    const parts = [{ text: 'Hello ' }, { text: 'there', thoughtSignature: 'VA==' }];
    const { adapter, body } = await scripted([json(answer(parts)), done]);
    const response = await adapter.chat(asking());
    expect(response.message.content).toBe('Hello there');
    await adapter.chat(asking({ messages: [user, response.message, user] }));
    expect(body(1).contents[1].parts).toEqual(parts);
  });

  it('C056 calls of another model get the documented stand-in, in the current turn of Gemini 3 only', async () => {
    const foreign = (id: string): Message[] => [
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id, name: 'a', argumentsJson: '{"n":1}' },
          { id: `${id}b`, name: 'a', argumentsJson: '{"n":2}' },
        ],
        providerState: { anthropic: { blocks: ['opaque'] } },
      },
      { role: 'tool', toolCallId: id, toolName: 'a', content: 'r', isError: false },
      { role: 'tool', toolCallId: `${id}b`, toolName: 'a', content: 'r', isError: false },
    ];
    const messages = [user, ...foreign('call_1'), user, ...foreign('call_2')];
    for (const [model, signed] of [
      ['gemini-3-pro-preview', true],
      ['models/gemini-3.5-flash', true],
      ['gemini-flash-latest', true],
      ['gemini-2.5-flash', false],
      ['gemini-2.0-flash', false],
    ] as const) {
      const { adapter, body } = await scripted([done], { model });
      const response = await adapter.chat(asking({ messages }));
      const { contents } = body();
      const plain = [call('a', { n: 1 }), call('a', { n: 2 })];
      expect(contents[1].parts).toEqual(plain);
      expect(contents[4].parts).toEqual(
        signed ? [{ ...plain[0], thoughtSignature: NO_SIGNATURE }, plain[1]] : plain,
      );
      expect(response.warnings?.length ?? 0).toBe(signed ? 1 : 0);
      expect(JSON.stringify(contents)).not.toMatch(/call_|opaque/);
    }
  });

  it('C057 functionResponse.response is an object, whatever the tool returns', async () => {
    const texts = ['plain text', '[1,2]', 'null', '42', '{"ok":true}', '{"$ref":"#/$defs/X"}', ''];
    const { adapter, body } = await scripted([json(answer(texts.map((_, n) => call('a', { n })))), done]);
    const response = await adapter.chat(asking({ tools: [tool('a')] }));
    await adapter.chat(
      asking({
        messages: continued(
          response,
          texts.map((content) => ({ content })),
        ),
      }),
    );
    expect(
      body(1).contents[2].parts.map(
        (part: { functionResponse: { response: object } }) => part.functionResponse.response,
      ),
    ).toEqual(texts.map((output) => ({ output })));
  });

  it('C064 a call without args runs with {} and keeps its signature', async () => {
    const part = { ...call('now'), thoughtSignature: 'Uw==' };
    const { adapter, body } = await scripted([json(answer([part])), done]);
    const seen: unknown[] = [];
    await runLoop({
      adapter,
      messages: question,
      tools: [named('now', answering(seen, 'noon'))],
    });
    expect(seen).toEqual([{}]);
    expect(body(1).contents[1].parts).toEqual([part]);
  });

  it('C001 arguments that are no object are answered with an error, the sibling runs', async () => {
    const parts = [{ functionCall: { name: 'add', args: '{"x": 1, "y": ' } }, call('echo', { t: 'hi' })];
    const { adapter, body } = await scripted([json(answer(parts)), done]);
    const ran: string[] = [];
    const result = await runLoop({
      adapter,
      messages: question,
      tools: [named('add', () => ran.push('add')), named('echo', () => ran.push('echo'))],
    });
    expect(ran).toEqual(['echo']);
    expect(result.content).toBe('done');
    const responses = body(1).contents[2].parts.map((part: { functionResponse: { response: object } }) =>
      Object.keys(part.functionResponse.response),
    );
    expect(responses).toEqual([['error'], ['output']]);
  });

  for (const args of ['', '   ', null, undefined, 'null', {}]) {
    it(`C002 C003 arguments ${JSON.stringify(args) ?? 'undefined'} mean none, and go back as an object`, async () => {
      const { adapter, body } = await scripted([
        json(answer([{ functionCall: { name: 'now', args } }])),
        done,
      ]);
      const seen: unknown[] = [];
      const result = await runLoop({
        adapter,
        messages: question,
        tools: [named('now', answering(seen, 'noon'))],
      });
      expect(seen).toEqual([{}]);
      expect(result.content).toBe('done');
      const replayed = body(1).contents[1].parts[0].functionCall.args;
      expect(replayed === undefined || (typeof replayed === 'object' && replayed !== null)).toBe(true);
    });
  }

  it('C005 a call in an answer cut at the limit does not run', async () => {
    const { adapter } = await scripted([
      json(answer([call('write', { path: 'a.md' })], {}, { finishReason: 'MAX_TOKENS' })),
    ]);
    let ran = false;
    const result = await runLoop({
      adapter,
      messages: question,
      tools: [named('write', () => (ran = true))],
    });
    expect(ran).toBe(false);
    expect(result.stopReason).toBe('length');
  });

  it('C010 an abort between rounds ends the run before the next request', async () => {
    const { adapter, simulator } = await scripted([json(answer([call('t', {})]))]);
    const controller = new AbortController();
    const run = runLoop({
      adapter,
      messages: question,
      signal: controller.signal,
      tools: [
        named('t', () => {
          controller.abort(new Error('enough'));
          return 'ok';
        }),
      ],
    });
    await expect(run).rejects.toMatchObject({ code: 'aborted' });
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('C116 a __proto__ key in arguments pollutes nothing', async () => {
    const body = JSON.stringify(answer([call('a', { x: 1 })])).replace(
      '{"x":1}',
      '{"__proto__":{"isAdmin":true},"a":1}',
    );
    const { adapter, simulator } = await scripted([json(body), done]);
    const seen: Record<string, unknown>[] = [];
    await runLoop({ adapter, messages: question, tools: [named('a', answering(seen, 'r'))] });
    expect(seen[0]!['isAdmin']).toBeUndefined();
    expect(seen[0]!['a']).toBe(1);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(simulator.exchanges).toHaveLength(2);
  });

  it('streams a call as one delta, with the id only where Gemini gave one', async () => {
    const { adapter } = await scripted([sse(answer([call('a', { n: 1 }, { id: 'g-1' }), call('b')]))]);
    const { request, deltas } = watching({ tools: [tool('a'), tool('b')] });
    await adapter.chat(request);
    expect(deltas).toEqual([
      { kind: 'tool_call', index: 0, id: 'g-1', name: 'a', argumentsText: '{"n":1}' },
      { kind: 'tool_call', index: 1, name: 'b', argumentsText: '{}' },
    ]);
  });

  it('replays parts of unknown kinds verbatim and shows them as no text', async () => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: 'print(1)' }, thoughtSignature: 'Uw==' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { text: 'One.' },
      { inlineData: { mimeType: 'image/png', data: 'aGk=' }, somethingNew: { x: [1] } },
    ];
    const { adapter, body } = await scripted([sse(...events([...parts, {}])), done]);
    const response = await adapter.chat(watching().request);
    expect(response.message.content).toBe('One.');
    await adapter.chat(asking({ messages: [user, response.message, user] }));
    expect(body(1).contents[1].parts).toEqual(parts);
  });
});
