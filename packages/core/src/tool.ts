import { defined, isPlainObject, shown } from './check.ts';
import type { JsonSchema, StandardSchema } from './schema.ts';

/** What a tool is told about the call it answers. */
export interface ToolContext {
  readonly toolCallId: string;
  /** The round that asked, from 1. */
  readonly round: number;
  /** Aborts when the run is aborted, hits its time limit, or this call its own. Hand it on to whatever the tool awaits. */
  readonly signal: AbortSignal;
}

/** What a model is shown of a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** An object schema; at least `{ type: 'object', properties: {} }`. */
  readonly parameters: JsonSchema;
}

/**
 * `reads`: a call changes nothing outside the run; `writes`: it may. Never sent to a model. Absent: nobody said, so
 * programs that ask before a change (the playground) treat it as `writes`.
 */
export type ToolEffect = 'reads' | 'writes';

/** Made by `defineTool`. `schema` is present when the input was a Standard Schema; else `parameters` is the caller's own. */
export interface Tool extends ToolSpec {
  readonly schema?: StandardSchema;
  readonly effect?: ToolEffect;
  execute(input: unknown, context: ToolContext): unknown;
}

/** What a tool may be called. The strictest rule of the seven providers, so that no name has to be rewritten on its way. */
export const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * Defines a tool. `input` is a Standard Schema that can also print JSON Schema (zod 4, arktype, valibot through
 * `toStandardJsonSchema`): typed, and validated before `execute` runs. Or a plain JSON Schema: sent as it is,
 * validated if the run has a `validator`. What `execute` returns becomes text for the model: strings as they are,
 * bytes as UTF-8, everything else as JSON. What it throws becomes an error result; the run goes on.
 *
 * Throws TypeError for a name that some provider would refuse, or an input that cannot print JSON Schema.
 */
export function defineTool<Input, Output>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchema<Input, Output>;
  readonly effect?: ToolEffect;
  execute(input: Output, context: ToolContext): unknown;
}): Tool;
export function defineTool<Input = unknown>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input?: JsonSchema;
  readonly effect?: ToolEffect;
  execute(input: Input, context: ToolContext): unknown;
}): Tool;
export function defineTool(tool: {
  readonly name: string;
  readonly description: string;
  readonly input?: JsonSchema | StandardSchema;
  readonly effect?: ToolEffect;
  execute(input: never, context: ToolContext): unknown;
}): Tool {
  if (!isPlainObject(tool)) throw new TypeError(`defineTool: expected an object, got ${shown(tool)}.`);
  const { name, description, input } = tool;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw new TypeError(
      `defineTool: name ${shown(name)} would be refused by a provider. Use 1 to 64 of a-z A-Z 0-9 _ -, beginning with a letter or _.`,
    );
  }
  if (typeof description !== 'string') {
    throw new TypeError(`defineTool: description of "${name}" must be a text; got ${shown(description)}.`);
  }
  if (typeof tool.execute !== 'function') {
    throw new TypeError(`defineTool: execute of "${name}" must be a function; got ${shown(tool.execute)}.`);
  }
  const { effect } = tool;
  if (effect !== undefined && effect !== 'reads' && effect !== 'writes') {
    throw new TypeError(`defineTool: effect of "${name}" must be 'reads' or 'writes'; got ${shown(effect)}.`);
  }
  const schema = isStandardSchema(input) ? input : undefined;
  const parameters = objectSchema(name, schema === undefined ? input : printed(name, schema));
  return Object.freeze({
    name,
    description,
    parameters,
    ...defined({ schema, effect }),
    // Called as a method, so a tool made from a class instance keeps its `this`.
    execute: (value: unknown, context: ToolContext) => tool.execute(value as never, context),
  });
}

function isStandardSchema(input: unknown): input is StandardSchema {
  // arktype schemas are functions, so both kinds of value can carry the marker.
  return input !== null && (typeof input === 'object' || typeof input === 'function') && '~standard' in input;
}

function printed(name: string, schema: StandardSchema): unknown {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `defineTool: the ${vendor} schema of "${name}" cannot print JSON Schema. Use zod 4.2, arktype 2.1.28 (or later), or toStandardJsonSchema of @valibot/to-json-schema.`,
    );
  }
  return jsonSchema.input({ target: 'draft-2020-12' });
}

/** A provider wants an object schema with `properties`, also from a tool without parameters. */
function objectSchema(name: string, input: unknown): JsonSchema {
  if (input === undefined) return { type: 'object', properties: {} };
  if (!isPlainObject(input)) {
    throw new TypeError(`defineTool: input of "${name}" must be a schema; got ${shown(input)}.`);
  }
  const { $schema: _, ...schema } = input;
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    throw new TypeError(
      `defineTool: input of "${name}" must describe an object, because models call tools with named arguments; got type ${shown(schema['type'])}.`,
    );
  }
  const properties = schema['properties'];
  if (properties !== undefined && !isPlainObject(properties)) {
    if (!(Array.isArray(properties) && properties.length === 0)) {
      throw new TypeError(
        `defineTool: properties in the input of "${name}" must be an object; got ${shown(properties)}.`,
      );
    }
    schema['properties'] = {};
  }
  return { type: 'object', ...schema, properties: schema['properties'] ?? {} };
}
