import type { Message, ResponseStep, Usage } from '@glassloop/core';
import type { ChatFacts, RunFacts, SpanFacts, ToolFacts } from './run-spans.ts';
import { type Attributes, failureOf, known, type Span } from './span.ts';

/**
 * The version of the OpenTelemetry semantic conventions that the names come from: the last release in which the
 * conventions for generative AI are part of them. All of them have the status "development" there.
 */
export const SEMCONV_VERSION = '1.41.0';
export const SEMCONV_SCHEMA_URL = `https://opentelemetry.io/schemas/${SEMCONV_VERSION}`;

/** `gen_ai.provider.name` where it is not the adapter's own name. */
const PROVIDERS: { readonly [adapter: string]: string } = { google: 'gcp.gemini', mistral: 'mistral_ai' };

/** A span by the conventions for generative AI; what was said only with `content`. */
export function genAiSpan(facts: SpanFacts, content: boolean): Span {
  const error = failureOf(facts, content);
  const span = { run: runSpan, chat: chatSpan, tool: toolSpan }[facts.span] as (
    facts: SpanFacts,
    content: boolean,
  ) => Pick<Span, 'name' | 'kind' | 'attributes'>;
  const { name, kind, attributes } = span(facts, content);
  return {
    name,
    kind,
    startMs: facts.startMs,
    endMs: facts.endMs,
    attributes: error === undefined ? attributes : { ...attributes, 'error.type': error.type },
    ...(error === undefined ? {} : { error: error.message === undefined ? {} : { message: error.message } }),
  };
}

function runSpan({ assembled, end, question, answer }: RunFacts, content: boolean) {
  const attributes = known({
    'gen_ai.operation.name': 'invoke_agent',
    ...requestAttributes(assembled?.settings),
    ...usageAttributes(end?.usage),
    'glassloop.max_rounds': assembled?.settings.maxRounds,
    'glassloop.rounds': end?.rounds,
    'glassloop.stop_reason': end?.stopReason,
    ...(content
      ? {
          'gen_ai.input.messages':
            question === undefined ? undefined : json([{ role: 'user', parts: [textPart(question)] }]),
          'gen_ai.output.messages':
            answer === undefined
              ? undefined
              : json([{ role: 'assistant', parts: [textPart(answer)], finish_reason: 'stop' }]),
        }
      : {}),
  });
  return { name: 'invoke_agent', kind: 'internal', attributes } as const;
}

function chatSpan(facts: ChatFacts, content: boolean) {
  const { assembled, outcome, request, round } = facts;
  const settings = assembled?.settings;
  const response = outcome?.kind === 'response' ? outcome : undefined;
  const attributes = known({
    'gen_ai.operation.name': 'chat',
    ...requestAttributes(settings),
    'gen_ai.request.stream': response?.firstTokenMs === undefined ? undefined : true,
    'gen_ai.response.model': response?.model,
    'gen_ai.response.finish_reasons': response && [response.rawFinishReason ?? response.finishReason],
    'gen_ai.response.time_to_first_chunk':
      response?.firstTokenMs === undefined ? undefined : response.firstTokenMs / 1000,
    ...usageAttributes(response?.usage),
    ...serverAttributes(outcome?.metadata?.['_wire']),
    'http.response.status_code': outcome?.kind === 'error' ? outcome.status : undefined,
    'glassloop.round': round,
    'glassloop.attempt': request.attempt,
    ...(content ? contentAttributes(facts, response) : {}),
  });
  return { name: named('chat', settings?.model), kind: 'client', attributes } as const;
}

function toolSpan({ round, step, description }: ToolFacts, content: boolean) {
  const attributes = known({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': step.call.name,
    'gen_ai.tool.call.id': step.call.id,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.description': content ? description : undefined,
    'gen_ai.tool.call.arguments': content ? step.call.argumentsJson : undefined,
    'gen_ai.tool.call.result': content ? step.result : undefined,
    'glassloop.round': round,
  });
  return { name: named('execute_tool', step.call.name), kind: 'internal', attributes } as const;
}

function named(operation: string, what: string | undefined): string {
  return what === undefined ? operation : `${operation} ${what}`;
}

type Settings = NonNullable<ChatFacts['assembled']>['settings'];

function requestAttributes(settings: Settings | undefined) {
  if (settings === undefined) return {};
  const { adapter, model, options } = settings;
  return {
    'gen_ai.provider.name': PROVIDERS[adapter] ?? adapter,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': options.temperature,
    'gen_ai.request.top_p': options.topP,
    'gen_ai.request.max_tokens': options.maxTokens,
    'gen_ai.request.stop_sequences': options.stop,
  };
}

function usageAttributes(usage: Usage | undefined) {
  return {
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
    'glassloop.usage.estimated_cost_usd': usage?.estimatedCost,
  };
}

/** Where the request went, known only with raw capture. */
function serverAttributes(wire: unknown): Attributes {
  try {
    const { hostname, port, protocol } = new URL((wire as { url: string }).url);
    return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'http:' ? 80 : 443) };
  } catch {
    return {};
  }
}

function contentAttributes(
  { assembled, messages, omitted, request }: ChatFacts,
  response: ResponseStep | undefined,
) {
  const offered = new Set(request.toolsOffered);
  const tools = (assembled?.tools ?? []).filter(({ name }) => offered.has(name));
  return {
    'gen_ai.input.messages': json(messages.map(messageOf)),
    'glassloop.input.omitted_messages': omitted === 0 ? undefined : omitted,
    'gen_ai.output.messages': response && json([outputOf(response)]),
    'gen_ai.tool.definitions':
      tools.length === 0 ? undefined : json(tools.map((tool) => ({ type: 'function', ...tool }))),
  };
}

function outputOf({ message, thinking, finishReason }: ResponseStep) {
  const { parts } = messageOf(message);
  return {
    role: 'assistant',
    parts: thinking === undefined ? parts : [{ type: 'reasoning', content: thinking }, ...parts],
    finish_reason: finishReason === 'tool_calls' ? 'tool_call' : finishReason,
  };
}

/** A message in the shape of the conventions' own JSON Schema. */
function messageOf(message: Message): { readonly role: string; readonly parts: readonly unknown[] } {
  switch (message.role) {
    case 'system':
      return { role: 'system', parts: [textPart(message.content)] };
    case 'user':
      return {
        role: 'user',
        parts:
          typeof message.content === 'string'
            ? [textPart(message.content)]
            : message.content.map((part) =>
                part.type === 'text'
                  ? textPart(part.text)
                  : /^https?:/.test(part.data)
                    ? { type: 'uri', modality: 'image', mime_type: part.mediaType, uri: part.data }
                    : { type: 'blob', modality: 'image', mime_type: part.mediaType, content: part.data },
              ),
      };
    case 'assistant':
      return {
        role: 'assistant',
        parts: [
          ...(message.content === '' ? [] : [textPart(message.content)]),
          ...message.toolCalls.map(({ id, name, argumentsJson }) => ({
            type: 'tool_call',
            id,
            name,
            arguments: parsed(argumentsJson),
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
      };
    default:
      // A role of tomorrow.
      return { role: String((message as Message).role), parts: [textPart(json(message))] };
  }
}

function textPart(content: string) {
  return { type: 'text', content };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
