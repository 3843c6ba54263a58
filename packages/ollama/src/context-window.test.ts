import { describe, expect, it } from 'vitest';
import { truncationWarning } from './context-window.ts';

const body = (characters: number, more: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content: 'x'.repeat(characters) } as const],
  stream: false,
  ...more,
});

describe('truncationWarning', () => {
  it('C080 speaks up when most of the prompt is gone', () => {
    expect(truncationWarning(body(56_000), 2051)).toContain('2051 prompt tokens');
    expect(truncationWarning(body(56_000), 2051)).toContain('set providerOptions.ollama.options.num_ctx');
    expect(truncationWarning(body(56_000, { options: { num_ctx: 2048 } }), 2051)).toContain(
      'num_ctx is 2048',
    );
    expect(truncationWarning(body(0, { tools: [{ text: 'x'.repeat(56_000) }] }), 2051)).toBeDefined();
  });

  it('C080 says nothing of what an estimate cannot tell', () => {
    expect(truncationWarning(body(56_000), 13_900)).toBeUndefined();
    expect(truncationWarning(body(56_000), undefined)).toBeUndefined();
    expect(truncationWarning(body(4000), 10)).toBeUndefined();
  });
});
