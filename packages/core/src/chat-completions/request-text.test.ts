import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { message } from '../../test/arbitrary.ts';
import type { ModelRequest } from '../adapter/adapter.ts';
import { deepFreeze } from '../freeze.ts';
import type { Message } from '../message.ts';
import type { CallOptions } from '../options.ts';
import type { Dialect } from './dialect.ts';
import { RequestTexts } from './request-text.ts';
import { toRequest } from './to-request.ts';

const dialect: Dialect = {
  name: 'host',
  maxTokensField: () => 'max_tokens',
  refuses: (option) => option === 'topP',
};

const text = fc.string({ unit: 'binary', maxLength: 12 });
const tool = { name: 'look', description: 'looks', parameters: { type: 'object' } } as const;
const optionSets: readonly CallOptions[] = [
  {},
  { temperature: 0, topP: 1, stop: ['"messages":[]'] },
  { maxTokens: 5, providerOptions: { host: { seed: 1, none: undefined } } },
  { providerOptions: { host: { messages: [], seed: 1 } } },
  { providerOptions: { host: { model: 'other' } } },
];
const call = fc.record({
  added: fc.array(message, { maxLength: 3 }),
  options: fc.constantFrom(...optionSets),
  tools: fc.constantFrom([], [tool]),
  streams: fc.boolean(),
  startsAnew: fc.boolean(),
});

describe('RequestTexts', () => {
  it('prints what JSON.stringify prints of the whole body, call after call of a conversation', () => {
    fc.assert(
      fc.property(text, fc.array(call, { maxLength: 6 }), (model, calls) => {
        const texts = new RequestTexts(dialect, model);
        const memo = new Map();
        let messages: readonly Message[] = [];
        for (const { added, options, tools, streams, startsAnew } of calls) {
          messages = deepFreeze(startsAnew ? added : [...messages, ...added]);
          const request: ModelRequest = {
            ...{ messages, tools, options, memo },
            ...(streams ? { onDelta: () => {} } : {}),
          };
          const { body, warnings } = toRequest(dialect, model, request);
          const whole = JSON.stringify(body);
          expect(texts.textOf(request)).toEqual({ text: whole, warnings });
          const { memo: _, ...alone } = request;
          expect(texts.textOf(alone)).toEqual({ text: whole, warnings });
        }
      }),
    );
  });

  it('does not print again what stood in the call before', () => {
    const texts = new RequestTexts(dialect, 'm');
    const memo = new Map();
    const first: Message = { role: 'user', content: 'first' };
    let reads = 0;
    const watched = new Proxy(first, {
      get: (target, key) => {
        if (key === 'content') reads++;
        return Reflect.get(target, key);
      },
    });
    const request = (...messages: Message[]) => ({ messages, tools: [], options: {}, memo });
    texts.textOf(request(watched));
    const readsOnce = reads;
    const { text } = texts.textOf(request(watched, { role: 'user', content: 'second' }));
    expect(reads).toBe(readsOnce);
    expect(JSON.parse(text).messages).toEqual([
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
    ]);
  });

  it('keeps two conversations apart', () => {
    const texts = new RequestTexts(dialect, 'm');
    const request = (content: string, memo: Map<object, unknown>) => ({
      ...{ messages: [{ role: 'user' as const, content }], tools: [], options: {}, memo },
    });
    const [a, b] = [new Map(), new Map()];
    texts.textOf(request('a', a));
    expect(texts.textOf(request('b', b)).text).toContain('"b"');
    expect(texts.textOf(request('a', a)).text).toBe(
      '{"model":"m","messages":[{"role":"user","content":"a"}]}',
    );
  });
});
