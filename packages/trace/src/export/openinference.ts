import type { Message, Usage } from '@glassloop/core';
import type { ChatFacts, RunFacts, SpanFacts, ToolFacts } from './run-spans.ts';
import { textOf } from './run-spans.ts';
import { type AttributeValue, failureOf, known, type Span } from './span.ts';

type Values = { readonly [name: string]: AttributeValue | undefined };

/** `llm.system` where it is not the adapter's own name; none where one adapter reaches many systems. */
const SYSTEMS: { readonly [adapter: string]: string | undefined } = {
  mistral: 'mistralai',
  google: 'google',
  ollama: undefined,
  groq: undefined,
  openrouter: undefined,
};

/** A span by the OpenInference conventions; what was said only with `content`. */
export function openInferenceSpan(facts: SpanFacts, content: boolean): Span {
  const error = failureOf(facts, content);
  const [name, values] =
    facts.span === 'run'
      ? (['run', runValues(facts, content)] as const)
      : facts.span === 'chat'
        ? (['chat', chatValues(facts, content)] as const)
        : ([facts.step.call.name, toolValues(facts, content)] as const);
  return {
    name,
    kind: 'internal',
    startMs: facts.startMs,
    endMs: facts.endMs,
    attributes: known(values),
    ...(error === undefined ? {} : { error: error.message === undefined ? {} : { message: error.message } }),
  };
}

function runValues({ end, question, answer }: RunFacts, content: boolean): Values {
  return {
    'openinference.span.kind': 'AGENT',
    ...(content ? { ...valueFields('input', question), ...valueFields('output', answer) } : {}),
    metadata: end && JSON.stringify({ stopReason: end.stopReason, rounds: end.rounds }),
  };
}

function chatValues(
  { assembled, outcome, messages, omitted, request, round }: ChatFacts,
  content: boolean,
): Values {
  const settings = assembled?.settings;
  const response = outcome?.kind === 'response' ? outcome : undefined;
  const offered = new Set(request.toolsOffered);
  const tools = (assembled?.tools ?? []).filter(({ name }) => offered.has(name));
  const adapter = settings?.adapter;
  return {
    'openinference.span.kind': 'LLM',
    'llm.provider': adapter,
    'llm.system': adapter === undefined ? undefined : adapter in SYSTEMS ? SYSTEMS[adapter] : adapter,
    'llm.model_name': response?.model ?? settings?.model,
    'llm.invocation_parameters': settings && JSON.stringify(settings.options),
    'llm.finish_reason': response?.finishReason,
    ...usageValues(response?.usage),
    metadata: JSON.stringify({
      round,
      attempt: request.attempt,
      ...(omitted === 0 ? {} : { omittedMessages: omitted }),
    }),
    ...(content
      ? {
          ...messageValues('llm.input_messages', messages),
          ...(response === undefined ? {} : messageValues('llm.output_messages', [response.message])),
          ...valueFields('input', textOfLast(messages)),
          ...valueFields('output', response?.message.content),
          ...Object.fromEntries(
            tools.flatMap(({ name, description, parameters }, index) => [
              [
                `llm.tools.${index}.tool.json_schema`,
                JSON.stringify({ type: 'function', function: { name, description, parameters } }),
              ],
            ]),
          ),
        }
      : {}),
  };
}

function toolValues({ step, description }: ToolFacts, content: boolean): Values {
  return {
    'openinference.span.kind': 'TOOL',
    'tool.name': step.call.name,
    'tool.id': step.call.id,
    ...(content
      ? {
          'tool.description': description,
          'input.value': step.call.argumentsJson,
          'input.mime_type': 'application/json',
          ...valueFields('output', step.result),
        }
      : {}),
  };
}

function usageValues(usage: Usage | undefined): Values {
  return {
    'llm.token_count.prompt': usage?.promptTokens,
    'llm.token_count.completion': usage?.completionTokens,
    'llm.token_count.total': usage?.totalTokens,
    'llm.token_count.prompt_details.cache_read': usage?.cacheReadTokens,
    'llm.token_count.prompt_details.cache_write': usage?.cacheWriteTokens,
    'llm.token_count.completion_details.reasoning': usage?.reasoningTokens,
    'llm.cost.total': usage?.estimatedCost,
  };
}

function valueFields(side: 'input' | 'output', text: string | undefined): Values {
  return text === undefined ? {} : { [`${side}.value`]: text, [`${side}.mime_type`]: 'text/plain' };
}

function textOfLast(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  return last.role === 'user' ? textOf(last.content) : last.content;
}

function messageValues(prefix: string, messages: readonly Message[]): Values {
  const values: Record<string, AttributeValue> = {};
  for (const [index, message] of messages.entries()) {
    const at = `${prefix}.${index}.message`;
    values[`${at}.role`] = message.role;
    if (message.role === 'user' && typeof message.content !== 'string') {
      for (const [place, part] of message.content.entries()) {
        const inside = `${at}.contents.${place}.message_content`;
        values[`${inside}.type`] = part.type;
        if (part.type === 'text') values[`${inside}.text`] = part.text;
        else {
          values[`${inside}.image.image.url`] = /^https?:/.test(part.data)
            ? part.data
            : `data:${part.mediaType};base64,${part.data}`;
        }
      }
    } else values[`${at}.content`] = message.content as string;
    if (message.role === 'tool') {
      values[`${at}.tool_call_id`] = message.toolCallId;
      values[`${at}.name`] = message.toolName;
    }
    for (const [place, call] of (message.role === 'assistant' ? message.toolCalls : []).entries()) {
      const inside = `${at}.tool_calls.${place}.tool_call`;
      values[`${inside}.id`] = call.id;
      values[`${inside}.function.name`] = call.name;
      values[`${inside}.function.arguments`] = call.argumentsJson;
    }
  }
  return values;
}
