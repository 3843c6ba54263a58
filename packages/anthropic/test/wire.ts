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

/**
 * The dialect with its checks, for recorded conversations: signed blocks, which only their maker could check, are
 * read as text, so that they count as what was said and must come back word for word.
 */
export const recordedAnthropic: WireFormat = {
  ...anthropicMessages,
  read: (request) => anthropicMessages.read({ ...request, body: withSignedAsText(request.body) }),
};

// biome-ignore lint/suspicious/noExplicitAny: recorded bodies
function withSignedAsText({ thinking: _, ...body }: any): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: recorded bodies
  const asText = (block: any) =>
    /thinking$/.test(block.type)
      ? { type: 'text', text: JSON.stringify(Object.entries(block).sort()) }
      : block;
  // biome-ignore lint/suspicious/noExplicitAny: recorded bodies
  const messages = body.messages.map(({ role, content }: any) => ({
    role,
    content: typeof content === 'string' ? content : content.map(asText),
  }));
  return { ...body, messages };
}
