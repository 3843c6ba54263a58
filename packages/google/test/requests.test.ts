import { defineTool, RunTrace, runLoop, ToolOptions } from '@glassloop/core';
import type { CallOptions, Message, ModelRequest } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { google } from '../src/index.ts';
import {
  answer,
  asking,
  type Body,
  events,
  json,
  KEY,
  scripted,
  sse,
  tool,
  user,
  watching,
} from './helpers.ts';

const done = json(answer([{ text: 'done' }]));

async function sent(
  request: Partial<ModelRequest>,
  model = 'gemini-2.5-flash',
): Promise<{ body: Body; warnings: readonly string[] }> {
  const { adapter, body, simulator } = await scripted([done, sse(answer([{ text: 'done' }]))], { model });
  const { warnings = [] } = await adapter.chat(asking(request));
  await adapter.chat(watching(request).request);
  // The streamed request is the same one, and so is the preview.
  expect(simulator.exchanges[1]!.request.bodyText).toBe(simulator.exchanges[0]!.request.bodyText);
  expect(adapter.preview!(asking(request))).toEqual({ body: body(), warnings });
  if (request.options?.providerOptions === undefined)
    expect(JSON.stringify(adapter.preview!(asking(request)).body)).toBe(
      simulator.exchanges[0]!.request.bodyText,
    );
  return { body: body(), warnings };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
}

const echo = defineTool({ name: 'echo', description: 'Echoes.', execute: () => 'echoed' });
const calls = json(answer([{ functionCall: { name: 'echo', args: {} } }]));

