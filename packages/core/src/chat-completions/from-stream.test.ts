import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delta } from '../adapter/adapter.ts';
import type { Dialect, Wire } from './dialect.ts';
import { fromResponse } from './from-response.ts';
import { ChatCompletionFold } from './from-stream.ts';

const dialect: Dialect = {
  name: 'acme',
  maxTokensField: () => 'max_tokens',
  replayedFields: ['reasoning_content', 'parts'],
};

function folded(events: readonly unknown[]): { body: Wire | undefined; deltas: Delta[] } {
  const deltas: Delta[] = [];
  const fold = new ChatCompletionFold(dialect, (delta) => deltas.push(delta));
  for (const event of events) fold.add(event);
  return { body: fold.body(), deltas };
}

/** Cuts a text at arbitrary places. */
const cut = (text: fc.Arbitrary<string>) => fc.array(text, { maxLength: 6 });

describe('ChatCompletionFold', () => {
  it('folds any stream to what would have come whole', () => {
    const call = fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), pieces: cut(fc.string()) });
    fc.assert(
      fc.property(
        cut(fc.string()),
        cut(fc.string()),
        fc.array(call, { maxLength: 3 }),
        (text, reasoning, calls) => {
          const event = (delta: object, rest: object = {}) => ({
            model: 'm',
            choices: [{ index: 0, delta }],
            ...rest,
          });
          const usage = { prompt_tokens: 3, completion_tokens: 4 };
          const { body, deltas } = folded([
            ...reasoning.map((piece) => event({ reasoning_content: piece })),
            ...text.map((piece) => event({ content: piece })),
            ...calls.flatMap(({ name, pieces }, index) => [
              event({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: '' } }] }),
              ...pieces.map((piece) => event({ tool_calls: [{ index, function: { arguments: piece } }] })),
            ]),
            { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
            { model: 'm', choices: [], usage },
          ]);
          const whole = {
            model: 'm',
            choices: [
              {
                message: {
                  content: text.join(''),
                  reasoning_content: reasoning.length === 0 ? null : reasoning.join(''),
                  tool_calls: calls.map(({ name, pieces }, index) => ({
                    id: `c${index}`,
                    function: { name, arguments: pieces.join('') },
                  })),
                },
                finish_reason: 'stop',
              },
            ],
            usage,
          };
          const about = { warnings: [], streamed: true };
          const streamed = fromResponse(dialect, body!, about);
          expect(JSON.stringify(streamed)).toBe(JSON.stringify(fromResponse(dialect, whole, about)));
          const argumentsOf = (index: number) =>
            deltas
              .map((delta) =>
                delta.kind === 'tool_call' && delta.index === index ? delta.argumentsText : '',
              )
              .join('');
          for (const [index, { pieces }] of calls.entries()) expect(argumentsOf(index)).toBe(pieces.join(''));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('appends lists of a replayed field, and takes the first of several choices', () => {
    const { body } = folded([
      {
        choices: [
          { index: 1, delta: { content: 'a', parts: [1] } },
          { index: 2, delta: { content: 'other' } },
        ],
      },
      { choices: [{ index: 1, delta: { content: 'b', parts: [2] }, finish_reason: 'stop' }] },
    ]);
    expect(body?.['choices']).toMatchObject([
      { message: { content: 'ab', parts: [1, 2] }, finish_reason: 'stop' },
    ]);
  });

  it('reports a host that sends its reasoning under two names once', () => {
    const { body, deltas } = folded([{ choices: [{ delta: { reasoning: 'r', reasoning_content: 'r' } }] }]);
    expect(deltas).toEqual([{ kind: 'thinking', text: 'r' }]);
    expect(fromResponse(dialect, body!, { streamed: true, warnings: [] }).thinking).toBe('r');
  });

  it.each([[[]], [[null, 'text', 7, { choices: null }, { choices: [null, 'x'] }, { usage: {} }]]])(
    'has no body when nothing came: %j',
    (events) => {
      expect(folded(events).body).toBeUndefined();
    },
  );

  it('is not fooled by a field called __proto__', () => {
    folded([
      JSON.parse(
        '{"__proto__":{"polluted":1},"choices":[{"__proto__":{"polluted":1},"delta":{"__proto__":{}}}]}',
      ),
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
