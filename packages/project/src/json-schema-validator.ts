import type { JsonSchema, JsonSchemaValidator } from '@glassloop/core';
import { Ajv2020 } from 'ajv/dist/2020.js';

// `format` says what a text is about; models are not held to it. Schemas come from anyone, so nothing is strict.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  allErrors: true,
  addUsedSchema: false,
  unicodeRegExp: false,
  logger: false,
});

/** For `runLoop({ validator })`: checks arguments of tools with a plain JSON Schema, draft 2020-12. */
export const jsonSchemaValidator: JsonSchemaValidator = (schema) => {
  const check = ajv.compile(schema);
  return (value) =>
    check(value)
      ? []
      : (check.errors ?? []).map(({ instancePath, message = 'does not fit', params }) => {
          const where = instancePath.slice(1).replaceAll('/', '.');
          const what =
            'additionalProperty' in params ? `${message} ("${params['additionalProperty']}")` : message;
          return where === '' ? what : `${where} ${what}`;
        });
};

/** What is wrong with a JSON Schema; undefined for a good one. */
export function schemaFault(schema: JsonSchema): string | undefined {
  try {
    jsonSchemaValidator(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0]!.slice(0, 300);
  }
}
