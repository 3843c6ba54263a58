import { bodyObject, headerOf, isObject } from './answer-parts.ts';
import { checkSchema, snakeCase } from './google-schema.ts';
import { opened } from './opaque-token.ts';
import type { RecordedRequest, SeenMessage, SeenRequest } from './wire-format.ts';

type Fields = Record<string, unknown>;
interface Content {
  readonly role: string;
  readonly parts: readonly Fields[];
  readonly at: string;
}

export const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/]+):(generateContent|streamGenerateContent)$/;

/** Reads a generateContent request; refuses with the provider's own sentences. */
export function readGoogle(request: RecordedRequest): SeenRequest {
  const [, model, method] = PATH.exec(request.path) ?? [];
  const body = bodyObject(request.body);
  const contents = readContents(body['contents']);
  checkResponses(contents);
  const tools = readTools(body['tools']);
  const config = objectAt(body, 'generationConfig') ?? {};
  return {
    model: model === undefined ? undefined : decodeURIComponent(model),
    system: readSystem(field(body, 'systemInstruction')),
    messages: contents.flatMap(readContent),
    tools,
    toolChoice: readToolChoice(body, tools),
    parallelToolCalls: undefined,
    stream: method === 'streamGenerateContent',
    temperature: numberAt(config, 'temperature', 0, 2),
    topP: numberAt(config, 'topP', 0, 1),
    maxTokens: numberAt(config, 'maxOutputTokens', 1, 2 ** 31),
    stop: readStop(field(config, 'stopSequences')),
    thinking: readThinking(objectAt(config, 'thinkingConfig')),
    apiKey:
      headerOf(request.rawHeaders, 'x-goog-api-key') ??
      new URLSearchParams(request.query).get('key') ??
      undefined,
  };
}

/** The API takes both spellings of every field: camelCase and snake_case. */
function field(object: Fields, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined;
}

function objectAt(object: Fields, name: string): Fields | undefined {
  const value = field(object, name);
  if (value === undefined || isObject(value)) return value;
  throw new Error(`Invalid value at '${snakeCase(name)}'`);
}

function readContents(contents: unknown): Content[] {
  if (!Array.isArray(contents) || contents.length === 0) {
    throw new Error('* GenerateContentRequest.contents: contents is not specified');
  }
  return contents.map((content: unknown, index) => {
    const at = `contents[${index}]`;
    if (!isObject(content)) throw new Error(`Invalid value at '${at}'`);
    const { role = 'user', parts } = content;
    if (role !== 'user' && role !== 'model' && role !== 'function') {
      throw new Error('Please use a valid role: user, model.');
    }
    return { role, parts: readParts(parts, at), at };
  });
}

const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];

