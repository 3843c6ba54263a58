import { describe, expect, it } from 'vitest';
import type { Delta } from './adapter.ts';
import { AnswerFold, type AnswerPart } from './answer-fold.ts';

const finishReasons = {
  done: 'stop',
  calls: 'tool_calls',
  limit: 'length',
  filter: 'content_filter',
} as const;

function folded(...parts: readonly AnswerPart[]) {
  const deltas: Delta[] = [];
  const fold = new AnswerFold((delta) => deltas.push(delta));
  for (const part of parts) fold.add(part);
  return { fold, deltas, response: fold.response({ finishReasons }) };
}

describe('AnswerFold', () => {
  it('comes to the same for one part and for many', () => {
    const calls = [
      { id: 'a', name: 'now' },
      { id: 'b', name: 'weather', arguments: { city: 'Oslo' } },
    ];
    const usage = { promptTokens: 10, completionTokens: 5, estimatedCost: 0.25 };
    const whole = folded({ text: 'Hm. Noon.', thinking: 'so', calls, usage, model: 'm-1', finish: 'calls' });
    const pieces = folded(
      { model: 'm', usage: { promptTokens: 3 } },
      { thinking: 's' },
      { thinking: 'o', text: '' },
      { text: 'Hm. ' },
      { text: 'Noon.', calls: [calls[0]!] },
      { calls: [calls[1]!] },
      { model: 'm-1', usage, finish: 'calls' },
    );
    expect(JSON.stringify(pieces.response)).toBe(JSON.stringify(whole.response));
    expect(whole.response).toEqual({
      message: {
        role: 'assistant',
        content: 'Hm. Noon.',
        toolCalls: [
          { id: 'a', name: 'now', argumentsJson: '{}' },
          { id: 'b', name: 'weather', argumentsJson: '{"city":"Oslo"}' },
        ],
      },
      thinking: 'so',
      finishReason: 'tool_calls',
      rawFinishReason: 'calls',
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15, estimatedCost: 0.25 },
      model: 'm-1',
    });
  });

  it('says nothing of what was not said', () => {
    const nothing = { text: null, thinking: null, calls: null, finish: null, usage: null, model: null };
    expect(folded(nothing, { last: true }).response).toEqual({
      message: { role: 'assistant', content: '', toolCalls: [] },
      finishReason: 'stop',
      usage: {},
    });
  });

  it.each<[string, AnswerPart, string]>([
    ['without an end', { text: 'Half an ans' }, 'other'],
    ['without an end, with calls', { calls: [{ name: 'now' }] }, 'other'],
    ['complete without a word', { last: true }, 'stop'],
    ['with a known word', { finish: 'done' }, 'stop'],
    ['with an unknown word', { finish: 'zz_new' }, 'other'],
    ['with a word that every object has', { finish: 'constructor' }, 'other'],
    ['with calls that stopped', { calls: [{ name: 'now' }], finish: 'done' }, 'tool_calls'],
    ['with calls and no word', { calls: [{ name: 'now' }], last: true }, 'tool_calls'],
    ['with calls that were cut', { calls: [{ name: 'now' }], finish: 'limit' }, 'length'],
    ['with calls that were filtered', { calls: [{ name: 'now' }], finish: 'filter' }, 'content_filter'],
    ['that promises calls and has none', { finish: 'calls' }, 'other'],
  ])('ends an answer %s', (_, part, finishReason) => {
    expect(folded(part).response.finishReason).toBe(finishReason);
  });

  it('puts fragments of calls together, and gives calls without an id one', () => {
    const { response, deltas } = folded(
      { callFragments: [{ index: 0, id: 'a', name: 'weather', arguments: '{"city":' }] },
      { callFragments: [{ index: 1, name: 'now' }] },
      { callFragments: [{ index: 0, arguments: '"Oslo"}' }] },
      { finish: 'calls' },
    );
    expect(response.message.toolCalls).toEqual([
      { id: 'a', name: 'weather', argumentsJson: '{"city":"Oslo"}' },
      { id: expect.stringMatching(/^\w{9}$/), name: 'now', argumentsJson: '{}' },
    ]);
    expect(deltas).toEqual([
      { kind: 'tool_call', index: 0, id: 'a', name: 'weather', argumentsText: '{"city":' },
      { kind: 'tool_call', index: 1, name: 'now', argumentsText: '' },
      { kind: 'tool_call', index: 0, argumentsText: '"Oslo"}' },
    ]);
  });

  it('keeps whole calls under one id apart', () => {
    const { response } = folded({
      calls: [
        { id: 'a', name: 'x' },
        { id: 'a', name: 'y' },
      ],
      last: true,
    });
    expect(new Set(response.message.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it('tells inline thinking from text, in the answer and on the way', () => {
    const { response, deltas, fold } = folded(
      { text: '<thi' },
      { text: 'nk>hm</think>\n\nNo' },
      { text: 'on.' },
    );
    expect(response).toMatchObject({ message: { content: 'Noon.' }, thinking: 'hm' });
    expect(deltas.filter(({ kind }) => kind === 'thinking')).toEqual([{ kind: 'thinking', text: 'hm' }]);
    expect(fold.text).toBe('<think>hm</think>\n\nNoon.');
  });

  it('leaves out counts that are none, and outlives a listener that throws', () => {
    const fold = new AnswerFold(() => {
      throw new Error('the tab is closed');
    });
    fold.add({
      text: 'Hi.',
      usage: { promptTokens: '7', completionTokens: Number.NaN, estimatedCost: -1 },
      last: true,
    });
    expect(fold.response({ finishReasons, warnings: [] })).toEqual({
      message: { role: 'assistant', content: 'Hi.', toolCalls: [] },
      finishReason: 'stop',
      usage: {},
    });
  });
});
