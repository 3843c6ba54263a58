import { describe, expect, it } from 'vitest';
import { type KeywordRule, rewriteSchema } from './rewrite-schema.ts';

const rule: KeywordRule = (keyword, value) =>
  keyword === 'title' || keyword === '$schema' || keyword === 'additionalProperties'
    ? 'drop'
    : keyword === 'const'
      ? { enum: [value] }
      : 'keep';

describe('rewriteSchema', () => {
  it('changes keywords at every depth and lists each change', () => {
    const schema = {
      $schema: 'x',
      type: 'object',
      properties: { m: { anyOf: [{ const: 'a' }, { type: 'array', items: { title: 'T', const: 1 } }] } },
      $defs: { d: { additionalProperties: false } },
    };
    const before = structuredClone(schema);
    const { schema: rewritten, rewrites } = rewriteSchema(schema, rule);
    expect(schema).toEqual(before);
    expect(rewritten).toEqual({
      type: 'object',
      properties: { m: { anyOf: [{ enum: ['a'] }, { type: 'array', items: { enum: [1] } }] } },
      $defs: { d: {} },
    });
    expect(rewrites).toEqual([
      '$schema left out',
      'properties.m.anyOf[0].const sent as enum',
      'properties.m.anyOf[1].items.title left out',
      'properties.m.anyOf[1].items.const sent as enum',
      '$defs.d.additionalProperties left out',
    ]);
  });

  it('C059 leaves properties alone that are called like keywords', () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string', title: 'T' },
        const: { type: 'string' },
        $schema: {},
        properties: { properties: { title: {} } },
      },
      required: ['title', 'const'],
    };
    const { schema: rewritten } = rewriteSchema(schema, rule);
    expect(Object.keys(rewritten['properties'] as object)).toEqual([
      'title',
      'const',
      '$schema',
      'properties',
    ]);
    expect(rewritten).toMatchObject({
      properties: { title: { type: 'string' }, properties: { properties: { title: {} } } },
      required: ['title', 'const'],
    });
    expect((rewritten['properties'] as { title: object }).title).not.toHaveProperty('title');
  });

  it('leaves data alone: enum, default and examples are no schemas', () => {
    const schema = { enum: [{ title: 'x' }], default: { title: 'y' }, examples: [{ const: 1 }] };
    expect(rewriteSchema(schema, rule)).toEqual({ schema, rewrites: [] });
  });

  it('gives back the very same object when nothing changes, and survives odd names', () => {
    const schema = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') };
    expect(rewriteSchema(schema, rule).schema).toBe(schema);
    const changed = rewriteSchema({ ...schema, title: 'T' }, rule).schema;
    expect(Object.keys(changed['properties'] as object)).toEqual(['__proto__']);
  });
});
