import type { ChatDialect, Fields } from './chat-completions.ts';
import type { RecordedRequest, SeenMessage, SeenRequest } from './wire-format.ts';

const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Reads a request as strictly as the provider does; throws with what the provider would complain about. */
export function readChatRequest(request: RecordedRequest, dialect: ChatDialect): SeenRequest {
  const body = fieldsOf(request.body, 'The request body');
  if (typeof body['model'] !== 'string' || body['model'] === '')
    throw new Error('you must provide a model parameter');
  const messages = listOf(body['messages'], "'messages'").map((message, i) =>
    fieldsOf(message, `messages[${i}]`),
  );
  const tools = readTools(body, dialect);
  dialect.check?.(body, messages);
  const seen = messages.map((message, i) => readMessage(message, `messages[${i}]`, dialect));
  checkResults(seen);
  const stream = optional(body, 'stream', 'boolean') ?? false;
  const streamOptions = body['stream_options'];
  if (streamOptions != null && !stream) {
    throw new Error("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  const firstOther = seen.findIndex((message) => message.role !== 'system');
  return {
    model: body['model'],
    system: seen.flatMap((message) => (message.role === 'system' ? [message.text] : [])),
    messages: firstOther === -1 ? [] : seen.slice(firstOther),
    tools,
    toolChoice: readToolChoice(body, tools, dialect),
    parallelToolCalls: optional(body, 'parallel_tool_calls', 'boolean'),
    stream,
    temperature: optional(body, 'temperature', 'number'),
    topP: optional(body, 'top_p', 'number'),
    maxTokens: optional(body, 'max_completion_tokens', 'number') ?? optional(body, 'max_tokens', 'number'),
    stop: readStop(body['stop']),
    thinking: dialect.thinkingAsked(body),
    apiKey: bearerOf(request),
    streamUsage: streamOptions != null && fieldsOf(streamOptions, 'stream_options')['include_usage'] === true,
  };
}

function readMessage(message: Fields, at: string, dialect: ChatDialect): SeenMessage {
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', text: readText(message['content'], `${at}.content`) };
    case 'user':
      return { role: 'user', ...readContent(message['content'], `${at}.content`) };
    case 'assistant': {
      const calls = message['tool_calls'] == null ? [] : listOf(message['tool_calls'], `${at}.tool_calls`);
      const { content } = message;
      if (content == null && calls.length === 0 && message['refusal'] == null) {
        throw new Error(`${at}: an assistant message needs 'content' or 'tool_calls'.`);
      }
      const { thinking, opaque = [] } = dialect.reasoningIn(message);
      return {
        role: 'assistant',
        text: content == null ? '' : readText(content, `${at}.content`),
        calls: calls.map((call, i) => readCall(call, `${at}.tool_calls[${i}]`)),
        thinking,
        opaque,
      };
    }
    case 'tool':
      return {
        role: 'tool',
        callId: text(message['tool_call_id'], `${at}.tool_call_id`),
        name: typeof message['name'] === 'string' ? message['name'] : undefined,
        text: readText(message['content'], `${at}.content`),
        isError: undefined,
        sameTurn: false,
      };
    default:
      throw new Error(`Invalid value for '${at}.role': ${JSON.stringify(message['role'])}.`);
  }
}

function readCall(value: unknown, at: string) {
  const call = fieldsOf(value, at);
  if ((call['type'] ?? 'function') !== 'function') throw new Error(`Invalid value for '${at}.type'.`);
  const called = fieldsOf(call['function'], `${at}.function`);
  const id = text(call['id'], `${at}.id`);
  const name = functionName(called['name'], `${at}.function.name`);
  if (typeof called['arguments'] !== 'string')
    throw new Error(`'${at}.function.arguments' must be a string.`);
  return { id, name, arguments: parsed(called['arguments']) };
}

/** Every call is answered right after it, and nothing else is answered. */
function checkResults(messages: readonly SeenMessage[]): void {
  let open = new Set<string | undefined>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.callId)) {
        throw new Error(
          `messages with role 'tool' must answer a preceding message with 'tool_calls'; '${message.callId}' answers none.`,
        );
      }
      continue;
    }
    checkNoneOpen(open);
    open = new Set(message.role === 'assistant' ? message.calls.map((call) => call.id) : []);
  }
  checkNoneOpen(open);
}

