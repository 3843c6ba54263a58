import type { CallOptions } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { google } from '../src/index.ts';
import { answer, asking, events, frozen, json, KEY, scripted, sent, sse, tool, watching } from './helpers.ts';

const done = json(answer([{ text: 'done' }]));

describe('tools and options', () => {
  it('C058 a schema goes out whole, as JSON Schema', async () => {
    const parameters = frozen({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      additionalProperties: false,
      properties: {
        n: { type: 'integer', exclusiveMinimum: 0 },
        m: { anyOf: [{ const: 'a' }, { const: 'b' }] },
        d: { type: 'string', format: 'hostname', default: 'x' },
      },
      required: ['n'],
    });
    const { body, warnings } = await sent({ tools: [tool('t', parameters)] });
    const { $schema: _, ...rest } = parameters;
    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: 't', description: 'The tool t.', parametersJsonSchema: rest }] },
    ]);
    expect(warnings).toEqual(['Schema of tool "t": $schema left out.']);
  });

  it('C058 references go out in the form that Gemini reads', async () => {
    const { body, warnings } = await sent({
      tools: [
        tool('t', {
          type: 'object',
          definitions: { Point: { type: 'object', properties: { x: { type: 'number' } } } },
          properties: { at: { $ref: '#/definitions/Point', description: 'where', title: 'At' } },
        }),
      ],
    });
    expect(body.tools[0].functionDeclarations[0].parametersJsonSchema).toEqual({
      type: 'object',
      $defs: { Point: { type: 'object', properties: { x: { type: 'number' } } } },
      properties: { at: { $ref: '#/$defs/Point' } },
    });
    expect(warnings).toHaveLength(4);
    for (const warning of warnings) expect(warning).toMatch(/^Schema of tool "t": \S+/);
  });

  it('C059 properties that are named like keywords survive', async () => {
    const parameters = {
      type: 'object',
      properties: {
        title: { type: 'string', title: 'T' },
        format: { type: 'string' },
        default: { type: 'number' },
        exclusiveMinimum: { type: 'number' },
        $ref: { type: 'string' },
        definitions: { type: 'string' },
      },
      required: ['title', 'format'],
    };
    const { body, warnings } = await sent({ tools: [tool('t', parameters)] });
    expect(body.tools[0].functionDeclarations[0].parametersJsonSchema).toEqual(parameters);
    expect(warnings).toEqual([]);
  });

  it('C087 every tool choice has its mode', async () => {
    const modes: [CallOptions['toolChoice'], object | undefined][] = [
      ['auto', { mode: 'AUTO' }],
      ['none', { mode: 'NONE' }],
      ['required', { mode: 'ANY' }],
      [{ tool: 'echo' }, { mode: 'ANY', allowedFunctionNames: ['echo'] }],
    ];
    for (const [toolChoice, mode] of modes) {
      const { body, warnings } = await sent({
        tools: [tool('echo')],
        options: { ...(toolChoice && { toolChoice }) },
      });
      expect(body.toolConfig).toEqual({ functionCallingConfig: mode });
      expect(warnings).toEqual([]);
    }
    expect((await sent({ tools: [tool('echo')] })).body).not.toHaveProperty('toolConfig');
    const without = await sent({ options: { toolChoice: 'required', parallelToolCalls: false } });
    expect(Object.keys(without.body)).toEqual(['contents']);
  });

  it('options become a generationConfig', async () => {
    const { body } = await sent({
      options: { temperature: 0, topP: 1, maxTokens: 5, stop: ['END'], thinking: true },
    });
    expect(body.generationConfig).toEqual({
      temperature: 0,
      topP: 1,
      maxOutputTokens: 5,
      stopSequences: ['END'],
      thinkingConfig: { includeThoughts: true },
    });
  });

  it('options that are null or undefined send nothing', async () => {
    const names = ['temperature', 'topP', 'maxTokens', 'stop', 'toolChoice', 'parallelToolCalls', 'thinking'];
    for (const unset of [null, undefined]) {
      const options = Object.fromEntries(names.map((name) => [name, unset])) as CallOptions;
      expect(Object.keys((await sent({ options, tools: [tool('a')] })).body)).toEqual(['tools', 'contents']);
    }
  });

  it('what cannot be sent is a warning', async () => {
    const many = await sent({
      tools: [tool('a')],
      options: { stop: ['1', '2', '3', '4', '5', '6', '7'], parallelToolCalls: false },
    });
    expect(many.body.generationConfig.stopSequences).toHaveLength(5);
    expect(many.warnings).toHaveLength(2);
    const warned = async (model: string, thinking: boolean) => {
      const { body, warnings } = await sent({ options: { thinking } }, model);
      return [body.generationConfig?.thinkingConfig, warnings.length];
    };
    expect(await warned('gemini-2.5-flash', false)).toEqual([{ thinkingBudget: 0 }, 0]);
    expect(await warned('gemini-2.5-pro', false)).toEqual([undefined, 1]);
    expect(await warned('gemini-3-pro-preview', false)).toEqual([undefined, 1]);
    expect(await warned('gemini-2.0-flash', false)).toEqual([undefined, 0]);
    expect(await warned('gemini-2.0-flash', true)).toEqual([undefined, 1]);
  });

  it('providerOptions.google is joined with the body last', async () => {
    const { body } = await sent({
      tools: [tool('a')],
      options: {
        temperature: 1,
        thinking: true,
        providerOptions: {
          google: {
            generationConfig: { topK: 3, temperature: 0.5, thinkingConfig: { thinkingBudget: 512 } },
            tools: [{ googleSearch: {} }],
            safetySettings: [{ category: 'X', threshold: 'BLOCK_NONE' }],
            newField: { a: 1 },
          },
          openai: { nothing: true },
        },
      },
    });
    expect(body.generationConfig).toEqual({
      temperature: 0.5,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 512 },
      topK: 3,
    });
    expect(body.tools).toHaveLength(2);
    expect(body.tools[1]).toEqual({ googleSearch: {} });
    expect(body.safetySettings).toHaveLength(1);
    expect(body.newField).toEqual({ a: 1 });
    expect(JSON.stringify(body)).not.toContain('nothing');
  });

  it('the base URL may name the API version, and end in a slash', async () => {
    for (const [suffix, path] of [
      ['', '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['/', '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['/v1beta/', '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['/v1alpha', '/v1alpha/models/gemini-2.5-flash:generateContent'],
    ]) {
      const { simulator } = await scripted([done]);
      const adapter = google({
        model: 'models/gemini-2.5-flash',
        apiKey: KEY,
        baseURL: simulator.origin + suffix,
      });
      await adapter.chat(asking());
      expect(simulator.exchanges[0]!.request.path).toBe(path);
    }
  });

  it('the key is in its header only, own headers go along', async () => {
    const { adapter, simulator } = await scripted([done, sse(...events([{ text: 'done' }]))], {
      headers: { 'x-own': 'yes' },
    });
    await adapter.chat(asking());
    await adapter.chat(watching().request);
    for (const { request } of simulator.exchanges) {
      const headers = new Map(request.rawHeaders.map(([name, value]) => [name.toLowerCase(), value]));
      expect(headers.get('x-goog-api-key')).toBe(KEY);
      expect(headers.get('x-own')).toBe('yes');
      expect(request.path + request.query + request.bodyText).not.toContain(KEY);
    }
  });
});

describe('settings', () => {
  it('a model id cannot leave its place in the URL', () => {
    for (const model of [
      '../x',
      'models/../x',
      '..',
      'a/b',
      'gemini?key=1',
      'a b',
      'gemini#x',
      'models/',
      'files/x',
      'a%2fb',
      '.',
      'a:b',
    ]) {
      expect(() => google({ model, apiKey: KEY }), model).toThrow(TypeError);
    }
    for (const model of ['gemini-2.5-flash', 'models/gemini-3', 'tunedModels/my-model_1', 'gemma-3-27b-it']) {
      expect(google({ model, apiKey: KEY }).model).toBe(model);
    }
  });

  it('headers that the SDK sets itself stay its own', async () => {
    const headers = { 'X-Goog-Api-Key': 'other', 'x-goog-api-client': 'other', 'Content-Type': 'text/plain' };
    const { adapter, simulator } = await scripted([done], { headers });
    await adapter.chat(asking());
    expect(JSON.stringify(simulator.exchanges[0]!.request.rawHeaders)).not.toMatch(/other|plain/);
  });
});
