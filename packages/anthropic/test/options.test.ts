import type { CallOptions, ModelRequest } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { asking, called, MODEL, mode, modes, preview, result, scripted, tool, user } from './helpers.ts';

describe('options', () => {
  const tools = [tool('echo')];

  it.each([
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [{ tool: 'echo' }, { type: 'tool', name: 'echo' }],
  ] as const)('C011 tool choice %j', (toolChoice, sent) => {
    expect(preview({ tools, options: { toolChoice } }).body.tool_choice).toEqual(sent);
    const single = preview({ tools, options: { toolChoice, parallelToolCalls: false } }).body.tool_choice;
    expect(single).toEqual(toolChoice === 'none' ? sent : { ...sent, disable_parallel_tool_use: true });
  });

  it('without tools says nothing about tools', () => {
    const { body } = preview({ options: { toolChoice: 'required', parallelToolCalls: false } });
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages']);
  });

  it.each(modes)('C048 max_tokens is 8192 unless set, and a big one works (%s)', async (_, onDelta) => {
    const { adapter, body } = await scripted([{ say: 'a' }, { say: 'b', finish: 'length' }]);
    await adapter.chat(asking(mode(onDelta)));
    const big = await adapter.chat(asking({ options: { maxTokens: 64_000 }, ...mode(onDelta) }));
    expect([body(0).max_tokens, body(1).max_tokens]).toEqual([8192, 64_000]);
    expect(big.finishReason).toBe('length');
  });

  it('C052 temperature is clamped to 1 and sent without topP', () => {
    const { body, warnings } = preview({ options: { temperature: 1.4, topP: 0.9 } });
    expect(body.temperature).toBe(1);
    expect(body).not.toHaveProperty('top_p');
    expect(warnings).toHaveLength(2);
    expect(preview({ options: { topP: 0.9 } })).toMatchObject({ body: { top_p: 0.9 }, warnings: [] });
    const unset = {
      temperature: null,
      topP: undefined,
      stop: null,
      thinking: null,
    } as unknown as CallOptions;
    expect(JSON.stringify(preview({ options: unset }).body)).not.toMatch(/temperature|top_p|stop|think|null/);
  });

  it('C052 models that take no sampling get none', () => {
    for (const model of ['claude-opus-4-7', 'claude-sonnet-5', 'claude-fable-5', 'claude-haiku-5-5']) {
      const { body, warnings } = preview({ options: { temperature: 0, topP: 1 } }, model);
      expect(JSON.stringify(body)).not.toMatch(/temperature|top_p/);
      expect(warnings).toEqual([
        `anthropic: ${model} takes no sampling options; temperature and topP not sent.`,
      ]);
    }
  });

  it('reports warnings with the answer, whole and streamed, and none where there are none', async () => {
    for (const [, onDelta] of modes) {
      const { adapter } = await scripted([{ say: 'a' }, { say: 'b' }]);
      const answered = await adapter.chat(asking({ options: { temperature: 2 }, ...mode(onDelta) }));
      expect(answered.warnings).toHaveLength(1);
      expect(await adapter.chat(asking(mode(onDelta)))).not.toHaveProperty('warnings');
    }
  });

  it('leaves out stop texts that the API refuses', () => {
    const { body, warnings } = preview({ options: { stop: ['\n', 'END'] } });
    expect(body.stop_sequences).toEqual(['END']);
    expect(warnings).toHaveLength(1);
    expect(preview({ options: { stop: ['\n'] } }).body).not.toHaveProperty('stop_sequences');
  });

  it('merges providerOptions last, and knows what they say of thinking', () => {
    const own = {
      top_k: 5,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      cache_control: { type: 'ephemeral' },
    };
    const { body, warnings } = preview({
      options: { temperature: 0.5, providerOptions: { anthropic: own, other: { x: 1 } } },
    });
    expect(body).toMatchObject(own);
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('x');
    expect(warnings).toHaveLength(1);
  });
});

describe('thinking', () => {
  const ask = (thinking: boolean, model: string, more: Partial<ModelRequest> = {}) =>
    preview({ ...more, options: { thinking, ...more.options } }, model);

  it.each([
    ['claude-3-7-sonnet-20250219', { type: 'enabled', budget_tokens: 4096 }],
    ['claude-sonnet-4-20250514', { type: 'enabled', budget_tokens: 4096 }],
    ['claude-opus-4-5-20251101', { type: 'enabled', budget_tokens: 4096 }],
    ['claude-opus-4-6', { type: 'adaptive', display: 'summarized' }],
    ['claude-sonnet-5', { type: 'adaptive', display: 'summarized' }],
    ['claude-mythos-preview', { type: 'adaptive', display: 'summarized' }],
    ['my-gateway-alias', { type: 'enabled', budget_tokens: 4096 }],
  ])('is asked for as %s takes it', (model, sent) => {
    expect(ask(true, model)).toMatchObject({ body: { thinking: sent }, warnings: [] });
  });

  it.each([
    ['claude-sonnet-4-5', undefined, 0],
    ['claude-opus-4-8', undefined, 0],
    ['claude-sonnet-5', { type: 'disabled' }, 0],
    ['my-gateway-alias', { type: 'disabled' }, 0],
    ['claude-fable-5', undefined, 1],
    ['claude-opus-5-5', undefined, 1],
  ])('is kept away as %s takes it', (model, sent, count) => {
    const { body, warnings } = ask(false, model);
    expect(body.thinking).toEqual(sent);
    expect(warnings).toHaveLength(count);
  });

  it.each([
    ['a model without it', {}, 'claude-3-5-haiku-latest'],
    [
      'a forced tool choice',
      { tools: [tool('echo')], options: { toolChoice: 'required' } },
      'claude-opus-4-6',
    ],
    ['no room for a budget', { options: { maxTokens: 1024 } }, MODEL],
    ['a turn that began without it', { messages: [user, called('t'), result('t', 'r')] }, MODEL],
  ] as const)('is left out, with a warning, for %s', (_, more, model) => {
    const { body, warnings } = ask(true, model, more);
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('thinking was not asked for');
  });

  it('fits its budget into maxTokens and goes without temperature', () => {
    const { body, warnings } = ask(true, MODEL, {
      options: { maxTokens: 1500, temperature: 0.3, topP: 0.96 },
    });
    expect(body).toMatchObject({ thinking: { budget_tokens: 1024 }, top_p: 0.96 });
    expect(body).not.toHaveProperty('temperature');
    expect(warnings).toHaveLength(1);
    expect(ask(true, MODEL, { options: { topP: 0.5 } }).body).not.toHaveProperty('top_p');
  });
});
