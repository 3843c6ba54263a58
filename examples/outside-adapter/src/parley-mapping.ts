import {
  AdapterError,
  argumentsText,
  count,
  excerpt,
  type FinishReason,
  InlineThinkingStream,
  type Message,
  type Metadata,
  type ModelRequest,
  type ModelResponse,
  quietly,
  type RequestPreview,
  replayedArguments,
  splitInlineThinking,
  usageOf,
  withIds,
} from '@glassloop/core/adapter';

type Call = { readonly ref?: string; readonly tool: string; readonly input?: unknown };

/** Parley's answer. Only what is read here is named. */
interface Answer {
  readonly model?: string | undefined;
  readonly text: string;
  readonly calls?: readonly Call[];
  /** Missing: the provider said nothing. null: the stream ended before its last line. */
  readonly end?: string | null | undefined;
  readonly tokens?: { readonly in?: number; readonly out?: number } | undefined;
}

/** ModelRequest → the body of `POST /turn`. */
export function toBody(model: string, { messages, tools, options, onDelta }: ModelRequest): RequestPreview {
  const { temperature, topP, maxTokens, stop, toolChoice, parallelToolCalls, thinking } = options;
  const settings = given({ temperature, top_p: topP, limit: maxTokens, stop });
  const offered = {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      about: description,
      input: parameters,
    })),
    ...given({ choose: toolChoice === 'required' ? 'must' : toolChoice, side_by_side: parallelToolCalls }),
  };
  return {
    body: {
      model,
      turns: messages.flatMap(turnOf),
      ...(Object.keys(settings).length > 0 && { settings }),
      ...(tools.length > 0 && offered),
      ...options.providerOptions?.['parley'],
      stream: onDelta !== undefined,
    },
    warnings: thinking == null ? [] : ['parley: thinking is not sent, because this API has no field for it.'],
  };
}

function turnOf(message: Message): readonly object[] {
  switch (message.role) {
    case 'system':
      return message.content.trim() === '' ? [] : [{ from: 'system', text: message.content }];
    case 'user': {
      const parts = typeof message.content === 'string' ? [] : message.content;
      const texts = parts.flatMap((part) =>
        part.type === 'text' && part.text.trim() !== '' ? [part.text] : [],
      );
      return [
        { from: 'user', text: typeof message.content === 'string' ? message.content : texts.join('\n') },
      ];
    }
    case 'assistant': {
      const { content, toolCalls } = message;
      if (content.trim() === '' && toolCalls.length === 0) return [];
      const calls = toolCalls.map(({ id, name, argumentsJson }) => ({
        ref: id,
        tool: name,
        input: replayedArguments(argumentsJson),
      }));
      return [{ from: 'model', text: content, ...(calls.length > 0 && { calls }) }];
    }
    case 'tool':
      return [{ from: 'tool', ref: message.toolCallId, text: message.content, failed: message.isError }];
  }
}

/** The lines of a stream → the answer as it is when it does not stream. */
export async function fold(
  lines: AsyncIterable<unknown>,
  watch: { signal: AbortSignal; heard(text: string): void; onDelta: ModelRequest['onDelta'] | undefined },
): Promise<Answer> {
  const { signal, heard, onDelta } = watch;
  // Once the call has settled nobody must hear of it any more.
  const emit = quietly((delta) => (signal.aborted ? undefined : onDelta?.(delta)));
  const inline = new InlineThinkingStream((kind, text) => emit({ kind, text }));
  const calls: Call[] = [];
  let text = '';
  let last: Partial<Answer> | undefined;
  let started = false;
  for await (const line of lines) {
    started = true;
    const event = line as { text?: string; call?: Call } & Partial<Answer>;
    if (event.text !== undefined) {
      text += event.text;
      heard(event.text);
      inline.push(event.text);
    }
    if (event.call !== undefined) {
      const { ref: id, tool: name, input } = event.call;
      inline.end();
      emit({
        kind: 'tool_call',
        index: calls.length,
        ...given({ id, name }),
        argumentsText: argumentsText(input),
      });
      calls.push(event.call);
    }
    if (event.end !== undefined || event.tokens !== undefined) last = event;
  }
  inline.end();
  if (!started) throw new AdapterError('bad_response', 'parley: the stream ended before it began');
  return { text, calls, model: last?.model, end: last === undefined ? null : last.end, tokens: last?.tokens };
}

/** Parley's answer → ModelResponse; there is one mapping for whole and streamed answers. */
export function fromAnswer(
  answer: unknown,
  warnings: readonly string[],
  metadata: Metadata | undefined,
): ModelResponse {
  const { model, text, calls = [], end, tokens } = (answer ?? {}) as Answer;
  if (typeof text !== 'string') {
    throw new AdapterError('bad_response', `parley: this is no answer: ${excerpt(JSON.stringify(answer))}`);
  }
  const { content, thinking } = splitInlineThinking(text);
  const named = calls.map(({ ref, tool, input }) => ({
    id: ref,
    name: tool,
    argumentsJson: argumentsText(input),
  }));
  return {
    message: { role: 'assistant', content, toolCalls: withIds(named) },
    ...given({ thinking }),
    finishReason: finishOf(end, calls.length > 0),
    ...given({ rawFinishReason: end }),
    usage: usageOf({ promptTokens: count(tokens?.in), completionTokens: count(tokens?.out) }),
    ...given({ model, warnings: warnings.length > 0 ? warnings : undefined, metadata }),
  };
}

function finishOf(end: string | null | undefined, hasCalls: boolean): FinishReason {
  if (end === null) return 'other';
  if (end === 'limit') return 'length';
  if (end === 'filter') return 'content_filter';
  if (hasCalls) return 'tool_calls';
  return end === 'done' || end === undefined ? 'stop' : 'other';
}

/** Without the fields that are not set: undefined must not become a key, and null must not reach the wire. */
function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as never;
}
