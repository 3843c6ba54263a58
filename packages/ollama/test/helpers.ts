import { ollamaChat } from '@glassloop/simulator';
import { scriptedProvider } from '../../../scripts/testing/provider.ts';
import { type OllamaSettings, ollama } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const scripted = scriptedProvider<OllamaSettings, ReturnType<typeof ollama>>(
  { wire: ollamaChat },
  (settings) => ollama({ model: 'qwen3:8b', ...settings }),
);

/** The body of a whole answer with this message in it. */
export function answer(message: object, more: object = {}) {
  return {
    model: 'qwen3:8b',
    created_at: '2026-05-04T22:48:31.1Z',
    message: { role: 'assistant', content: '', ...message },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 8,
    eval_count: 3,
    ...more,
  };
}
