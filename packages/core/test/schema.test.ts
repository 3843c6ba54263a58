import { defineTool, type JsonSchema, runLoop, type Tool } from '@glassloop/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv } from 'ajv';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scripted } from './scripted-adapter.ts';

async function resultOf(tool: Tool, args: unknown, run: object = {}) {
  const adapter = scripted([{ calls: [{ name: tool.name, args }] }, { text: 'ok' }]);
  await runLoop({ adapter, messages: [{ role: 'user', content: 'hi' }], tools: [tool], ...run });
  return adapter.requests[1]!.messages.find(({ role }) => role === 'tool') as {
    content: string;
    isError: boolean;
  };
}

const base = { name: 'weather', description: 'The weather of a city.' };
const tools: readonly (readonly [string, Tool])[] = [
  [
    'zod',
    defineTool({
      ...base,
      input: z.object({ city: z.string(), days: z.number().default(1) }),
      execute: ({ city, days }) => `${city} ${days}`,
    }),
  ],
  [
    'arktype',
    defineTool({
      ...base,
      input: type({ city: 'string', days: 'number = 1' }),
      execute: ({ city, days }) => `${city} ${days}`,
    }),
  ],
  [
    'valibot',
    defineTool({
      ...base,
      input: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
      execute: ({ city, days }) => `${city} ${days}`,
    }),
  ],
];

describe.each(tools)('a tool with a %s schema', (_, tool) => {
  it('shows the model an object schema', () => {
    expect(tool.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: expect.anything() },
    });
    expect(tool.parameters).not.toHaveProperty('$schema');
    expect(tool.parameters['required']).toEqual(['city']);
  });
  it('runs with the validated value, defaults filled in', async () => {
    expect(await resultOf(tool, { city: 'Oslo' })).toMatchObject({ content: 'Oslo 1', isError: false });
  });
  it('tells the model what is wrong with its arguments, and does not run', async () => {
    const { content, isError } = await resultOf(tool, { city: 3 });
    expect(isError).toBe(true);
    expect(content).toMatch(/do not fit/);
    expect(content).toMatch(/city/);
  });
});

describe('a tool with plain JSON Schema', () => {
  const input = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  const tool = defineTool({ ...base, input, execute: ({ n }: { n: number }) => `n=${n}` });
  const ajv = new Ajv({ strict: false });
  const validator = (schema: JsonSchema) => {
    const check = ajv.compile(schema);
    return (value: unknown) => (check(value) ? [] : [ajv.errorsText(check.errors)]);
  };

  it('is sent as it is', () => {
    expect(tool.parameters).toEqual(input);
  });
  it('without a validator only checks what is required', async () => {
    expect(await resultOf(tool, { n: 'x' })).toMatchObject({ isError: false });
    expect(await resultOf(tool, {})).toMatchObject({
      isError: true,
      content: expect.stringContaining('"n" is missing'),
    });
  });
  it('with the caller’s validator checks all of it', async () => {
    expect(await resultOf(tool, { n: 2 }, { validator })).toMatchObject({ content: 'n=2' });
    expect(await resultOf(tool, { n: 0 }, { validator })).toMatchObject({
      isError: true,
      content: expect.stringContaining('must be >= 1'),
    });
  });
  it('C040 a tool without parameters has an object schema all the same', () => {
    for (const given of [undefined, {}, { type: 'object' }, { type: 'object', properties: [] }]) {
      const { parameters } = defineTool({
        ...base,
        ...(given === undefined ? {} : { input: given }),
        execute: () => '',
      });
      expect(parameters).toEqual({ type: 'object', properties: {} });
    }
  });
  it('says what it does outside the run, and the model is not told', async () => {
    const tool = defineTool({ ...base, effect: 'writes', execute: () => 'ok' });
    expect(tool.effect).toBe('writes');
    expect(defineTool({ ...base, execute: () => '' })).not.toHaveProperty('effect');
    const adapter = scripted([{ text: 'ok' }]);
    await runLoop({ adapter, messages: [{ role: 'user', content: 'hi' }], tools: [tool] });
    expect(Object.keys(adapter.requests[0]!.tools[0]!)).toEqual(['name', 'description', 'parameters']);
  });
  it.each([
    [{ effect: 'none' }, /effect of "weather" must be 'reads' or 'writes'/],
    [{ input: 'text' }, /input of "weather" must be a schema/],
    [{ input: { type: 'string' } }, /must describe an object/],
    [{ input: v.object({}) }, /cannot print JSON Schema.*toStandardJsonSchema/],
    [{ description: undefined }, /description of "weather" must be a text/],
    [{ execute: 'x' }, /execute of "weather" must be a function/],
  ])('%j is refused with what to do', (part, message) => {
    expect(() => defineTool({ ...base, execute: () => '', ...part } as never)).toThrow(message);
  });
});
