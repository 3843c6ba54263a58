import type { Message, RunStep } from '@glassloop/core';
import { asObject } from './redact-value.ts';

/** A step without what people and models said: lengths, names, counts and shapes stay. */
export function withoutContent(step: RunStep): RunStep {
  const fields: Record<string, unknown> = { ...step };
  for (const name of ['raw', 'metadata'])
    if (fields[name] !== undefined) fields[name] = shapeOf(fields[name], name);
  for (const name of ['thinking', 'result', 'thrown', 'partial']) {
    if (fields[name] !== undefined) fields[name] = lengthOf(fields[name]);
  }
  switch (step.kind) {
    case 'assembled':
      fields['added'] = step.added.map(withoutText);
      fields['tools'] = step.tools.map(({ name, description, parameters }) => ({
        name,
        description: lengthOf(description),
        parameters: shapeOf(parameters),
      }));
      fields['settings'] = { ...step.settings, options: shapeOf(step.settings.options) };
      break;
    case 'request':
      fields['added'] = step.added.map(withoutText);
      break;
    case 'response':
      fields['message'] = withoutText(step.message);
      break;
    case 'tool':
      fields['call'] = callShape(step.call);
      break;
    case 'error':
      // A provider may quote the prompt in what it says.
      fields['message'] = lengthOf(step.message);
      break;
    case 'end':
      if (step.stopReason === 'failed' || step.stopReason === 'aborted')
        fields['detail'] = lengthOf(step.detail);
  }
  return fields as unknown as RunStep;
}

function withoutText(message: Message): unknown {
  switch (message.role) {
    case 'system':
    case 'tool':
      return { ...message, content: lengthOf(message.content) };
    case 'user':
      return {
        role: 'user',
        content:
          typeof message.content === 'string'
            ? lengthOf(message.content)
            : message.content.map((part) =>
                part.type === 'text'
                  ? { type: 'text', text: lengthOf(part.text) }
                  : { ...part, data: lengthOf(part.data) },
              ),
      };
    default:
      return {
        role: 'assistant',
        content: lengthOf(message.content),
        toolCalls: message.toolCalls.map(callShape),
        ...(message.providerState === undefined ? {} : { providerState: shapeOf(message.providerState) }),
      };
  }
}

function callShape({ argumentsJson, ...call }: { readonly argumentsJson: string }): unknown {
  return { ...call, argumentsJson: jsonShape(argumentsJson) };
}

function jsonShape(text: string): string {
  try {
    return JSON.stringify(shapeOf(JSON.parse(text), 'arguments'));
  } catch {
    return String(lengthOf(text));
  }
}

function lengthOf(text: unknown): unknown {
  return text === undefined || text === '' ? text : `[${String(text).length} characters]`;
}

/** Fields whose values are words of a format, not of a person. */
const FORMAT_FIELD =
  /^(type|role|object|model|modelVersion|name|toolName|tool|finish_reason|finishReason|stop_reason|done_reason|native_finish_reason|status|code|method|url|format|required|toolChoice|event|provider|service_tier)$/;
const FORMAT_WORD = /^[\w.:/?&=%[\]@-]{0,200}$/;

/** The value with its keys, lists and words of the format; other texts as their length. Numbers said in arguments are content too. */
export function shapeOf(value: unknown, field = '', isArguments = field === 'arguments'): unknown {
  if (typeof value === 'string') {
    if (field === 'body' || field === 'arguments' || field === 'partial_json') return jsonShape(value);
    return !isArguments && FORMAT_FIELD.test(field) && FORMAT_WORD.test(value) ? value : lengthOf(value);
  }
  if (typeof value === 'number') return isArguments ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, field, isArguments));
  const inArguments = isArguments || field === 'args' || field === 'input';
  return asObject(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner, key, inArguments)]));
}
