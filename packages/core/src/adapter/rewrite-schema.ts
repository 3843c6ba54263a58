import { isPlainObject } from '../check.ts';
import type { JsonSchema } from '../schema.ts';

/**
 * What a provider's dialect does with one schema keyword: keep it, drop it, or put others in its place. `path` is
 * where the keyword stands, like `properties.n.exclusiveMinimum`.
 */
export type KeywordRule = (
  keyword: string,
  value: unknown,
  schema: JsonSchema,
) => 'keep' | 'drop' | { readonly [keyword: string]: unknown };

/** A rewritten copy and one sentence per rewrite; the very same object and no sentence when nothing had to change. */
export interface RewrittenSchema {
  readonly schema: JsonSchema;
  readonly rewrites: readonly string[];
}

/** Keywords whose value is a schema, a list of schemas, or an object of schemas by name. */
const ONE = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/**
 * Applies a rule to every keyword of a schema at every depth. Names of properties are not keywords: a property
 * called `format` or `default` is never touched. The given schema is not changed.
 */
export function rewriteSchema(schema: JsonSchema, rule: KeywordRule): RewrittenSchema {
  const rewrites: string[] = [];
  const rewritten = walk(schema, rule, '', rewrites);
  return rewrites.length === 0 ? { schema, rewrites } : { schema: rewritten, rewrites };
}

function walk(schema: JsonSchema, rule: KeywordRule, path: string, rewrites: string[]): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const at = path === '' ? keyword : `${path}.${keyword}`;
    const verdict = rule(keyword, value, schema);
    if (verdict === 'drop') {
      rewrites.push(`${at} left out`);
    } else if (verdict === 'keep') {
      put(result, keyword, inside(keyword, value, rule, at, rewrites));
    } else {
      rewrites.push(`${at} sent as ${Object.keys(verdict).join(', ')}`);
      for (const [name, other] of Object.entries(verdict))
        put(result, name, inside(name, other, rule, at, rewrites));
    }
  }
  return result;
}

function inside(keyword: string, value: unknown, rule: KeywordRule, at: string, rewrites: string[]): unknown {
  if (ONE.has(keyword) && isPlainObject(value)) return walk(value, rule, at, rewrites);
  if ((LIST.has(keyword) || keyword === 'items') && Array.isArray(value)) {
    return value.map((entry, index) =>
      isPlainObject(entry) ? walk(entry, rule, `${at}[${index}]`, rewrites) : entry,
    );
  }
  if (BY_NAME.has(keyword) && isPlainObject(value)) {
    const schemas: Record<string, unknown> = {};
    for (const [name, entry] of Object.entries(value)) {
      put(schemas, name, isPlainObject(entry) ? walk(entry, rule, `${at}.${name}`, rewrites) : entry);
    }
    return schemas;
  }
  return value;
}

/** Also right for a property that is called `__proto__`. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