describe('requests', () => {
  it('C011 a forced tool choice holds for the first round', async () => {
    const { adapter, body } = await scripted([calls, done]);
    const options = new ToolOptions({ toolChoice: 'required' });
    const result = await runLoop({ adapter, messages: [user], tools: [echo], options });
    expect(result.content).toBe('done');
    expect(body(0).toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    expect(body(1).toolConfig).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
  });

  it('C011 the closing round has neither tools nor a tool choice', async () => {
    const { adapter, body } = await scripted([calls, done]);
    const options = new ToolOptions({ toolChoice: 'required' });
    await runLoop({ adapter, messages: [user], tools: [echo], options, maxRounds: 1 });
    expect(body(1)).not.toHaveProperty('tools');
    expect(body(1)).not.toHaveProperty('toolConfig');
  });

  it('C012 nothing of the caller is changed, and the same request is sent twice', async () => {
    const { adapter, simulator } = await scripted([done, done]);
    const request = frozen(
      asking({
        messages: [
          { role: 'system', content: 'S' },
          user,
          { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'a', argumentsJson: '{}' }] },
          { role: 'tool', toolCallId: 'x', toolName: 'a', content: 'r', isError: false },
          user,
        ],
        tools: [tool('a', { type: 'object', $schema: 'x', definitions: { X: {} }, properties: {} })],
        options: { temperature: 1, providerOptions: { google: { generationConfig: { topK: 1 } } } },
      }),
    );
    const before = JSON.stringify(request);
    await adapter.chat(request);
    await adapter.chat(request);
    expect(JSON.stringify(request)).toBe(before);
    const [first, second] = simulator.exchanges;
    expect(second!.request.bodyText).toBe(first!.request.bodyText);
  });

  it('C016 C017 the prompt is there once in every round, the closing one included', async () => {
    const { adapter, body } = await scripted([calls, calls, done]);
    await runLoop({
      adapter,
      systemPrompt: 'Answer in French.',
      snippets: [{ id: 'A', name: '', text: 'snippet A' }],
      messages: [user],
      tools: [echo],
      maxRounds: 2,
    });
    const texts = [0, 1, 2].map((round) => JSON.stringify(body(round)));
    for (const text of texts) {
      expect(text.match(/Answer in French\./g)).toHaveLength(1);
      expect(text.match(/snippet A/g)).toHaveLength(1);
    }
    expect(body(1).contents.slice(0, 1)).toEqual(body(0).contents);
    expect(body(2).contents.slice(0, 3)).toEqual(body(1).contents);
  });

  it('C018 C021 all system texts lead, in order, one part each', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'S1' },
      { role: 'system', content: 'S2' },
      { role: 'user', content: 'u1' },
      { role: 'assistant', content: 'a1', toolCalls: [] },
      { role: 'system', content: 'From now on be brief.' },
      { role: 'user', content: 'u2' },
    ];
    const { body } = await sent({ messages });
    expect(body.systemInstruction).toEqual({
      role: 'system',
      parts: [{ text: 'S1' }, { text: 'S2' }, { text: 'From now on be brief.' }],
    });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'u1' }] },
      { role: 'model', parts: [{ text: 'a1' }] },
      { role: 'user', parts: [{ text: 'u2' }] },
    ]);
  });

  it('C019 empty and blank texts are not sent', async () => {
    const { body } = await sent({
      messages: [
        { role: 'system', content: '' },
        { role: 'system', content: ' \n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: ' ' },
            { type: 'text', text: ' hi ' },
          ],
        },
        { role: 'assistant', content: '', toolCalls: [] },
        { role: 'assistant', content: '\n', toolCalls: [{ id: 'x', name: 'a', argumentsJson: '' }] },
        { role: 'tool', toolCallId: 'x', toolName: 'a', content: '', isError: false },
      ],
    });
    expect(body).toEqual({
      contents: [
        { role: 'user', parts: [{ text: ' hi ' }] },
        { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'a', response: { output: '' } } }] },
      ],
    });
  });

  it('C045 an answer without text is left out when it goes back', async () => {
    const { adapter, body } = await scripted([
      json({ candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] }),
      done,
    ]);
    const response = await adapter.chat(asking());
    await adapter.chat(asking({ messages: [user, response.message, user] }));
    expect(body(1).contents.map((content: { role: string }) => content.role)).toEqual(['user', 'user']);
  });

  it('C020 a dry run sends nothing', async () => {
    const { adapter, simulator } = await scripted([]);
    const trace = new RunTrace();
    const result = await runLoop(
      { adapter, messages: [user], tools: [echo], augmentation: { dryRun: true } },
      trace,
    );
    expect(result.stopReason).toBe('dry_run');
    expect(simulator.exchanges).toHaveLength(0);
  });

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

  it('images go out as data or as an address', async () => {
    const { body } = await sent({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', data: 'aGk=', mediaType: 'image/png' },
            { type: 'image', data: 'https://example.org/a.jpg', mediaType: 'image/jpeg' },
          ],
        },
      ],
    });
    expect(body.contents[0].parts).toEqual([
      { text: 'Look' },
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.org/a.jpg' } },
    ]);
  });

  it('C121 C123 C124 odd characters of tool results go out as legal JSON', async () => {
    const { adapter, simulator, body } = await scripted([calls, done]);
    await runLoop({
      adapter,
      messages: [user],
      tools: [
        defineTool({ name: 'echo', description: '', execute: () => 'ok \uD83D end x\u0000y\u001b[31m 👋' }),
      ],
    });
    expect(simulator.exchanges[1]!.request.bodyText).not.toMatch(/\\ud83d/i);
    expect(body(1).contents[2].parts[0].functionResponse.response.output).toBe(
      'ok \uFFFD end x\u0000y\u001b[31m 👋',
    );
  });

  it('C121 a lone surrogate in an answer does not come back', async () => {
    const broken = JSON.stringify(
      answer([{ text: 'x' }, { functionCall: { name: 'echo', args: {} }, thoughtSignature: 'Uw==' }]),
    );
    const { adapter, simulator } = await scripted([json(broken.replace('"x"', '"a\\ud83d"')), done]);
    await runLoop({ adapter, messages: [user], tools: [echo] });
    expect(simulator.exchanges[1]!.request.bodyText).not.toMatch(/\\ud83d/i);
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
