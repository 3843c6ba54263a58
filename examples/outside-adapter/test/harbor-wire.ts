import { openaiChat, type RecordedRequest, type WireFormat } from '@glassloop/simulator';

/** Harbor as it is seen from its own side: OpenAI's chat completions, and two quirks. */
export const harborChat: WireFormat = {
  ...openaiChat,
  name: 'harbor-chat',
  read(request) {
    const body = request.body as Record<string, unknown>;
    if ('stream_options' in body) throw new Error('stream_options: unknown field');
    if (body['tool_choice'] === 'required') throw new Error("tool_choice: expected 'auto', 'none' or 'any'");
    const read = openaiChat.read(
      body['tool_choice'] === 'any' ? withBody(request, { ...body, tool_choice: 'required' }) : request,
    );
    return { ...read, streamUsage: true };
  },
};

function withBody(request: RecordedRequest, body: Record<string, unknown>): RecordedRequest {
  return { ...request, body };
}
