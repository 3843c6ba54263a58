import {
  type CallOptions,
  type ModelRequest,
  type RequestPreview,
  rewriteSchema,
  type ToolChoice,
  type ToolSpec,
} from '@glassloop/core/adapter';
import { type Content, contentsOf, systemInstruction } from './contents.ts';
import { alwaysThinks, neverThinks } from './models.ts';
import { isObject, type Part, present } from './parts.ts';

/** The body of generateContent, in the order in which the SDK prints its fields. */
export interface GoogleBody {
  readonly generationConfig?: Part;
  readonly tools?: readonly Part[];
  readonly toolConfig?: Part;
  readonly systemInstruction?: Part;
  readonly contents: readonly Content[];
  readonly [field: string]: unknown;
}

const MOST_STOP_TEXTS = 5;

export function toRequest(
  model: string,
  { messages, tools, options }: ModelRequest,
): RequestPreview & { readonly body: GoogleBody } {
  const warnings: string[] = [];
  const generationConfig = generationConfigOf(model, options, warnings);
  const system = systemInstruction(messages);
  if (tools.length > 0 && options.parallelToolCalls === false) {
    warnings.push(
      'parallelToolCalls: false was not sent, because Gemini has no such setting; the model may call several tools in one round.',
    );
  }
  const body: GoogleBody = {
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...(tools.length === 0
      ? {}
      : { tools: [{ functionDeclarations: tools.map((tool) => declaration(tool, warnings)) }] }),
    ...(tools.length > 0 && options.toolChoice
      ? { toolConfig: { functionCallingConfig: callingConfig(options.toolChoice) } }
      : {}),
    ...(system === undefined ? {} : { systemInstruction: system }),
    contents: contentsOf(model, messages, warnings),
  };
  return { body: withOwn(body, options.providerOptions?.['google']), warnings };
}

function generationConfigOf(model: string, options: CallOptions, warnings: string[]): Part {
  const { temperature, topP, maxTokens, stop, thinking } = options;
  const left = (stop?.length ?? 0) - MOST_STOP_TEXTS;
  if (left > 0) {
    warnings.push(`stop: Gemini takes ${MOST_STOP_TEXTS} texts; the last ${left} were left out.`);
  }
  return present({
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    stopSequences: stop?.slice(0, MOST_STOP_TEXTS),
    thinkingConfig: thinkingConfigOf(model, thinking, warnings),
  });
}

function thinkingConfigOf(
  model: string,
  thinking: boolean | null | undefined,
  warnings: string[],
): Part | undefined {
  if (thinking === true) {
    if (!neverThinks(model)) return { includeThoughts: true };
    warnings.push(`thinking: true was not sent, because ${model} does not think.`);
  }
  if (thinking === false && !neverThinks(model)) {
    if (!alwaysThinks(model)) return { thinkingBudget: 0 };
    warnings.push(
      `thinking: false was not sent, because ${model} always thinks; providerOptions.google.generationConfig.thinkingConfig can make it think less.`,
    );
  }
  return undefined;
}

function declaration({ name, description, parameters }: ToolSpec, warnings: string[]): Part {
  const { schema, rewrites } = rewriteSchema(parameters, (keyword, value, node) => {
    if (keyword === '$schema') return 'drop';
    // Beside a reference Gemini accepts nothing but further $ keywords, and it finds definitions only in $defs.
    if (Object.hasOwn(node, '$ref') && !keyword.startsWith('$')) return 'drop';
    if (keyword === 'definitions') return { $defs: value };
    if (keyword === '$ref' && typeof value === 'string' && value.startsWith('#/definitions/')) {
      return { $ref: value.replace('#/definitions/', '#/$defs/') };
    }
    return 'keep';
  });
  for (const rewrite of rewrites) warnings.push(`Schema of tool "${name}": ${rewrite}.`);
  return { name, ...(description === '' ? {} : { description }), parametersJsonSchema: schema };
}

function callingConfig(choice: ToolChoice): Part {
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  return { mode: 'ANY', allowedFunctionNames: [choice.tool] };
}

/** The caller's own fields last: objects are joined field by field, tools are added, everything else is replaced. */
function withOwn(body: GoogleBody, own: Part | undefined): GoogleBody {
  if (!own) return body;
  const { tools } = own;
  const added = Array.isArray(tools) ? { ...own, tools: [...(body.tools ?? []), ...tools] } : own;
  return joined(body, added) as GoogleBody;
}

function joined(base: Part, own: Part): Part {
  const objects = Object.entries(own).flatMap(([name, value]) => {
    const old = Object.hasOwn(base, name) ? base[name] : undefined;
    return isObject(old) && isObject(value) ? [[name, joined(old, value)] as const] : [];
  });
  return { ...base, ...own, ...Object.fromEntries(objects) };
}
