import { runLoop } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { answer, asking, failure, json, scripted, sse, user, watching } from './helpers.ts';

const text = [{ text: 'hi' }];

/** The same body whole and as a stream of one event. */
async function both(body: object) {
  const { adapter } = await scripted([json(body), sse(body)]);
  const whole = await adapter.chat(asking());
  const streamed = await adapter.chat(watching().request);
  expect(JSON.stringify(streamed)).toBe(JSON.stringify(whole));
  return whole;
}

async function bothFail(body: object) {
  const { adapter } = await scripted([json(body), sse(body)]);
  const whole = await failure(adapter.chat(asking()));
  const streamed = await failure(adapter.chat(watching().request));
  expect(streamed).toMatchObject({ code: whole.code, message: whole.message });
  return whole;
}

describe('answers', () => {
  it('C060 a blocked prompt is an answer that says so', async () => {
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
    };
    for (const blocked of [body, { ...body, candidates: [] }]) {
      expect(await both(blocked)).toEqual({
        message: { role: 'assistant', content: '', toolCalls: [] },
        finishReason: 'content_filter',
        rawFinishReason: 'PROHIBITED_CONTENT',
        usage: { promptTokens: 12, completionTokens: 0, totalTokens: 12 },
      });
    }
    const { adapter } = await scripted([json(body)]);
    expect((await runLoop({ adapter, messages: [user] })).stopReason).toBe('content_filter');
  });

  it('C061 candidates without parts, and none at all', async () => {
    const stop = await both({ candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] });
    expect(stop).toMatchObject({ message: { content: '' }, finishReason: 'stop', usage: {} });
    const cut = await both({ candidates: [{ finishReason: 'MAX_TOKENS', index: 0 }] });
    expect(cut).toMatchObject({ message: { content: '' }, finishReason: 'length' });
    for (const body of [{ candidates: [] }, { candidates: null }, { candidates: [null] }, {}]) {
      expect((await bothFail(body)).code).toBe('bad_response');
    }
  });

  it('C062 a malformed call, and an unknown reason without content, are no answers', async () => {
    for (const finishReason of [
      'MALFORMED_FUNCTION_CALL',
      'UNEXPECTED_TOOL_CALL',
      'SOMETHING_NEW',
      'OTHER',
    ]) {
      const finishMessage = 'Malformed function call: print(x)';
      const error = await bothFail({ candidates: [{ content: {}, finishReason, finishMessage }] });
      expect(error).toMatchObject({ name: 'AdapterError', code: 'bad_response', retryable: true });
      expect(error.message).toContain(finishReason);
      expect(error.message).toContain(finishMessage);
    }
    const kept = await both(answer(text, {}, { finishReason: 'SOMETHING_NEW' }));
    expect(kept).toMatchObject({
      message: { content: 'hi' },
      finishReason: 'other',
      rawFinishReason: 'SOMETHING_NEW',
    });
  });

  it('C062 the loop tries a malformed call again, a bounded number of times', async () => {
    const malformed = json({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] });
    const { adapter } = await scripted([malformed, json(answer(text))]);
    const result = await runLoop({ adapter, messages: [user], retry: { baseDelayMs: 1 } });
    expect(result.content).toBe('hi');
  });

  it('every policy word is content_filter', async () => {
    for (const finishReason of [
      'SAFETY',
      'RECITATION',
      'LANGUAGE',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
    ]) {
      const filtered = await both({ candidates: [{ content: {}, finishReason }] });
      expect(filtered).toMatchObject({ finishReason: 'content_filter', rawFinishReason: finishReason });
    }
  });

  it('C063 thoughts and tool-use prompts count', async () => {
    const { usage } = await both(
      answer(text, {
        usageMetadata: {
          promptTokenCount: 100,
          toolUsePromptTokenCount: 5,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 300,
          totalTokenCount: 425,
          cachedContentTokenCount: 40,
        },
      }),
    );
    expect(usage).toEqual({
      promptTokens: 105,
      completionTokens: 320,
      totalTokens: 425,
      cacheReadTokens: 40,
      reasoningTokens: 300,
    });
  });

  it('C109 C110 C113 missing, null and odd counts', async () => {
    for (const usageMetadata of [null, {}, undefined, { promptTokenCount: null, totalTokenCount: 'many' }]) {
      expect((await both(answer(text, { usageMetadata }))).usage).toEqual({});
    }
    const { usage } = await both(
      answer(text, {
        usageMetadata: {
          promptTokenCount: 5,
          candidatesTokenCount: -1,
          thoughtsTokenCount: 6,
          totalTokenCount: 6,
          promptTokensDetails: null,
        },
      }),
    );
    expect(usage).toEqual({ promptTokens: 5, completionTokens: 6, totalTokens: 6, reasoningTokens: 6 });
  });

  it('C111 C112 counts add up over rounds, and cached tokens are part of the prompt', async () => {
    const round = (promptTokenCount: number, candidatesTokenCount: number, parts: object[]) =>
      json(
        answer(parts, {
          usageMetadata: {
            promptTokenCount,
            candidatesTokenCount,
            totalTokenCount: promptTokenCount + candidatesTokenCount,
            cachedContentTokenCount: 4,
          },
        }),
      );
    const call = [{ functionCall: { name: 'none', args: {} } }];
    const { adapter } = await scripted([round(10, 2, call), round(20, 3, call), round(30, 4, text)]);
    const tools = [{ name: 'a', description: '', parameters: {}, execute: () => '' }];
    const result = await runLoop({
      adapter,
      messages: [user],
      tools,
      maxRounds: 2,
      prices: { fresh: 1, cacheRead: 0, output: 1 },
    });
    expect(result.usage).toMatchObject({
      promptTokens: 60,
      completionTokens: 9,
      totalTokens: 69,
      cacheReadTokens: 12,
    });
    expect(result.usage.estimatedCost).toBeCloseTo((60 - 12 + 9) / 1e6, 12);
  });

  it('C065 thoughts are thinking, and are not sent back', async () => {
    const parts = [{ text: 'plan', thought: true }, { text: 'ning', thought: true }, { text: '42' }];
    const { adapter, body } = await scripted([json(answer(parts)), json(answer(text))]);
    const response = await adapter.chat(asking());
    expect(response.message).toEqual({ role: 'assistant', content: '42', toolCalls: [] });
    expect(response.thinking).toBe('planning');
    await adapter.chat(asking({ messages: [user, response.message, user] }));
    expect(body(1).contents[1].parts).toEqual([{ text: '42' }]);
  });

  it('C065 also when the answer has state, and when the thought is inline', async () => {
    const signed = { functionCall: { name: 'a', args: {} }, thoughtSignature: 'Uw==' };
    const parts = [{ text: 'native', thought: true }, { text: '<think>inline</think>42' }, signed];
    const { adapter, body } = await scripted([json(answer(parts)), json(answer(text))]);
    const response = await adapter.chat(asking());
    expect(response.message.content).toBe('42');
    expect(response.thinking).toBe('native\ninline');
    const result = {
      role: 'tool',
      toolCallId: response.message.toolCalls[0]!.id,
      toolName: 'a',
      content: 'r',
      isError: false,
    } as const;
    await adapter.chat(asking({ messages: [user, response.message, result] }));
    expect(body(1).contents[1].parts).toEqual([{ text: '42' }, signed]);
  });

  it('a body that ends without a finish reason counts as finished, a stream does not', async () => {
    const body = answer(text, {}, { finishReason: undefined });
    const { adapter } = await scripted([json(body), sse(body)]);
    expect((await adapter.chat(asking())).finishReason).toBe('stop');
    expect((await adapter.chat(watching().request)).finishReason).toBe('other');
  });

  it('further candidates are left alone', async () => {
    const body = answer(text);
    const other = { content: { parts: [{ text: 'other' }] }, finishReason: 'STOP', index: 1 };
    expect((await both({ ...body, candidates: [...body.candidates, other] })).message.content).toBe('hi');
  });
});
