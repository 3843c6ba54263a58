import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Catalog, RunRequest } from '../../protocol.ts';
import { catalog } from './catalog-facts.ts';
import { FormState } from './form-state.ts';

beforeEach(() => {
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => {} });
  catalog.value = {
    providers: [{ name: 'p', ready: true, models: [{ id: 'm' }], takesAnyModel: true, capabilities: null }],
    configurations: [{ id: 'c', provider: 'p', model: 'm' }],
    tools: [
      { name: 'read', description: '', parameters: {}, effect: 'reads', group: '' },
      { name: 'write', description: '', parameters: {}, effect: 'writes', group: '' },
    ],
    skills: [],
    snippets: [],
    defaults: { configuration: 'c', provider: 'p', model: 'm', maxRounds: 8, examplePrompts: [] },
  } satisfies Catalog;
});

describe('a request that is taken over', () => {
  it.each<[string, RunRequest]>([
    ['a prompt', { configuration: 'c', prompt: 'hi' }],
    ['no configuration, though there is a default', { prompt: 'hi' }],
    ['options that have no field', { prompt: 'hi', options: { topP: 0.5, temperature: 0 } }],
    ['limits that have no field', { prompt: 'hi', limits: { cost: 1, durationMs: 2000, toolCalls: 3 } }],
    ['only such limits', { prompt: 'hi', limits: { totalTokens: 9 } }],
    ['parts', { prompt: [{ type: 'text', text: 'hi' }] }],
    ['a conversation', { messages: [{ role: 'user', content: 'hi' }], forkedFrom: { run: 'r', step: 2 } }],
    [
      'everything else',
      {
        prompt: 'hi',
        systemPrompt: 's',
        tools: ['read'],
        skills: [],
        snippets: [],
        maxRounds: 2,
        captureRaw: true,
        keep: false,
      },
    ],
  ])('is sent as it was: %s', (_, request) => {
    expect(new FormState(request).request.value).toEqual({ provider: 'p', model: 'm', ...request });
  });

  it('with a conversation has the prompt behind it, when there is one', () => {
    const form = new FormState({ messages: [{ role: 'user', content: 'hi' }] });
    form.setPrompt(' \n');
    expect(form.request.value.messages).toHaveLength(1);
    form.setPrompt('more');
    expect(form.request.value).toMatchObject({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'user', content: 'more' },
      ],
    });
    expect(form.request.value).not.toHaveProperty('prompt');
  });
});
