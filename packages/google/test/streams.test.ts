import { defineTool, runLoop } from '@glassloop/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, asking, events, failure, json, scripted, sse, user, watching } from './helpers.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const call = { functionCall: { name: 'a', args: { n: 1 } } };
const open = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, index: 0 }] });

describe('streams', () => {
  it('gives pieces on the way and folds to the whole answer', async () => {
    const parts = [
      { text: 'plan', thought: true },
      { text: 'Hel' },
      { text: 'lo' },
      { ...call, thoughtSignature: 'Uw==' },
      { functionCall: { name: 'b', args: {}, id: 'g-2' } },
      { text: '', thoughtSignature: 'RQ==' },
    ];
    const whole = answer([parts[0]!, { text: 'Hello' }, ...parts.slice(3)]);
    const { adapter } = await scripted([json(whole), sse(...events(parts))]);
    const expected = await adapter.chat(asking());
    const { request, deltas } = watching();
    const streamed = await adapter.chat(request);
    const [invented, given] = streamed.message.toolCalls;
    expect(given!.id).toBe('g-2');
    const id = expected.message.toolCalls[0]!.id;
    expect(JSON.stringify(streamed).replaceAll(invented!.id, id)).toBe(JSON.stringify(expected));
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'plan' },
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
      { kind: 'tool_call', index: 0, name: 'a', argumentsText: '{"n":1}' },
      { kind: 'tool_call', index: 1, id: 'g-2', name: 'b', argumentsText: '{}' },
    ]);
  });

  it('C095 an end without a finish reason is no normal end, its calls do not run', async () => {
    const { adapter } = await scripted([sse(open({ text: 'The answer is' }), open(call))]);
    let ran = false;
    const a = defineTool({
      name: 'a',
      description: '',
      execute: () => {
        ran = true;
      },
    });
    const result = await runLoop({ adapter, messages: [user], tools: [a], onDelta: () => {} });
    expect(result).toMatchObject({ stopReason: 'incomplete', content: 'The answer is', usage: {} });
    expect(ran).toBe(false);
  });

  it('C095 a connection that dies is a network failure with what had come', async () => {
    const { adapter } = await scripted([{ ...sse(open({ text: 'The answer is' }), answer([])), cutOff: 1 }]);
    const error = await failure(adapter.chat(watching().request));
    expect(error).toMatchObject({ code: 'network', partial: 'The answer is' });
  });

  it('C095 an end in the middle of an event, and nothing at all', async () => {
    const { adapter } = await scripted([
      { reply: { chunks: [`data: ${JSON.stringify(open({ text: 'half' }))}\r\n\r\n`, 'data: {"candid'] } },
      { reply: { headers: { 'content-type': 'text/event-stream' }, chunks: [''] } },
    ]);
    const half = await failure(adapter.chat(watching().request));
    expect(half).toMatchObject({ code: 'bad_response', partial: 'half' });
    const none = await failure(adapter.chat(watching().request));
    expect(none.code).toBe('bad_response');
    expect(none.partial).toBeUndefined();
  });

  it('C096 C097 calls are whole, two of one id and one name stay two', async () => {
    const twin = { functionCall: { name: 'x', id: 'same', args: { n: 1 } } };
    const { adapter } = await scripted([
      sse(open(twin), answer([{ ...twin, functionCall: { ...twin.functionCall, args: { n: 2 } } }])),
    ]);
    const { message } = await adapter.chat(watching().request);
    expect(message.toolCalls.map(({ argumentsJson }) => argumentsJson)).toEqual(['{"n":1}', '{"n":2}']);
    expect(message.toolCalls[0]!.id).toBe('same');
    expect(message.toolCalls[1]!.id).not.toBe('same');
  });

  it('C098 characters may be cut anywhere', async () => {
    for (const splitBytes of [1, 2, 3, 7]) {
      const { adapter } = await scripted([
        { ...sse(...events([{ text: 'Grüße ' }, { text: '👋' }])), splitBytes },
      ]);
      const { request, deltas } = watching();
      expect((await adapter.chat(request)).message.content).toBe('Grüße 👋');
      expect(deltas).toHaveLength(2);
    }
  });

  it('C098 a stream may be cut in two at any byte', async () => {
    const said = { candidates: [{ content: { parts: [{ text: 'ü👋' }] }, finishReason: 'STOP' }] };
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(said)}\r\n\r\n`);
    const { adapter, simulator } = await scripted([]);
    for (let at = 1; at < bytes.length; at++) {
      simulator.script({
        reply: {
          headers: { 'content-type': 'text/event-stream' },
          chunks: [bytes.subarray(0, at), bytes.subarray(at)],
        },
      });
      expect((await adapter.chat(watching().request)).message.content, `byte ${at}`).toBe('ü👋');
    }
  });

  it('C099 an error in the middle of a stream keeps its code, its sentence and the text before it', async () => {
    const boom = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
    const { adapter, simulator } = await scripted([
      sse(open({ text: 'Hi' }), { error: { code: 'server_error', message: 'boom' } }),
    ]);
    const text = await failure(adapter.chat(watching().request));
    expect(text).toMatchObject({ code: 'unavailable', partial: 'Hi' });
    expect(text.message).toContain('boom');
    simulator.script(sse(open({ text: 'Hi' }), boom));
    const numbered = await failure(adapter.chat(watching().request));
    expect(numbered).toMatchObject({ code: 'unavailable', status: 503, partial: 'Hi' });
    expect(numbered.message).toContain('The model is overloaded.');
  });

  it('a stream that is given up is hung up', async () => {
    const { adapter, simulator } = await scripted([
      { ...sse({ error: { code: 500, message: 'boom' } }, open({ text: 'x' })), hang: 'midway' },
    ]);
    await failure(adapter.chat(watching().request));
    expect(await simulator.exchanges[0]!.clientLeft).toBe(true);
  });

  it('C081 an abort in the middle reaches the socket, settles at once and ends the pieces', async () => {
    const { adapter, simulator } = await scripted([
      { ...sse(open({ text: 'one' }), open({ text: 'two' })), hang: 'midway' },
    ]);
    const controller = new AbortController();
    const deltas: unknown[] = [];
    const reason = new Error('enough');
    const error = await failure(
      adapter.chat(
        asking({
          signal: controller.signal,
          onDelta: (delta) => {
            deltas.push(delta);
            controller.abort(reason);
          },
        }),
      ),
    );
    expect(error).toBe(reason);
    expect(await simulator.exchanges[0]!.clientLeft).toBe(true);
    expect(deltas).toHaveLength(1);
  });

  it('a listener that throws changes nothing', async () => {
    const { adapter } = await scripted([sse(...events([{ text: 'a' }, { text: 'b' }]))]);
    const { message } = await adapter.chat(
      asking({
        onDelta: () => {
          throw new Error('mine');
        },
      }),
    );
    expect(message.content).toBe('ab');
  });

  it('C105 a page, or an error, instead of events', async () => {
    const { adapter } = await scripted([
      { reply: { headers: { 'content-type': 'text/html' }, chunks: ['<html>Bad gateway</html>'] } },
      json({ error: { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] } }),
    ]);
    for (let n = 0; n < 2; n++) {
      const error = await failure(adapter.chat(watching().request));
      expect(error.code).toBe('bad_response');
      expect(error.message.length).toBeLessThan(600);
    }
  });
});
