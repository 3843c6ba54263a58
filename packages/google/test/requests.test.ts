import { defineTool, RunTrace, runLoop, ToolOptions } from '@glassloop/core';
import type { Message } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { answer, asking, frozen, json, scripted, sent, tool, user } from './helpers.ts';

const done = json(answer([{ text: 'done' }]));

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
});
