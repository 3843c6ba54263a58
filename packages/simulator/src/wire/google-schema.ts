import { isObject } from './answer-parts.ts';

/** The keywords of the API's own Schema type; JSON Schema has more, and each of those is refused. */
const KEYWORDS = new Set(
  `type format title description nullable enum items max_items min_items properties required min_properties max_properties
  min_length max_length pattern example any_of property_ordering default minimum maximum`.split(/\s+/),
);

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** `additionalProperties` is `additional_properties` to this API: both spellings name one field. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Refuses what the `parameters` field of a function declaration cannot hold. `parametersJsonSchema` takes anything. */
export function checkSchema(schema: unknown, at: string): void {
  if (!isObject(schema)) throw new Error(`Invalid value at '${at}' (type.googleapis.com/Schema)`);
  for (const name of Object.keys(schema)) {
    if (!KEYWORDS.has(snakeCase(name))) {
      throw new Error(`Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`);
    }
  }
  const { type, enum: values, properties, required, items } = schema;
  if (Array.isArray(type)) {
    throw new Error(
      `Invalid JSON payload received. Unknown name "type" at '${at}': Proto field is not repeating, cannot start list.`,
    );
  }
  const kind = typeof type === 'string' ? type.toLowerCase() : undefined;
  if (type !== undefined && (kind === undefined || !TYPES.has(kind))) {
    throw new Error(`Invalid value at '${at}.type' (type.googleapis.com/Type), ${JSON.stringify(type)}`);
  }
  if (values !== undefined) {
    if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
      throw new Error(`Invalid value at '${at}.enum' (TYPE_STRING)`);
    }
    if (kind !== undefined && kind !== 'string')
      throw new Error(`* ${at}.enum: only allowed for STRING type`);
    if (values.includes('')) throw new Error(`* ${at}.enum: cannot be empty`);
  }
  if (properties !== undefined) {
    if (!isObject(properties)) throw new Error(`Invalid value at '${at}.properties' (Map)`);
    for (const [name, property] of Object.entries(properties)) {
      checkSchema(property, `${at}.properties[${name}]`);
    }
  }
  if (required !== undefined) {
    if (!Array.isArray(required)) throw new Error(`Invalid value at '${at}.required'`);
    for (const name of required) {
      if (!isObject(properties) || !Object.hasOwn(properties, String(name))) {
        throw new Error(`* ${at}.required[${String(name)}]: property is not defined`);
      }
    }
  }
  if (kind === 'array' && items === undefined) throw new Error(`* ${at}.items: missing field.`);
  if (items !== undefined) checkSchema(items, `${at}.items`);
  const anyOf = schema['anyOf'] ?? schema['any_of'];
  if (anyOf !== undefined) {
    if (!Array.isArray(anyOf)) throw new Error(`Invalid value at '${at}.any_of'`);
    for (const [index, choice] of anyOf.entries()) checkSchema(choice, `${at}.any_of[${index}]`);
  }
}
