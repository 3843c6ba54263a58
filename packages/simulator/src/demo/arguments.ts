import { escaped, expressionIn, hasWord, pathIn, quoted, remainder, timeZoneIn } from './texts.ts';

/** What a tool offers, read defensively: schemas come from anyone. */
interface ParameterSchema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly items?: unknown;
}

export interface Filled {
  readonly values: { readonly [name: string]: unknown };
  /** How much in the text speaks for these arguments. */
  readonly evidence: number;
}

/** What arguments can be taken from. */
export interface Source {
  readonly text: string;
  /** Decoded results of earlier calls. */
  readonly results: readonly unknown[];
}

/** Values for the parameters of a tool; undefined when a required one cannot be found. */
export function fillArguments(toolName: string, parameters: unknown, source: Source): Filled | undefined {
  const schema = schemaOf(parameters);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const values: { [name: string]: unknown } = {};
  let evidence = 0;
  for (const [name, parameter] of Object.entries(schemaOf(schema.properties))) {
    const found = find(toolName, name, schemaOf(parameter), source, required.includes(name));
    if (found !== undefined) {
      values[name] = found.value;
      evidence += found.evidence;
    } else if (required.includes(name)) return undefined;
  }
  return { values, evidence };
}

function schemaOf(value: unknown): ParameterSchema & { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {};
}

interface Found {
  readonly value: unknown;
  readonly evidence: number;
}

function find(
  toolName: string,
  name: string,
  schema: ParameterSchema,
  source: Source,
  needed: boolean,
): Found | undefined {
  const { text } = source;
  if (Array.isArray(schema.enum)) {
    const named = schema.enum.find((value) => hasWord(text, String(value)));
    if (named !== undefined) return { value: named, evidence: 2 };
    return needed && schema.enum.length > 0
      ? { value: schema.default ?? schema.enum[0], evidence: 0 }
      : undefined;
  }
  switch (schema.type) {
    case 'number':
    case 'integer':
      return number(name, schema, source);
    case 'boolean':
      return needed ? { value: schema.default ?? hasWord(text, name), evidence: 0 } : undefined;
    case 'array': {
      const item = find(toolName, name, schemaOf(schema.items), source, true);
      return item && { value: [item.value], evidence: item.evidence };
    }
    case 'object': {
      const inner = needed ? fillArguments(toolName, schema, source) : undefined;
      return inner && { value: inner.values, evidence: inner.evidence };
    }
    default:
      return string(toolName, name, schema, source, needed);
  }
}

function number(name: string, schema: ParameterSchema, source: Source): Found | undefined {
  const numbers = [...source.text.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
  const labelled = new RegExp(`${escaped(name)}\\W{1,3}(-?\\d+(?:\\.\\d+)?)`, 'i').exec(source.text)?.[1];
  // Tools with several numbers name them in the order in which people say them: a, b, c or x, y, z.
  const place = /^[a-c]$/.test(name)
    ? name.charCodeAt(0) - 97
    : /^[x-z]$/.test(name)
      ? name.charCodeAt(0) - 120
      : 0;
  const value = labelled === undefined ? numbers[place] : Number(labelled);
  if (value !== undefined && (schema.type === 'number' || Number.isInteger(value)))
    return { value, evidence: 2 };
  return fromResults(name, schema.type, source.results);
}

function string(
  toolName: string,
  name: string,
  schema: ParameterSchema,
  source: Source,
  needed: boolean,
): Found | undefined {
  const { text } = source;
  const label = `${name} ${typeof schema.description === 'string' ? schema.description : ''}`;
  const found = special(toolName, name, label, source);
  if (found !== undefined) return { value: found, evidence: 3 };
  if (!needed) return undefined;
  // A text that must look like something else is not to be had from just any words.
  if (/path|file|expression|formula|time_?zone|url|email/i.test(name))
    return fromResults(name, 'string', source.results);
  const value =
    quoted(text) ??
    fromResults(name, 'string', source.results)?.value ??
    /\b(?:in|for|of|at|about|to|near)\s+(\p{Lu}[\p{L}'-]*(?:\s\p{Lu}[\p{L}'-]*)*)/u.exec(text)?.[1] ??
    remainder(text);
  return value === undefined ? undefined : { value, evidence: 0 };
}

/** Texts that can be told by their looks. */
function special(
  toolName: string,
  name: string,
  label: string,
  { text, results }: Source,
): string | undefined {
  if (/time_?zone|\btz\b|IANA/i.test(label)) return timeZoneIn(text);
  if (/url|link|href/i.test(name)) return /https?:\/\/[^\s"'<>)]+/.exec(text)?.[0];
  if (/e?mail|recipient/i.test(name)) return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0];
  if (/expr|formula|equation|calculation/i.test(name)) return expressionIn(text);
  if (/path|file|folder|dir/i.test(name)) return pathIn(toolName, text, results);
  if (/^date$/i.test(name)) return /\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0];
  return undefined;
}

/** A field of an earlier result that is called like the parameter. */
function fromResults(name: string, type: unknown, results: readonly unknown[]): Found | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '');
  const open = [...results];
  for (let i = 0; i < open.length && i < 500; i++) {
    const value = open[i];
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, field] of Object.entries(value)) {
      const fits = type === 'string' ? typeof field === 'string' : typeof field === 'number';
      if (fits && key.toLowerCase().replaceAll('_', '') === wanted) return { value: field, evidence: 2 };
      open.push(field);
    }
  }
  return undefined;
}
