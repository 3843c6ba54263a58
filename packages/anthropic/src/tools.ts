import { type JsonSchema, type KeywordRule, rewriteSchema, type ToolSpec } from '@glassloop/core/adapter';
import { isObject } from './content.ts';

export interface WireTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonSchema;
}

interface ToolForm {
  readonly tool: WireTool;
  readonly warnings: readonly string[];
}

/** The tools as the API takes them: draft 2020-12 only, and no alternatives at the top of a schema. */
export function toWireTools(tools: readonly ToolSpec[], warnings: string[]): readonly WireTool[] {
  return tools.map((spec) => {
    const form = toolForms.get(spec) ?? toolForm(spec);
    warnings.push(...form.warnings);
    return form.tool;
  });
}

const toolForms = new WeakMap<ToolSpec, ToolForm>();

function toolForm(spec: ToolSpec): ToolForm {
  const { name, description, parameters } = spec;
  const top = withoutAlternatives(parameters);
  const { schema, rewrites } = rewriteSchema(top.schema, olderDrafts);
  const form = {
    tool: { name, ...(description.trim() === '' ? {} : { description }), input_schema: schema },
    warnings: [...top.rewrites, ...rewrites].map(
      (rewrite) => `anthropic: schema of tool "${name}": ${rewrite}.`,
    ),
  };
  if (Object.isFrozen(spec)) toolForms.set(spec, form);
  return form;
}

/** Words of older drafts that the API refuses as invalid, in their present spelling. */
const olderDrafts: KeywordRule = (keyword, value, schema) => {
  switch (keyword) {
    case 'items':
      return Array.isArray(value) ? { prefixItems: value } : 'keep';
    case 'additionalItems':
      return Array.isArray(schema['items']) ? { items: value } : 'keep';
    case 'exclusiveMinimum':
      return exclusive(keyword, value, schema['minimum']);
    case 'exclusiveMaximum':
      return exclusive(keyword, value, schema['maximum']);
    case 'minimum':
      return schema['exclusiveMinimum'] === true ? 'drop' : 'keep';
    case 'maximum':
      return schema['exclusiveMaximum'] === true ? 'drop' : 'keep';
    default:
      return 'keep';
  }
};

function exclusive(keyword: string, value: unknown, limit: unknown): ReturnType<KeywordRule> {
  if (typeof value !== 'boolean') return 'keep';
  return value && typeof limit === 'number' ? { [keyword]: limit } : 'drop';
}

/**
 * anyOf, oneOf and allOf are refused at the top of a tool's schema. The properties of all their schemas are offered
 * side by side instead; required is what every alternative (of allOf: any part) requires. The loop still checks the
 * arguments against the tool's own schema.
 */
function withoutAlternatives(schema: JsonSchema): { schema: JsonSchema; rewrites: readonly string[] } {
  const rewrites: string[] = [];
  let properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(namesIn(schema['required']));
  const rest: Record<string, unknown> = { ...schema };
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const parts = schema[keyword];
    if (!Array.isArray(parts)) continue;
    delete rest[keyword];
    rewrites.push(`${keyword} left out at the top, the properties in it offered side by side`);
    const objects = parts.filter(isObject);
    for (const part of objects)
      if (isObject(part['properties'])) properties = { ...part['properties'], ...properties };
    const lists = objects.map((part) => namesIn(part['required']));
    for (const name of lists.flat()) {
      if (keyword === 'allOf' || lists.every((names) => names.includes(name))) required.add(name);
    }
  }
  if (rewrites.length === 0) return { schema, rewrites };
  return { schema: { ...rest, properties, ...(required.size > 0 && { required: [...required] }) }, rewrites };
}

function namesIn(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