function checkNoneOpen(open: ReadonlySet<string | undefined>): void {
  if (open.size === 0) return;
  throw new Error(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${[...open].join(', ')}`,
  );
}

function readTools(body: Fields, dialect: ChatDialect): SeenRequest['tools'] {
  if (body['tools'] == null) return [];
  return listOf(body['tools'], "'tools'").flatMap((value, i) => {
    const at = `tools[${i}]`;
    const tool = fieldsOf(value, at);
    const type = tool['type'] ?? (dialect.looseTools ? 'function' : undefined);
    if (type !== 'function') {
      if (dialect.looseTools && typeof type === 'string') return [];
      throw new Error(`Invalid value for '${at}.type': expected 'function'.`);
    }
    const declared = fieldsOf(tool['function'], `${at}.function`);
    const name = functionName(declared['name'], `${at}.function.name`);
    const parameters = declared['parameters'];
    if (parameters != null && fieldsOf(parameters, `${at}.function.parameters`)['type'] !== 'object') {
      throw new Error(`Invalid schema for function '${name}': its type must be "object".`);
    }
    return [{ name, description: optional(declared, 'description', 'string') ?? '', parameters }];
  });
}

function readToolChoice(
  body: Fields,
  tools: SeenRequest['tools'],
  dialect: ChatDialect,
): SeenRequest['toolChoice'] {
  const choice = body['tool_choice'];
  if (choice == null) {
    if (body['parallel_tool_calls'] != null && body['tools'] == null) {
      throw new Error("'parallel_tool_calls' is only allowed when 'tools' are specified.");
    }
    return undefined;
  }
  if (body['tools'] == null) throw new Error("'tool_choice' is only allowed when 'tools' are specified.");
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (choice === 'any' && dialect.anyTool) return 'required';
  const chosen = fieldsOf(choice, "'tool_choice'");
  const name = fieldsOf(chosen['function'], "'tool_choice.function'")['name'];
  if (!tools.some((tool) => tool.name === name)) {
    throw new Error(`Tool choice '${name}' not found in the 'tools' parameter.`);
  }
  return { tool: String(name) };
}

function readStop(stop: unknown): readonly string[] | undefined {
  if (stop == null) return undefined;
  if (typeof stop === 'string') return [stop];
  return listOf(stop, "'stop'").map((entry) => text(entry, "'stop'"));
}

function readText(content: unknown, at: string): string {
  return readContent(content, at).text;
}

function readContent(content: unknown, at: string) {
  if (typeof content === 'string') return { text: content, images: [] };
  const texts: string[] = [];
  const images: { data: string; mediaType: string | undefined }[] = [];
  for (const value of listOf(content, `'${at}'`)) {
    const part = fieldsOf(value, at);
    if (part['type'] === 'text') texts.push(typeof part['text'] === 'string' ? part['text'] : '');
    else if (part['type'] === 'image_url') images.push(readImage(part['image_url'], at));
    else if (typeof part['type'] !== 'string') throw new Error(`A part of '${at}' has no type.`);
  }
  return { text: texts.join(''), images };
}

function readImage(value: unknown, at: string) {
  const url = typeof value === 'string' ? value : text(fieldsOf(value, at)['url'], `${at}.image_url.url`);
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return inline ? { data: inline[2] ?? '', mediaType: inline[1] } : { data: url, mediaType: undefined };
}

function bearerOf(request: RecordedRequest): string | undefined {
  const header = request.rawHeaders.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return /^Bearer (.+)$/.exec(header ?? '')?.[1];
}

function functionName(value: unknown, at: string): string {
  if (typeof value === 'string' && FUNCTION_NAME.test(value)) return value;
  throw new Error(`Invalid '${at}': it does not match the pattern ${FUNCTION_NAME.source}.`);
}

export function fieldsOf(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${at} must be an object.`);
}

export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${at} must be a list.`);
  if (value.length === 0) throw new Error(`[] is too short - ${at}`);
  return value;
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`Missing required parameter: '${at}'.`);
}

function optional(fields: Fields, name: string, type: 'number'): number | undefined;
function optional(fields: Fields, name: string, type: 'boolean'): boolean | undefined;
function optional(fields: Fields, name: string, type: 'string'): string | undefined;
function optional(fields: Fields, name: string, type: string): unknown {
  const value = fields[name];
  if (value == null) return undefined;
  if (typeof value === type) return value;
  throw new Error(`Invalid type for '${name}': expected a ${type}.`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
