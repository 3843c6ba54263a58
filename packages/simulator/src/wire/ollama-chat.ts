import type { ScriptedAnswer, ScriptedFailure } from '../turn.ts';
import { argumentsValue, bodyObject, headerOf, isObject, scriptedUsage } from './answer-parts.ts';
import { pieceLengthOf, pieces } from './chat-reply.ts';
import type { RecordedRequest, SeenMessage, SeenRequest, WireFormat, WireReply } from './wire-format.ts';

type Fields = { readonly [field: string]: unknown };

/** Ollama's own chat API. */
export const ollamaChat: WireFormat = {
  name: 'ollama-chat',
  basePath: '',
  can: {
    callIds: false,
    thinking: true,
    opaque: false,
    cacheRead: false,
    cacheWrite: false,
    reasoningTokens: false,
    cost: false,
    toolChoice: false,
    parallelToolCalls: false,
    errorResults: false,
    argumentsText: false,
  },
  accepts: (request) => request.method === 'POST' && request.path === '/api/chat',
  read,
  write: (answer, seen) => (seen.stream ? writeStream(answer, seen) : writeWhole(answer, seen)),
  fail,
};

function read(request: RecordedRequest): SeenRequest {
  const body = bodyObject(request.body);
  const { model, think, stream, tools } = body;
  if (typeof model !== 'string' || model === '') throw new Error('model is required');
  if (stream !== undefined && typeof stream !== 'boolean') throw unmarshal(stream, 'stream', 'bool');
  if (
    think !== undefined &&
    typeof think !== 'boolean' &&
    !['low', 'medium', 'high', 'max'].includes(String(think))
  ) {
    throw new Error(
      `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", true, or false)`,
    );
  }
  const options = body['options'] ?? {};
  if (!isObject(options)) throw unmarshal(options, 'options', 'map[string]interface {}');
  const messages = list(body['messages'], 'messages').map(readMessage);
  const leading = messages.findIndex((message) => message.role !== 'system');
  const head = leading === -1 ? messages.length : leading;
  return {
    model,
    system: messages.flatMap((message) => (message.role === 'system' ? [message.text] : [])),
    messages: messages.slice(head),
    tools: list(tools, 'tools').map(readTool),
    toolChoice: undefined,
    parallelToolCalls: undefined,
    // Streaming is what this API does unless it is told otherwise.
    stream: stream !== false,
    temperature: number(options, 'temperature'),
    topP: number(options, 'top_p'),
    maxTokens: number(options, 'num_predict'),
    stop: options['stop'] === undefined ? undefined : (list(options['stop'], 'options.stop') as string[]),
    thinking: think === undefined ? undefined : think !== false,
    apiKey: headerOf(request.rawHeaders, 'authorization')?.replace(/^Bearer /i, ''),
  };
}

function readMessage(message: unknown): SeenMessage {
  if (!isObject(message)) throw unmarshal(message, 'messages', 'api.Message');
  const { role, content = '', thinking } = message;
  if (typeof content !== 'string') throw unmarshal(content, 'messages.content', 'string');
  switch (role) {
    case 'system':
      return { role, text: content };
    case 'user':
      return { role, text: content, images: list(message['images'], 'messages.images').map(readImage) };
    case 'assistant':
      return {
        role,
        text: content,
        calls: list(message['tool_calls'], 'messages.tool_calls').map(readCall),
        thinking: typeof thinking === 'string' && thinking !== '' ? thinking : undefined,
        opaque: [],
      };
    case 'tool':
      return {
        role,
        callId: text(message['tool_call_id']),
        name: text(message['tool_name']),
        text: content,
        isError: undefined,
        sameTurn: false,
      };
    default:
      throw new Error(`invalid role: ${String(role)}`);
  }
}

function readImage(image: unknown): { data: string; mediaType: undefined } {
  if (typeof image !== 'string' || !/^[A-Za-z0-9+/_]*={0,2}$/.test(image)) {
    throw new Error('illegal base64 data at input byte 4');
  }
  return { data: image, mediaType: undefined };
}

function readCall(call: unknown): { id: string | undefined; name: string; arguments: unknown } {
  const called = isObject(call) ? call['function'] : undefined;
  if (!isObject(call) || !isObject(called) || typeof called['name'] !== 'string') {
    throw unmarshal(call, 'messages.tool_calls', 'api.ToolCall');
  }
  const { name, arguments: value = {} } = called;
  if (!isObject(value)) {
    throw unmarshal(value, 'messages.tool_calls.function.arguments', 'api.ToolCallFunctionArguments');
  }
  return { id: text(call['id']), name, arguments: value };
}

