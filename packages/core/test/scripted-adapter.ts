import type { Adapter, ModelRequest, ModelResponse } from '@glassloop/core/adapter';

/** One scripted answer: calls by name and arguments, or text; or a function that makes (or throws) it. */
export type Answer =
  | (Partial<Omit<ModelResponse, 'message'>> & { text?: string; calls?: readonly Call[] })
  | ((request: ModelRequest) => Promise<ModelResponse> | ModelResponse);

export interface Call {
  readonly id?: string;
  readonly name: string;
  readonly args?: unknown;
}

export interface ScriptedAdapter extends Adapter {
  /** Every request, as it was handed over. */
  readonly requests: ModelRequest[];
}

/** An adapter without a provider. The last answer is given again and again; a request without tools gets `closing`, if there is one. */
export function scripted(answers: readonly Answer[], closing?: Answer): ScriptedAdapter {
  const requests: ModelRequest[] = [];
  let next = 0;
  return {
    name: 'scripted',
    model: 'test-model',
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    requests,
    async chat(request) {
      requests.push(request);
      const answer =
        closing !== undefined && request.tools.length === 0
          ? closing
          : answers[Math.min(next++, answers.length - 1)]!;
      return typeof answer === 'function' ? answer(request) : responseOf(answer, requests.length);
    },
  };
}

export function responseOf(answer: Exclude<Answer, (...args: never) => unknown>, round = 1): ModelResponse {
  const { text = '', calls = [], ...rest } = answer;
  return {
    message: {
      role: 'assistant',
      content: text,
      toolCalls: calls.map(({ id, name, args }, index) => ({
        id: id ?? `c${round}_${index}`,
        name,
        argumentsJson: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
      })),
    },
    finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 },
    ...rest,
  };
}
