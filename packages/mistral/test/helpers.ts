import { mistralChat } from '@glassloop/simulator';
import { json, scriptedProvider } from '../../../scripts/testing/provider.ts';
import { type MistralSettings, mistral } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const scripted = scriptedProvider<MistralSettings, ReturnType<typeof mistral>>(
  { wire: mistralChat },
  (settings) => mistral({ model: 'mistral-small-latest', apiKey: 'test-key', ...settings }),
);

/** The body of a whole answer with this message in it. */
export function answer(message: object, more: object = {}, choice: object = {}) {
  return {
    id: '4634bd6bf5594730a68519a194e7f13b',
    created: 1765716110,
    model: 'mistral-small-latest',
    usage: { prompt_tokens: 8, total_tokens: 11, completion_tokens: 3 },
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', tool_calls: null, content: '', ...message },
        ...choice,
      },
    ],
    ...more,
  };
}

/** One event of a stream; `facts` go on its top level. */
export function piece(delta: object, finish: string | null = null, facts: object = {}) {
  return {
    id: '7bfa9194c90e44c5a0efa6c6efa474cd',
    object: 'chat.completion.chunk',
    model: 'mistral-small-latest',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...facts,
  };
}

export const ok = json(answer({ content: 'ok' }));
