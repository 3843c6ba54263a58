/**
 * Schemas of tool inputs: Standard Schema (https://standardschema.dev) for libraries, JSON Schema for everything else.
 * The interfaces are written out here, as their authors invite, so that core depends on no library.
 */

/** A JSON Schema object as it goes to a model. Draft 2020-12 words are what providers understand best. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The part of Standard Schema v1 that the loop uses: validation, and JSON Schema where the library prints it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
      options?: { readonly libraryOptions?: Record<string, unknown> | undefined } | undefined,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Compiles a plain JSON Schema to a check that returns one sentence per problem, none for a valid value.
 * Given to `runLoop({ validator })`, so that core needs no validator of its own; with ajv:
 *
 *     const ajv = new Ajv({ strict: false });
 *     const validator = (schema) => {
 *       const check = ajv.compile(schema);
 *       return (value) => (check(value) ? [] : [ajv.errorsText(check.errors)]);
 *     };
 */
export type JsonSchemaValidator = (schema: JsonSchema) => (value: unknown) => readonly string[];
