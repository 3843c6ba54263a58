import type { CallOptions, ModelRequest, ToolSpec } from '@glassloop/core/adapter';
import { historyOf, type MistralMessage } from './history.ts';

/** The body of `/v1/chat/completions`, exactly as it is sent. */
export interface MistralBody {
  readonly model: string;
  readonly messages: readonly MistralMessage[];
  readonly stream: boolean;
  readonly [field: string]: unknown;
}

/** The highest temperature that Mistral takes. */
const HOTTEST = 1.5;

export function toRequest(
  model: string,
  request: ModelRequest,
): { readonly body: MistralBody; readonly warnings: readonly string[] } {
  const { options, tools } = request;
  const warnings: string[] = [];
  return {
    body: {
      model,
      messages: historyOf(request.messages),
      ...(tools.length === 0 ? {} : toolFields(tools, options)),
      ...present({
        temperature: temperatureOf(options, warnings),
        top_p: options.topP,
        max_tokens: options.maxTokens,
        stop: options.stop,
        reasoning_effort: effortOf(options.thinking),
      }),
      ...options.providerOptions?.['mistral'],
      // Last: how the answer is read depends on it.
      stream: request.onDelta !== undefined,
    },
    warnings,
  };
}

function toolFields(
  tools: readonly ToolSpec[],
  { toolChoice, parallelToolCalls }: CallOptions,
): Record<string, unknown> {
  return present({
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    tool_choice:
      typeof toolChoice === 'object' && toolChoice !== null
        ? { type: 'function', function: { name: toolChoice.tool } }
        : toolChoice,
    parallel_tool_calls: parallelToolCalls,
  });
}

function temperatureOf({ temperature }: CallOptions, warnings: string[]): number | undefined {
  if (typeof temperature !== 'number' || temperature <= HOTTEST) return temperature;
  warnings.push(`temperature ${temperature} was sent as ${HOTTEST}, the highest that Mistral takes.`);
  return HOTTEST;
}

function effortOf(thinking: boolean | undefined): string | undefined {
  if (thinking === true) return 'high';
  return thinking === false ? 'none' : undefined;
}

/** The fields that have a value. null counts as none: it comes from JSON and must never reach the provider. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
