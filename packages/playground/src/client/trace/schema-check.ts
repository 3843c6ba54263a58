/** Whether arguments fit a JSON Schema, as far as its plain keywords go. What it does not know, it says it did not check. */

export type SchemaCheck =
  | { readonly result: 'matches' }
  | { readonly result: 'unchecked' }
  | { readonly result: 'not_json' }
  /** `path`: where; `rule`: the keyword that is broken. */
  | { readonly result: 'differs'; readonly path: string; readonly rule: string };

const KNOWN = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'additionalProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  'deprecated',
  '$comment',
]);

export function checkArguments(schema: unknown, argumentsJson: string): SchemaCheck {
  let value: unknown;
  try {
    value = argumentsJson.trim() === '' ? {} : JSON.parse(argumentsJson);
  } catch {
    return { result: 'not_json' };
  }
  const state = { isComplete: true };
  const broken = check(schema, value, '', state, 0);
  if (broken !== undefined) return { result: 'differs', ...broken };
  return { result: state.isComplete ? 'matches' : 'unchecked' };
}

type Broken = { readonly path: string; readonly rule: string };

function check(
  schema: unknown,
  value: unknown,
  path: string,
  state: { isComplete: boolean },
  depth: number,
): Broken | undefined {
  if (schema === true || depth > 50) return undefined;
  if (typeof schema !== 'object' || schema === null)
    return schema === false ? { path, rule: 'false' } : undefined;
  const rules = schema as Record<string, unknown>;
  if (Object.keys(rules).some((keyword) => !KNOWN.has(keyword))) state.isComplete = false;
  const fail = (rule: string): Broken => ({ path: path === '' ? '$' : path, rule });
  if (rules['type'] !== undefined && ![rules['type']].flat().some((type) => hasType(value, type)))
    return fail('type');
  if (Array.isArray(rules['enum']) && !rules['enum'].some((one) => same(one, value))) return fail('enum');
  if (Object.hasOwn(rules, 'const') && !same(rules['const'], value)) return fail('const');
  if (typeof value === 'number') {
    if (typeof rules['minimum'] === 'number' && value < rules['minimum']) return fail('minimum');
    if (typeof rules['maximum'] === 'number' && value > rules['maximum']) return fail('maximum');
  }
  if (typeof value === 'string' || Array.isArray(value)) {
    const [low, high] = typeof value === 'string' ? ['minLength', 'maxLength'] : ['minItems', 'maxItems'];
    if (typeof rules[low!] === 'number' && value.length < (rules[low!] as number)) return fail(low!);
    if (typeof rules[high!] === 'number' && value.length > (rules[high!] as number)) return fail(high!);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const broken = check(rules['items'] ?? true, item, `${path}[${index}]`, state, depth + 1);
      if (broken !== undefined) return broken;
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return checkObject(rules, value as Record<string, unknown>, path, state, depth);
}

function checkObject(
  rules: Record<string, unknown>,
  value: Record<string, unknown>,
  path: string,
  state: { isComplete: boolean },
  depth: number,
): Broken | undefined {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (Array.isArray(rules['required'])) {
    for (const key of rules['required']) {
      if (typeof key === 'string' && !Object.hasOwn(value, key)) return { path: at(key), rule: 'required' };
    }
  }
  const properties = (rules['properties'] ?? {}) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    const rule = Object.hasOwn(properties, key) ? properties[key] : (rules['additionalProperties'] ?? true);
    if (rule === false) return { path: at(key), rule: 'additionalProperties' };
    const broken = check(rule, item, at(key), state, depth + 1);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
