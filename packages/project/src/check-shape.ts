import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { ProjectConfig } from './config.ts';
import type { ConfigPath, Locate } from './locate.ts';
import { didYouMean, type ProjectProblem, problem } from './problem.ts';

const SCHEMA = JSON.parse(readFileSync(new URL('../config.schema.json', import.meta.url), 'utf8'));

// Infinity means "no limit" in the program form; bounds refuse NaN.
const validate = new Ajv2020({
  allErrors: true,
  verbose: true,
  strictNumbers: false,
  allowUnionTypes: true,
}).compile<ProjectConfig>(SCHEMA);

/** What of the configuration does not have the form of the shipped schema. Values are not repeated: one may be a key. */
export function shapeProblems(config: unknown, file: string, locate: Locate): readonly ProjectProblem[] {
  if (validate(config)) return [];
  const errors = validate.errors ?? [];
  // Of a value that has none of several forms only that is said, not what each form lacks.
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  return errors
    .filter(
      (error) => !choices.some((choice) => isInside(error, choice)) && error.keyword !== 'propertyNames',
    )
    .map((error) => {
      const path = pathOf(config, error);
      const { message, whatToDo } = inWords(error);
      const where = path.length === 0 ? 'The configuration' : shownKeys(path);
      return problem(file, locate(path), `${where} ${message}.`, whatToDo);
    });
}

function isInside(error: ErrorObject, choice: ErrorObject): boolean {
  return (
    error !== choice &&
    (error.instancePath === choice.instancePath ||
      error.instancePath.startsWith(`${choice.instancePath}/`)) &&
    error.schemaPath.startsWith(`${choice.schemaPath}/`)
  );
}

/** `configurations.ops.maxRounds`. */
export function shownKeys(path: ConfigPath): string {
  return path.map((segment) => String(segment).slice(0, 60)).join('.');
}

function pathOf(config: unknown, { instancePath, params, propertyName }: ErrorObject): ConfigPath {
  const keys = instancePath === '' ? [] : instancePath.slice(1).split('/');
  let value = config;
  const path = keys.map((key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const segment = Array.isArray(value) ? Number(name) : name;
    value = (value as { [key: string]: unknown } | undefined)?.[name];
    return segment;
  });
  const added = params['additionalProperty'] ?? propertyName;
  return typeof added === 'string' ? [...path, added] : path;
}

const LOOKS_LIKE_KEY_FIELD = /^(api[_-]?)?(key|token|secret)$/i;

function inWords({ keyword, params, parentSchema, propertyName, message }: ErrorObject): {
  readonly message: string;
  readonly whatToDo: string;
} {
  const described = (parentSchema as { description?: string } | undefined)?.description;
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      if (LOOKS_LIKE_KEY_FIELD.test(name)) {
        return {
          message: 'is not allowed: a key never stands in this file',
          whatToDo: 'Name the environment variable that holds it: keyVariable: "OPENAI_API_KEY".',
        };
      }
      return {
        message: 'is an unknown key',
        whatToDo: `${didYouMean(name, known).trim()} Known here: ${known.join(', ')}.`.trim(),
      };
    }
    case 'required':
      return {
        message: `lacks "${params['missingProperty']}"`,
        whatToDo: `Add "${params['missingProperty']}".`,
      };
    case 'type':
      return {
        message: `must be ${withArticle(String(params['type']))}`,
        whatToDo: described ?? 'Correct the value.',
      };
    case 'enum':
      return {
        message: 'has an unknown value',
        whatToDo: `Use one of ${(params['allowedValues'] as unknown[]).join(', ')}.`,
      };
    case 'anyOf':
      return { message: 'has none of the forms it may have', whatToDo: `Use ${described ?? 'one of them'}.` };
    case 'pattern':
      return propertyName === undefined
        ? {
            message: 'does not have the right form',
            whatToDo: described ?? `It must match ${params['pattern']}.`,
          }
        : { message: 'is a name that cannot be used', whatToDo: `A name must match ${params['pattern']}.` };
    default:
      return {
        message: (message ?? 'is wrong').replace(/^must NOT/, 'must not'),
        whatToDo: described ?? 'Correct the value.',
      };
  }
}

function withArticle(type: string): string {
  return type === 'array'
    ? 'a list'
    : /^[aeiou]/.test(type)
      ? `an ${type}`
      : type === 'string'
        ? 'a text'
        : `a ${type}`;
}
