import {
  type Adapter,
  type AdapterSettings,
  type AnswerPart,
  checkSettings,
  given,
  httpAdapter,
  type Message,
  type ModelRequest,
  type RequestPreview,
  replayedArguments,
  textOf,
  withoutBlanks,
} from '@glassloop/core/adapter';

/** Models of Parley. No `apiKey`: `PARLEY_API_KEY`. */
export function parley(settings: AdapterSettings): Adapter {
  const checked = checkSettings('parley', settings, 'PARLEY_API_KEY');
  return httpAdapter({
    name: 'parley',
    settings: checked,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: false,
      images: false,
      cost: false,
    },
    url: `${checked.baseURL ?? 'https://api.parley.example'}/turn`,
    headers: { authorization: `Bearer ${checked.apiKey}` },
    toBody: (request) => toBody(checked.model, request),
    fromBody,
    finishReasons: { done: 'stop', calls: 'tool_calls', limit: 'length', filter: 'content_filter' },
    failureIn: (value) => {
      const { problem } = (value ?? {}) as { problem?: { says?: string; code?: string; status?: number } };
      return problem && { message: problem.says, words: [problem.code], status: problem.status };
    },
  });
}

/** ModelRequest → the body of `POST /turn`. */
function toBody(model: string, { messages, tools, options, onDelta }: ModelRequest): RequestPreview {
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
      turns: withoutBlanks(messages).map(turn),
      ...(Object.keys(settings).length > 0 && { settings }),
      ...(tools.length > 0 && offered),
      ...options.providerOptions?.['parley'],
      stream: onDelta !== undefined,
    },
    warnings: thinking == null ? [] : ['parley: thinking is not sent, because this API has no field for it.'],
  };
}

function turn(message: Message): object {
  switch (message.role) {
    case 'system':
      return { from: 'system', text: message.content };
    case 'user':
      return { from: 'user', text: textOf(message.content) };
    case 'assistant': {
      const calls = message.toolCalls.map(({ id, name, argumentsJson }) => ({
        ref: id,
        tool: name,
        input: replayedArguments(argumentsJson),
      }));
      return { from: 'model', text: message.content, ...(calls.length > 0 && { calls }) };
    }
    case 'tool':
      return { from: 'tool', ref: message.toolCallId, text: message.content, failed: message.isError };
  }
}

type Call = { readonly ref?: string; readonly tool: string; readonly input?: unknown };

/** A whole answer, or a line of a stream: `{ text }`, `{ call }`, and last `{ model, end, tokens }`. */
interface Answer {
  readonly text?: string;
  readonly call?: Call;
  readonly calls?: readonly Call[];
  readonly model?: string;
  readonly end?: string;
  readonly tokens?: { readonly in?: number; readonly out?: number };
}

function fromBody(value: unknown): AnswerPart | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, call, calls = call && [call], model, end, tokens } = value as Answer;
  if (text === undefined && calls === undefined && model === undefined) return undefined;
  return {
    text,
    calls: calls?.map(({ ref, tool, input }) => ({ id: ref, name: tool, arguments: input })),
    usage: { promptTokens: tokens?.in, completionTokens: tokens?.out },
    model,
    finish: end,
    // The last line may lack a word for the end, but it always names the model.
    last: model !== undefined,
  };
}