function readParts(parts: unknown, at: string): Fields[] {
  if (!Array.isArray(parts) || parts.length === 0) {
    throw new Error(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`);
  }
  return parts.map((part: unknown, index) => {
    const where = `${at}.parts[${index}]`;
    if (!isObject(part)) throw new Error(`Invalid value at '${where}'`);
    const data = DATA.filter((name) => field(part, name) !== undefined);
    const signature = field(part, 'thoughtSignature');
    // An empty text is let through only beside a part that says something.
    const empty = part['text'] === '' && signature === undefined && parts.length === 1;
    if (data.length === 0 || empty) {
      throw new Error(
        `* GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field`,
      );
    }
    if (data.length > 1) {
      throw new Error(
        `Invalid value at '${where}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`,
      );
    }
    if (signature !== undefined && tokenOf(signature) === undefined) {
      throw new Error(`Thought signature is not valid in ${where}.`);
    }
    if (data[0] === 'text' && typeof part['text'] !== 'string') {
      throw new Error(`Invalid value at '${where}.text' (TYPE_STRING)`);
    }
    const call = objectAt(part, 'functionCall');
    if (call !== undefined) {
      if (!filled(call['name'])) {
        throw new Error(`* GenerateContentRequest.${where}.function_call.name: Name cannot be empty.`);
      }
      if (call['args'] !== undefined && call['args'] !== null && !isObject(call['args'])) {
        throw new Error(
          `Invalid value at '${where}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
        );
      }
    }
    const response = objectAt(part, 'functionResponse');
    if (response !== undefined) {
      if (!filled(response['name'])) {
        throw new Error(`* GenerateContentRequest.${where}.function_response.name: Name cannot be empty.`);
      }
      if (!isObject(response['response'])) {
        throw new Error(
          `Invalid value at '${where}.function_response.response' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(response['response'])}`,
        );
      }
    }
    return part;
  });
}

/** A turn of calls follows what the user or a tool said, and is followed by as many responses as it has calls. */
function checkResponses(contents: readonly Content[]): void {
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    const calls = count(content, 'functionCall');
    const responses = count(content, 'functionResponse');
    const asked = before === undefined ? 0 : count(before, 'functionCall');
    if (calls > 0 && (content.role !== 'model' || before === undefined || before.role === 'model')) {
      throw new Error(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (responses > 0 && content.role === 'model') {
      throw new Error('Please ensure that function response turn has the role user.');
    }
    if (responses > 0 && asked === 0) {
      throw new Error(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
    if (responses !== asked) {
      throw new Error(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
  }
  if (count(contents.at(-1) as Content, 'functionCall') > 0) {
    throw new Error('Please ensure that a function call turn is followed by a function response turn.');
  }
}

function count(content: Content, name: string): number {
  return content.parts.filter((part) => field(part, name) !== undefined).length;
}

function readContent({ role, parts }: Content): SeenMessage[] {
  const texts = (thought: boolean) =>
    parts.filter((part) => typeof part['text'] === 'string' && (part['thought'] === true) === thought);
  const text = texts(false)
    .map((part) => part['text'])
    .join('');
  if (role === 'model') {
    const thoughts = texts(true);
    return [
      {
        role: 'assistant',
        text,
        calls: parts.flatMap((part) => {
          const call = objectAt(part, 'functionCall');
          if (call === undefined) return [];
          return [{ id: textOrNone(call['id']), name: String(call['name']), arguments: call['args'] ?? {} }];
        }),
        thinking: thoughts.length === 0 ? undefined : thoughts.map((part) => part['text']).join(''),
        opaque: parts
          .map((part) => tokenOf(field(part, 'thoughtSignature')))
          .filter((token) => token !== undefined && token !== '') as string[],
      },
    ];
  }
  const responses = parts
    .map((part) => objectAt(part, 'functionResponse'))
    .filter((one) => one !== undefined);
  const seen: SeenMessage[] = responses.map((response, index) => ({
    role: 'tool',
    callId: textOrNone(response['id']),
    name: String(response['name']),
    ...unwrapped(response['response'] as Fields),
    sameTurn: index > 0,
  }));
  const images = parts.flatMap((part) => {
    const data = objectAt(part, 'inlineData') ?? objectAt(part, 'fileData');
    if (data === undefined) return [];
    return [
      {
        data: String(data['data'] ?? field(data, 'fileUri')),
        mediaType: textOrNone(field(data, 'mimeType')),
      },
    ];
  });
  if (responses.length < parts.length) seen.push({ role: 'user', text, images });
  return seen;
}

/** The documented wrappers are `output` and `error`; clients also use `result` and others with one field. */
function unwrapped(response: Fields): { text: string; isError: boolean } {
  const [name, ...more] = Object.keys(response);
  const inner = name === undefined || more.length > 0 ? response : response[name];
  return { text: typeof inner === 'string' ? inner : JSON.stringify(inner), isError: 'error' in response };
}

/** A signature is bytes, written as base64. undefined: none, or one that was changed. */
function tokenOf(signature: unknown): string | undefined {
  if (signature === undefined) return undefined;
  if (typeof signature !== 'string' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)) return undefined;
  const seal = Buffer.from(signature, 'base64').toString('utf8');
  return seal.startsWith('sim1.') ? opened(seal) : signature;
}

function readSystem(instruction: unknown): string[] {
  if (instruction === undefined) return [];
  if (!isObject(instruction))
    throw new Error("Invalid value at 'system_instruction' (type.googleapis.com/Content)");
  return readParts(instruction['parts'], 'system_instruction').map((part) => String(part['text']));
}

function readTools(tools: unknown): SeenRequest['tools'] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw new Error("Invalid value at 'tools'");
  const names = new Set<string>();
  return tools.flatMap((tool: unknown, index) => {
    if (!isObject(tool)) throw new Error(`Invalid value at 'tools[${index}]'`);
    const declarations = field(tool, 'functionDeclarations') ?? [];
    if (!Array.isArray(declarations))
      throw new Error(`Invalid value at 'tools[${index}].function_declarations'`);
    return declarations.map((declaration: Fields, place) => {
      const at = `tools[${index}].function_declarations[${place}]`;
      const { name, description } = declaration;
      if (typeof name !== 'string' || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name)) {
        throw new Error(
          `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore.`,
        );
      }
      if (names.has(name)) throw new Error(`Duplicate function declaration found: ${name}`);
      names.add(name);
      const json = field(declaration, 'parametersJsonSchema');
      const schema = declaration['parameters'];
      if (json !== undefined && schema !== undefined) {
        throw new Error(`${at}: parameters and parameters_json_schema are mutually exclusive.`);
      }
      if (schema !== undefined) checkSchema(schema, `${at}.parameters`);
      return { name, description: textOrNone(description) ?? '', parameters: json ?? schema };
    });
  });
}

function readToolChoice(body: Fields, tools: SeenRequest['tools']): SeenRequest['toolChoice'] {
  const calling = objectAt(objectAt(body, 'toolConfig') ?? {}, 'functionCallingConfig');
  if (calling === undefined) return undefined;
  if (tools.length === 0) throw new Error('Function calling config is set without function_declarations.');
  const mode = String(calling['mode'] ?? 'AUTO').toUpperCase();
  const allowed = field(calling, 'allowedFunctionNames') as string[] | undefined;
  if (!['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'].includes(mode)) {
    throw new Error(`Invalid value at 'tool_config.function_calling_config.mode', "${mode}"`);
  }
  if (allowed !== undefined && allowed.length > 0) {
    if (mode !== 'ANY' && mode !== 'VALIDATED') {
      throw new Error('allowed_function_names should be set only when the function calling mode is ANY.');
    }
    const unknown = allowed.find((name) => !tools.some((tool) => tool.name === name));
    if (unknown !== undefined) {
      throw new Error(`allowed_function_names: "${unknown}" is not among the function_declarations.`);
    }
  }
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  return allowed?.length === 1 ? { tool: allowed[0] as string } : 'required';
}

function readThinking(config: Fields | undefined): boolean | undefined {
  if (config === undefined) return undefined;
  const include = field(config, 'includeThoughts');
  if (include === true) return true;
  return include === false || field(config, 'thinkingBudget') === 0 ? false : undefined;
}

function readStop(stop: unknown): readonly string[] | undefined {
  if (stop === undefined) return undefined;
  if (!Array.isArray(stop) || stop.length > 5 || !stop.every(filled)) {
    throw new Error("Invalid value at 'generation_config.stop_sequences': at most 5 texts, none empty.");
  }
  return stop;
}

function numberAt(config: Fields, name: string, low: number, high: number): number | undefined {
  const value = field(config, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < low || value > high) {
    throw new Error(
      `* GenerateContentRequest.generation_config.${snakeCase(name)}: must be in the range ${low} to ${high}.`,
    );
  }
  return value;
}

function filled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textOrNone(value: unknown): string | undefined {
  return filled(value) ? value : undefined;
}
