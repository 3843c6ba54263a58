import { isPlainObject, shown } from './check.ts';

/** How a model is asked: sampling, tool choice, and the private switch for raw capture. */

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** What an adapter receives. Absent means: the provider's default. */
export interface CallOptions {
  /** 0 to 2. An adapter whose provider allows less clamps it and says so in `warnings`. */
  readonly temperature?: number;
  /** 0 to 1. */
  readonly topP?: number;
  /** Most tokens the answer may have, reasoning included. Whole number ≥ 1. */
  readonly maxTokens?: number;
  /** Texts at which the model stops; none empty. */
  readonly stop?: readonly string[];
  /** 'required' and a named tool hold for the first round, later rounds are 'auto'; else a run could only end at its cap. */
  readonly toolChoice?: ToolChoice;
  /** `false`: at most one tool call in a round. */
  readonly parallelToolCalls?: boolean;
  /** true: ask for visible reasoning; false: ask for none; absent: the model's default. */
  readonly thinking?: boolean;
  /** By adapter name: merged into the request body last, for what only that provider has. */
  readonly providerOptions?: { readonly [adapter: string]: { readonly [field: string]: unknown } };
  /** Private directive to adapters, never part of a request. Present only as `true`. */
  readonly _capture_raw?: true;
}

export type ToolOptionValues = Omit<CallOptions, '_capture_raw'>;

/** Checked, immutable call options; every `with…` returns a new instance. Wrong values throw TypeError or RangeError here. */
export class ToolOptions {
  readonly #values: ToolOptionValues;
  readonly #callOptions: CallOptions;

  constructor(values: ToolOptionValues = {}, captureRaw = false) {
    this.#values = Object.freeze(checked(values));
    this.#callOptions =
      captureRaw === true ? Object.freeze({ ...this.#values, _capture_raw: true }) : this.#values;
  }

  /** The same options with raw capture on; off again with `false`. */
  withCaptureRaw(on = true): ToolOptions {
    return new ToolOptions(this.#values, on === true);
  }

  /** The same options with another tool choice; `undefined` leaves it to the provider. */
  withToolChoice(toolChoice: ToolChoice | undefined): ToolOptions {
    const { toolChoice: _, ...rest } = this.#values;
    return new ToolOptions(toolChoice === undefined ? rest : { ...rest, toolChoice }, this.capturesRaw);
  }

  get capturesRaw(): boolean {
    return this.#callOptions._capture_raw === true;
  }

  /** The frozen plain form that adapters read. */
  toCallOptions(): CallOptions {
    return this.#callOptions;
  }
}

const CHECKS: {
  readonly [name in keyof Required<ToolOptionValues>]: (value: unknown) => string | undefined;
} = {
  temperature: (value) => inRange(value, 0, 2),
  topP: (value) => inRange(value, 0, 1),
  maxTokens: (value) =>
    Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : 'a whole number ≥ 1',
  stop: (value) =>
    Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '')
      ? undefined
      : 'a list of texts, none empty',
  toolChoice: (value) =>
    value === 'auto' ||
    value === 'none' ||
    value === 'required' ||
    typeof (value as { tool?: unknown }).tool === 'string'
      ? undefined
      : "'auto', 'none', 'required' or { tool: name }",
  parallelToolCalls: isBoolean,
  thinking: isBoolean,
  providerOptions: (value) =>
    isPlainObject(value) && Object.values(value).every(isPlainObject)
      ? undefined
      : 'an object of objects, the outer keys being adapter names',
};

function checked(values: ToolOptionValues): ToolOptionValues {
  if (!isPlainObject(values)) throw new TypeError(`ToolOptions: expected an object, got ${shown(values)}.`);
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof ToolOptionValues] : undefined;
    if (check === undefined) {
      throw new TypeError(
        `ToolOptions: unknown option "${name}". Known: ${Object.keys(CHECKS).join(', ')}. Others go into providerOptions.`,
      );
    }
    // null counts as unset: it comes from JSON and must never reach a provider as null.
    if (value === undefined || value === null) continue;
    const expected = check(value);
    if (expected !== undefined)
      throw new RangeError(`ToolOptions: ${name} must be ${expected}; got ${shown(value)}.`);
    // An empty list of stop texts says nothing; some providers reject it.
    if (name === 'stop' && (value as readonly string[]).length === 0) continue;
    known[name] = Array.isArray(value) ? Object.freeze([...value]) : value;
  }
  return known;
}

function inRange(value: unknown, low: number, high: number): string | undefined {
  return typeof value === 'number' && value >= low && value <= high
    ? undefined
    : `a number from ${low} to ${high}`;
}

function isBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'true or false';
}
