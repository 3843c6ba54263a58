import type { WireFormat } from '@glassloop/simulator';
import { anthropicMessages } from '@glassloop/simulator';

/** The same dialect without its checks, for answers that were not made by the simulator and come back to it. */
export const anyAnthropic: WireFormat = {
  ...anthropicMessages,
  read: ({ body }) => {
    const { stream, model } = (body ?? {}) as { stream?: boolean; model?: string };
    return {
      model,
      system: [],
      messages: [],
      tools: [],
      toolChoice: undefined,
      parallelToolCalls: undefined,
      stream: stream === true,
      temperature: undefined,
      topP: undefined,
      maxTokens: undefined,
      stop: undefined,
      thinking: undefined,
      apiKey: undefined,
    };
  },
};