function readTool(tool: unknown): SeenRequest['tools'][number] {
  const offered = isObject(tool) ? tool['function'] : undefined;
  if (!isObject(tool) || tool['type'] !== 'function' || !isObject(offered)) {
    throw unmarshal(tool, 'tools', 'api.Tool');
  }
  const { name, description = '', parameters } = offered;
  if (typeof name !== 'string') throw unmarshal(name, 'tools.function.name', 'string');
  if (!isObject(parameters))
    throw unmarshal(parameters, 'tools.function.parameters', 'api.ToolFunctionParameters');
  const properties = parameters['properties'];
  if (properties !== undefined && !isObject(properties)) {
    throw unmarshal(properties, 'tools.function.parameters.properties', 'map[string]api.ToolProperty');
  }
  return { name, description: String(description), parameters };
}

function writeWhole(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const { say = '', think } = answer;
  const calls = callsOf(answer);
  const body = {
    ...opening(answer, seen, 0),
    message: {
      role: 'assistant',
      content: say,
      ...(think !== undefined && { thinking: think }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    ...ending(answer),
    ...answer.extra,
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    chunks: [JSON.stringify(body)],
    body,
  };
}

function writeStream(answer: ScriptedAnswer, seen: SeenRequest): WireReply {
  const length = pieceLengthOf(answer);
  const messages: Fields[] = [
    ...pieces(answer.think ?? '', length).map((thinking) => ({ content: '', thinking })),
    ...pieces(answer.say ?? '', length).map((content) => ({ content })),
    ...callsOf(answer).map((call) => ({ content: '', tool_calls: [call] })),
  ];
  const lines: Fields[] = [
    ...messages.map((message, index) => ({
      ...opening(answer, seen, index),
      message: { role: 'assistant', ...message },
      done: false,
    })),
    {
      ...opening(answer, seen, messages.length),
      message: { role: 'assistant', content: '' },
      ...ending(answer),
    },
  ];
  lines[0] = { ...lines[0], ...answer.extra };
  return {
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    chunks: lines.map((line) => `${JSON.stringify(line)}\n`),
    body: lines,
  };
}

/** A fixed clock: the same script makes the same bytes. */
function opening(answer: ScriptedAnswer, seen: SeenRequest, piece: number): Fields {
  return {
    model: answer.model ?? seen.model,
    created_at: `2026-05-04T22:48:31.${String(100_000 + piece).padStart(6, '0')}Z`,
  };
}

/** Ids are sent only where the script has them: many servers and models have none. */
function callsOf(answer: ScriptedAnswer): Fields[] {
  return (answer.callTools ?? []).map((call, index) => ({
    ...(call.id !== undefined && { id: call.id }),
    function: { index, name: call.name, arguments: argumentsValue(call.arguments) },
  }));
}

/** The end mark. This API has no word of its own for calls or for a filter. */
function ending(answer: ScriptedAnswer): Fields {
  const reason =
    answer.rawFinish === undefined ? (answer.finish === 'length' ? 'length' : 'stop') : answer.rawFinish;
  const usage = scriptedUsage(answer);
  return {
    done: true,
    ...(reason !== null && { done_reason: reason }),
    total_duration: 478390333,
    load_duration: 97065625,
    ...(usage !== undefined && { prompt_eval_count: usage.prompt }),
    prompt_eval_duration: 10139792,
    ...(usage !== undefined && { eval_count: usage.completion }),
    eval_duration: 67700999,
  };
}

function fail(failure: ScriptedFailure['fail']): WireReply {
  const body = { error: failure.message ?? `The server answered with status ${failure.status}.` };
  return {
    status: failure.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...failure.headers },
    chunks: [JSON.stringify(body)],
    body,
  };
}

function list(value: unknown, field: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unmarshal(value, field, 'slice');
  return value;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(options: Fields, name: string): number | undefined {
  const value = options[name];
  if (value !== undefined && typeof value !== 'number') {
    throw new Error(`option "${name}" must be of type number`);
  }
  return value;
}

/** The sentence of the server's JSON reader. */
function unmarshal(value: unknown, field: string, type: string): Error {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return new Error(
    `json: cannot unmarshal ${kind} into Go struct field ChatRequest.${field} of type ${type}`,
  );
}
