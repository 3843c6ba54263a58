import type { Message, RunStep, ToolCall } from '@glassloop/core';

/** What of a step counts when it is compared. */
export interface DiffOptions {
  /** Compare call ids, request ids and ids in raw bodies too. Default false. */
  readonly ids?: boolean;
  /** Compare clock times and durations too. Default false. */
  readonly times?: boolean;
  /** Compare signatures and the opaque state of providers too. Default false. */
  readonly opaque?: boolean;
  /** Compare raw bodies and the requests as sent, where both traces have them. Default true. */
  readonly raw?: boolean;
}

/** The step without its messages and without what is not compared. Every other field stays as it is. */
export function comparableStep(step: RunStep, options: DiffOptions): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...step };
  delete fields['added'];
  delete fields['sent'];
  if (options.times !== true) for (const name of ['at', 'durationMs', 'firstTokenMs']) delete fields[name];
  if (options.ids !== true) delete fields['requestId'];
  if (step.kind === 'response' && isObject(step.message))
    fields['message'] = comparableMessage(step.message, options);
  if (step.kind === 'tool' && isObject(step.call)) fields['call'] = comparableCall(step.call, options);
  for (const name of ['raw', 'metadata']) {
    if (fields[name] === undefined) continue;
    if (options.raw === false && name === 'raw') delete fields[name];
    else fields[name] = withoutVolatile(fields[name], options);
  }
  if (options.raw === false && isObject(fields['metadata'])) {
    const { _wire, ...rest } = fields['metadata'];
    fields['metadata'] = Object.keys(rest).length === 0 ? undefined : rest;
  }
  return fields;
}

export function comparableMessage(message: Message, options: DiffOptions): unknown {
  if (!isObject(message)) return message;
  const fields: Record<string, unknown> = { ...message };
  if (options.ids !== true) delete fields['toolCallId'];
  if (options.opaque !== true) delete fields['providerState'];
  if (message.role === 'assistant' && Array.isArray(message.toolCalls)) {
    fields['toolCalls'] = message.toolCalls.map((call) => comparableCall(call, options));
  }
  return fields;
}

function comparableCall(call: ToolCall, options: DiffOptions): unknown {
  if (options.ids === true || !isObject(call)) return call;
  const { id: _, ...rest } = call;
  return rest;
}

const IDS = /^(id|.+_id|.+[a-z]Id|system_fingerprint|obfuscation)$/;
const TIMES =
  /^(created|created_at|createTime|createdAt|completed_at|.+_(duration|time|latency|ms)|timestamp)$/;
const OPAQUE = /^(signature|thoughtSignature|thought_signature|encrypted_content|encrypted_reasoning)$/;

/** A provider's body without the fields whose names say that they change from call to call. */
function withoutVolatile(value: unknown, options: DiffOptions, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((item) => withoutVolatile(item, options, depth + 1));
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (options.ids !== true && IDS.test(key)) continue;
    if (options.times !== true && TIMES.test(key) && typeof inner !== 'object') continue;
    if (options.opaque !== true && OPAQUE.test(key)) continue;
    // `defineProperty`: a key may be named `__proto__`.
    Object.defineProperty(kept, key, {
      value:
        key === 'body' && typeof inner === 'string'
          ? wireBody(inner, options)
          : withoutVolatile(inner, options, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return kept;
}

/** A request body is JSON as text; it is compared as what it says. */
function wireBody(text: string, options: DiffOptions): unknown {
  try {
    return withoutVolatile(JSON.parse(text), options);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
