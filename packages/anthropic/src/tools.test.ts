import type { JsonSchema } from '@glassloop/core/adapter';
import { describe, expect, it } from 'vitest';
import { toWireTools } from './tools.ts';

function sent(parameters: JsonSchema): { schema: JsonSchema; warnings: string[] } {
  const warnings: string[] = [];
  const [tool] = toWireTools([{ name: 't', description: ' ', parameters }], warnings);
  expect(tool).not.toHaveProperty('description');
  return { schema: tool?.input_schema ?? {}, warnings };
}

describe('schemas of tools', () => {
  it('go out as they are where nothing must change', () => {
    const parameters = { type: 'object', properties: { format: { anyOf: [{ type: 'string' }] }, items: {} } };
    expect(sent(parameters).schema).toBe(parameters);
    expect(sent(parameters).warnings).toEqual([]);
  });

  it('have no alternatives at the top', () => {
    const { schema, warnings } = sent({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      anyOf: [
        { properties: { a: { type: 'number' } }, required: ['kind', 'a'] },
        { properties: { b: { type: 'number' } }, required: ['kind', 'b'] },
      ],
      allOf: [{ properties: { c: {} }, required: ['c'] }],
    });
    expect(schema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, a: { type: 'number' }, b: { type: 'number' }, c: {} },
      required: ['id', 'kind', 'c'],
    });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('tool "t": anyOf');
  });

  it('are written in draft 2020-12', () => {
    const { schema, warnings } = sent({
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
        n: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      },
    });
    expect(schema['properties']).toEqual({
      pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      n: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
    });
    expect(warnings.join()).toContain('properties.pair.items');
  });
});
