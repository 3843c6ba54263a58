/** What holds for whatever a model sends: arguments, calls, streams, bodies. */

import { AdapterError, ToolCallFold, withIds } from '@glassloop/core/adapter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments, replayedArgumentsText } from '../src/adapter/arguments.ts';
import { InlineThinkingStream, splitInlineThinking } from '../src/adapter/inline-thinking.ts';
import {
  ChatCompletionFold,
  completionIn,
  type Dialect,
  fromResponse,
} from '../src/chat-completions/index.ts';
import { inPieces, json, object, text } from './arbitrary.ts';

const dialect: Dialect = { name: 'x', maxTokensField: () => 'max_tokens' };

describe('arguments', () => {
  it('of any object come back as they were, without what pollutes', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('', ' ', '\n\t'), (value, blank) => {
        const written = JSON.stringify(value);
        expect(parseArguments(blank + written + blank)).toEqual(
          JSON.parse(written, (key, inner) => (key === '__proto__' ? undefined : inner)),
        );
      }),
    );
  });

  it('of any text are an object or nothing, and go back as an object', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          json.map((value) => JSON.stringify(value)),
        ),
        (written) => {
          const parsed = parseArguments(written);
          if (parsed !== undefined) expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
          expect(JSON.parse(replayedArgumentsText(written))).toBeTypeOf('object');
          expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
        },
      ),
    );
  });
});

describe('folding', () => {
  const fragment = fc.record(
    {
      index: fc.option(fc.nat(3)),
      id: fc.option(fc.constantFrom('', 'a', 'b', 'null')),
      name: fc.option(fc.constantFrom('', 'get', 'time')),
      arguments: fc.option(fc.oneof(fc.constantFrom('', '{', '}', '{}'), json)),
    },
    { requiredKeys: [] },
  );

  it('of any fragments gives calls with ids of their own, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fragment), (fragments) => {
        const fold = new ToolCallFold();
        for (const one of fragments) fold.add(one);
        const ids = fold.calls().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).not.toBe('');
      }),
    );
  });

  it('puts calls together whatever the cuts, and however they are mixed', () => {
    const calls = fc.array(inPieces(object.map((value) => JSON.stringify(value))), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.nat(3)), (wanted, order) => {
        const fold = new ToolCallFold();
        for (const index of wanted.keys()) fold.add({ index, id: `call${index}`, name: 'f' });
        const queues = wanted.map(({ pieces }) => [...pieces]);
        while (queues.some((queue) => queue.length > 0)) {
          const index = order.next().value % queues.length;
          const piece = queues[index]!.shift();
          if (piece !== undefined) fold.add({ index, arguments: piece });
        }
        expect(fold.calls().map(({ argumentsJson }) => argumentsJson)).toEqual(
          wanted.map(({ written }) => written),
        );
      }),
    );
  });

  it('gives any ids an id of their own, and keeps the first of each', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom('a', 'b', ''), fc.anything())), (ids) => {
        const given = withIds(ids.map((id) => ({ id, name: 'f', argumentsJson: '{}' }))).map(({ id }) => id);
        expect(new Set(given).size).toBe(ids.length);
        expect(given.indexOf('a')).toBe(ids.indexOf('a'));
      }),
    );
  });

  it('of a stream of anything never throws, nor does reading what it gives', () => {
    const event = fc.record(
      {
        choices: fc.array(
          fc.record(
            {
              index: fc.option(fc.nat(1)),
              delta: fc.oneof(
                json,
                fc.record(
                  {
                    content: json,
                    reasoning: json,
                    refusal: json,
                    tool_calls: fc.array(json),
                    function_call: json,
                  },
                  { requiredKeys: [] },
                ),
              ),
              finish_reason: json,
            },
            { requiredKeys: [] },
          ),
        ),
        usage: json,
        model: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(event, json)), (events) => {
        const fold = new ChatCompletionFold(dialect, () => {});
        for (const one of events) fold.add(one);
        const body = fold.body();
        if (body !== undefined) wellMade(fromResponse(dialect, body, { streamed: true, warnings: [] }));
      }),
    );
  });

  it('of a whole body that may be anything gives an answer, or an AdapterError', () => {
    const body = fc.record(
      {
        choices: fc.oneof(json, fc.array(fc.record({ message: json, finish_reason: json }))),
        usage: json,
        error: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, json), (value) => {
        let checked: ReturnType<typeof completionIn>;
        try {
          checked = completionIn('x', value, []);
        } catch (error) {
          expect(error).toBeInstanceOf(AdapterError);
          return;
        }
        wellMade(fromResponse(dialect, checked, { streamed: false, warnings: [] }));
      }),
    );
  });

  function wellMade({ message, usage }: ReturnType<typeof fromResponse>): void {
    expect(message.content).toBeTypeOf('string');
    for (const call of message.toolCalls) {
      for (const part of [call.id, call.name, call.argumentsJson]) expect(part).toBeTypeOf('string');
      expect(call.id).not.toBe('');
    }
    for (const value of Object.values(usage)) expect(value).toBeGreaterThanOrEqual(0);
  }

  it('tells thinking apart the same way, whatever the cuts', () => {
    const tagged = fc
      .array(fc.constantFrom('<think>', '</think>', '<', 'th', '</', 'ink>', 'answer', ' ', '\n', '<THINK>'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(inPieces(tagged), ({ written, pieces }) => {
        const told = (given: readonly string[]) => {
          const seen = { text: '', thinking: '' };
          const stream = new InlineThinkingStream((kind, piece) => {
            seen[kind] += piece;
          });
          for (const piece of given) stream.push(piece);
          stream.end();
          return seen;
        };
        expect(told(pieces)).toEqual(told([written]));
      }),
    );
  });
});

describe('inline thinking', () => {
  it('leaves no tag in the answer', () => {
    // Whole tags only: what stood around a block may look like one once the block is gone, and is text.
    const written = fc.array(fc.constantFrom('<think>', '</think>', '<THINK>', 'answer', ' ', '\n'));
    fc.assert(
      fc.property(written, (parts) => {
        expect(splitInlineThinking(parts.join('')).content).not.toMatch(/<\/?think>/i);
      }),
    );
  });
});
